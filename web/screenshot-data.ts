/** The senders and messages in the screenshots. A number after # is too large for ECMAScript. */
export const PARTNERS: [handle: string, name: string][] = [
  ['brightwater', 'Brightwater Mills'],
  ['nordlicht', 'Nordlicht Logistik'],
  ['casa-oliva', 'Casa Oliva'],
  ['tessen', 'Tessen Instruments'],
  ['harbour', 'Harbour & Sons'],
];

const item = (sku: string, quantity: number, price: string) => ({ sku, quantity, price });

export const SENT: [handle: string, request: Record<string, unknown>][] = [
  [
    'harbour',
    {
      type: 'invoice',
      subject: 'Invoice 2026-0311',
      note: 'Thirty days, as agreed.',
      json: { invoice: '2026-0311', total: '12840.00', currency: 'EUR', items: [item('H-200', 4, '3210.00')] },
    },
  ],
  [
    'tessen',
    {
      type: 'quote',
      subject: 'Quote for calibration',
      note: 'Valid until the end of the month. The second line is optional.',
      json: { quote: 'Q-88', items: [item('CAL-1', 1, '480.00'), item('CAL-2', 1, '120.00')] },
    },
  ],
  [
    'nordlicht',
    {
      type: 'dispatch',
      subject: 'Shipment NL-20417 is on its way',
      note: 'Expected on Tuesday between 8 and 12.',
      json: { shipment: 'NL-20417', tracking: '#9007199254740993', items: [item('P-EUR', 6, '0.00')] },
    },
  ],
  [
    'casa-oliva',
    {
      type: 'order',
      subject: 'Order 118',
      note: 'Please use the new delivery address from now on.',
      json: { order: 118, items: [item('A-7', 12, '8.40')] },
    },
  ],
  ['brightwater', { type: 'order', subject: 'Order 4702', json: { order: 4702, items: [item('A-1', -2, '19.90')] } }],
  ['harbour', { subject: 'Stocktaking on Friday', note: 'Our dock is closed on Friday afternoon. Deliveries are welcome until noon.' }],
  [
    'tessen',
    {
      type: 'certificate',
      subject: 'Calibration certificate 5523',
      note: 'For the gauge that you sent in last week.',
      json: { certificate: 5523, valid_until: '2027-03-31', items: [] },
    },
  ],
  [
    'nordlicht',
    {
      type: 'invoice',
      subject: 'Freight for week 10',
      json: { invoice: 'F-1010', total: '1980.50', currency: 'EUR', items: [item('FRT', 11, '180.05')] },
    },
  ],
  [
    'brightwater',
    {
      type: 'order',
      subject: 'Order 4711',
      note: 'The same as last month, but twice the flour.\nCould you confirm by Thursday?',
      json: {
        order: 4711,
        customer: { id: '#90071992547409931', name: 'Brightwater Mills' },
        items: [item('A-1', 40, '19.90'), item('B-12', 6, '104.00')],
        deliver_by: '2026-03-13',
      },
    },
  ],
];

export const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['items'],
  properties: {
    order: { type: 'integer' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['sku', 'quantity'],
        properties: { sku: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
      },
    },
  },
};
