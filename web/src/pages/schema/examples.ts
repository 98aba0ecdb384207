interface Example {
  name: string;
  about: string;
  text: string;
}

const written = (schema: object): string => JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }, null, 2);

const sku = { type: 'string', pattern: '^[A-Z0-9-]+$' };
const amount = { type: 'number', exclusiveMinimum: 0 };

export const EXAMPLES: readonly Example[] = [
  {
    name: 'Order',
    about: 'Order number, currency and line items.',
    text: written({
      type: 'object',
      required: ['order_number', 'lines'],
      properties: {
        order_number: { type: 'string', minLength: 1, examples: ['PO-1042'] },
        currency: { enum: ['EUR', 'USD', 'GBP'] },
        deliver_by: { type: 'string', format: 'date' },
        lines: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['sku', 'quantity'],
            properties: { sku: { ...sku, examples: ['A-100'] }, quantity: { type: 'integer', minimum: 1 }, unit_price: amount },
          },
        },
      },
    }),
  },
  {
    name: 'Invoice',
    about: 'Invoice number, dates, currency and total.',
    text: written({
      type: 'object',
      required: ['invoice_number', 'issued_on', 'total', 'currency'],
      properties: {
        invoice_number: { type: 'string', minLength: 1, examples: ['2026-0117'] },
        order_number: { type: 'string', examples: ['PO-1042'] },
        issued_on: { type: 'string', format: 'date' },
        due_on: { type: 'string', format: 'date' },
        currency: { enum: ['EUR', 'USD', 'GBP'] },
        total: { ...amount, examples: [118.5] },
      },
    }),
  },
  {
    name: 'Several kinds',
    about: 'A field selects the kind, each with its own rules.',
    text: written({
      type: 'object',
      required: ['kind'],
      oneOf: [
        { properties: { kind: { const: 'order' }, quantity: { type: 'integer', minimum: 1 } }, required: ['quantity'] },
        { properties: { kind: { const: 'cancellation' }, reason: { type: 'string' } }, required: ['reason'] },
      ],
      examples: [{ kind: 'order', quantity: 1 }],
    }),
  },
];

export const BLANK = written({ type: 'object', required: [], properties: {} });
