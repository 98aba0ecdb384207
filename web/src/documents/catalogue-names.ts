/** The names of the catalogue, so that its code is loaded for its documents only. A test compares them. */
export const CATALOGUE = [
  ...['quote.request', 'quote', 'order', 'order.change', 'order.confirmation', 'despatch', 'goods.receipt'],
  ...['invoice', 'credit.note', 'remittance', 'statement', 'certificate'],
];
