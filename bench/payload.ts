/** About 1 KB of JSON. The spaces keep pgbench from reading text after a colon as a variable. */
export const PAYLOAD = JSON.stringify({
  order: 'PO-4711',
  currency: 'EUR',
  items: Array.from({ length: 11 }, (_, i) => ({
    sku: `SKU-${i}`,
    quantity: i + 1,
    price: '12.50',
    description: `An ordinary thing, number ${i}`,
  })),
}).replaceAll('":', '": ');

export const TYPE = 'order';
export const SUBJECT = 'Order 4711';
