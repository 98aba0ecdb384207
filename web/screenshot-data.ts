/** The senders and messages in the screenshots. A number after # is too large for ECMAScript. */
export const PARTNERS: [handle: string, name: string][] = [
  ['brightwater', 'Brightwater Mills'],
  ['nordlicht', 'Nordlicht Logistik'],
  ['casa-oliva', 'Casa Oliva'],
  ['tessen', 'Tessen Instruments'],
  ['harbour', 'Harbour & Sons'],
];

const acme = {
  name: 'Acme Works',
  handle: 'acme-works',
  address: { street: 'Mill Lane 4', city: 'Leeds', postal_code: 'LS1 4AP', country: 'GB' },
};
const brightwater = {
  name: 'Brightwater Mills',
  handle: 'brightwater',
  address: { street: 'River Road 18', city: 'York', postal_code: 'YO1 7HH', country: 'GB' },
};
const line = (id: string, sku: string, name: string, quantity: number, price: string, total: string) => ({
  ...{ id, sku, name, quantity, unit: 'C62', price, total },
});
const head = (number: string, issue_date: string) => ({ number, issue_date, currency: 'EUR', seller: acme });

export const SENT: [handle: string, request: Record<string, unknown>][] = [
  [
    'harbour',
    {
      type: 'invoice',
      subject: 'Invoice 2026-0311',
      note: 'Thirty days, as agreed.',
      json: {
        ...{ ...head('2026-0311', '2026-03-09'), buyer: acme, seller: { name: 'Harbour & Sons' }, due_date: '2026-04-08' },
        ...{
          lines: [line('1', 'H-200', 'Harbour crane, hire for a week', 4, '3210.00', '12840.00')],
          total: '12840.00',
          payable: '12840.00',
        },
      },
    },
  ],
  [
    'tessen',
    {
      type: 'quote',
      subject: 'Quote for calibration',
      note: 'Valid until the end of the month. The second line is optional.',
      json: {
        ...{ ...head('Q-88', '2026-03-09'), buyer: acme, seller: { name: 'Tessen Instruments' }, total: '600.00' },
        lines: [line('1', 'CAL-1', 'Calibration', 1, '480.00', '480.00'), line('2', 'CAL-2', 'Certificate', 1, '120.00', '120.00')],
      },
    },
  ],
  [
    'nordlicht',
    {
      type: 'dispatch',
      subject: 'Shipment NL-20417 is on its way',
      note: 'Expected on Tuesday between 8 and 12.',
      json: { shipment: 'NL-20417', tracking: '#9007199254740993', pallets: 6 },
    },
  ],
  [
    'casa-oliva',
    {
      type: 'order',
      subject: 'Order 118',
      note: 'Please use the new delivery address from now on.',
      json: {
        ...{ ...head('118', '2026-03-10'), buyer: { name: 'Casa Oliva' }, total: '100.80' },
        lines: [line('1', 'A-7', 'Olive oil, 1 l', 12, '8.40', '100.80')],
      },
    },
  ],
  [
    'brightwater',
    {
      type: 'order',
      subject: 'Order 4702',
      json: { ...head('4702', '2026-03-10'), buyer: brightwater, lines: [line('1', 'A-1', 'Flour, 25 kg', -2, '19.90', '-39.80')] },
    },
  ],
  ['harbour', { subject: 'Stocktaking on Friday', note: 'Our dock is closed on Friday afternoon. Deliveries are welcome until noon.' }],
  [
    'tessen',
    {
      type: 'certificate',
      subject: 'Calibration certificate 5523',
      note: 'For the gauge that you sent in last week.',
      json: { certificate: 5523, valid_until: '2027-03-31' },
    },
  ],
  [
    'nordlicht',
    {
      type: 'invoice',
      subject: 'Freight for week 10',
      json: {
        ...{ ...head('F-1010', '2026-03-10'), buyer: acme, seller: { name: 'Nordlicht Logistik' }, due_date: '2026-03-24' },
        ...{ lines: [line('1', 'FRT', 'Freight, one pallet', 11, '180.05', '1980.55')], total: '1980.55', payable: '1980.55' },
      },
    },
  ],
  [
    'brightwater',
    {
      type: 'order',
      subject: 'Order 4711',
      note: 'The same as last month, but twice the flour.\nCould you confirm by Thursday?',
      json: {
        ...{ ...head('PO-4711', '2026-03-10'), buyer: brightwater, requested_delivery_date: '2026-03-13' },
        lines: [line('1', 'A-1', 'Flour, 25 kg', 40, '19.90', '796.00'), line('2', 'B-12', 'Rye, one pallet', 6, '104.00', '624.00')],
        ...{ lines_total: '1420.00', net_total: '1420.00', total: '1420.00' },
      },
    },
  ],
];

export const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    number: { type: 'string' },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        required: ['sku', 'quantity'],
        properties: { sku: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
      },
    },
  },
};
