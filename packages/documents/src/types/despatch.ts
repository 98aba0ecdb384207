import { documentSchema } from '../document-schema.ts';
import type { DocumentType } from '../document-type.ts';
import { deliverTo, identity, note, orderNumber, parties } from '../head.ts';
import { itemLine, itemTable, lines, orderLine } from '../lines.ts';
import { date, decimal, list, object, text } from '../properties.ts';
import { notBefore, refersTo } from '../rules/head.ts';
import { lineNumbers } from '../rules/lines.ts';
import { acme, bearing, globex, handbook, pieces, plant, seal } from '../story.ts';

const description = 'A seller says what is on its way to the buyer, and how it is packed.';

const handlingUnit = object('Package', 'A parcel or pallet.', [], {
  id: text('Package', 'Number of the package, such as its SSCC.', { ubl: 'cbc:ID' }),
  kind: text('Kind', 'Such as carton or pallet.', { ubl: 'cbc:TransportHandlingUnitTypeCode' }),
  weight_kg: decimal('Weight (kg)', 'Weight with the package.'),
});

export const despatch: DocumentType = {
  type: 'despatch',
  title: 'Despatch advice',
  description,
  version: 1,
  schema: documentSchema('Despatch advice', description, ['number', 'issue_date', 'seller', 'buyer', 'lines'], {
    ...identity('despatch advice'),
    order_number: orderNumber,
    despatch_date: date('Despatched', 'Day on which the goods left.', {
      ubl: 'cac:Shipment/cac:Delivery/cac:Despatch/cbc:ActualDespatchDate',
    }),
    delivery_date: date('Expected', 'Day on which the goods should arrive.', {
      ubl: 'cac:Shipment/cac:Delivery/cac:EstimatedDeliveryPeriod/cbc:EndDate',
    }),
    ...parties('cac:DeliveryCustomerParty', 'cac:DespatchSupplierParty'),
    deliver_to: { ...deliverTo, description: 'Where the goods go, if not to the address of the buyer. UBL: cac:Shipment/cac:Delivery.' },
    carrier: text('Carrier', 'Who transports the goods.', { ubl: 'cac:Shipment/cac:Delivery/cac:CarrierParty' }),
    tracking_number: text('Tracking', 'The carrier’s number of the transport.', { ubl: 'cac:Shipment/cac:Delivery/cbc:TrackingID' }),
    lines: lines(
      ['name', 'quantity'],
      {
        ...itemLine('cbc:DeliveredQuantity', 'How many units are on their way.'),
        order_line: orderLine,
        outstanding_quantity: decimal('Outstanding', 'How many units follow later.', { ubl: 'cbc:OutstandingQuantity' }),
        lot_number: text('Lot', 'Number of the lot that the article comes from.', {
          ubl: 'cac:Item/cac:ItemInstance/cac:LotIdentification/cbc:LotNumberID',
        }),
      },
      'cac:DespatchLine',
    ),
    packages: list('Packages', 'How the goods are packed.', handlingUnit, { ubl: 'cac:Shipment/cac:TransportHandlingUnit' }),
    note,
  }),
  layout: {
    number: '/number',
    parties: ['/seller', '/buyer', '/deliver_to'],
    facts: [
      { path: '/issue_date' },
      { path: '/order_number' },
      { path: '/despatch_date' },
      { path: '/delivery_date' },
      { path: '/carrier' },
      { path: '/tracking_number' },
    ],
    lines: itemTable([{ path: '/outstanding_quantity', format: 'quantity' }, { path: '/lot_number' }], [{ path: '/order_line' }]),
    tables: [{ path: '/packages', columns: [{ path: '/id' }, { path: '/kind' }, { path: '/weight_kg', format: 'quantity' }] }],
    totals: [],
    terms: [],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'DN-2026-3307',
      issue_date: '2026-10-20',
      order_number: 'PO-4711',
      despatch_date: '2026-10-20',
      delivery_date: '2026-10-22',
      seller: globex,
      buyer: acme,
      deliver_to: plant,
      carrier: 'Nordfracht',
      tracking_number: 'NF 4471 0932',
      lines: [
        { ...bearing, ...pieces(200), order_line: '1', lot_number: 'L-26-0917' },
        { ...seal, ...pieces(150), order_line: '2' },
        { ...handbook, ...pieces(2), order_line: '3', outstanding_quantity: 1 },
      ],
      packages: [
        { id: '340123450000000018', kind: 'Carton', weight_kg: '22.4' },
        { id: '340123450000000025', kind: 'Carton', weight_kg: '6.15' },
      ],
    },
  ],
  rules: [lineNumbers, refersTo('order_number'), notBefore('delivery_date', 'despatch_date')],
};
