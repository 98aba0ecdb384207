import { component, type Schema, type Schemas } from './openapi-schema.ts';

const ID = '01m7hjhy5hfmzv3b00v55n8s0z';
const HASH = 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const TIME = '2026-03-14T09:26:53.589Z';
const DAY = '2026-03-14';

/** Examples by field name, or by schema and field name where these differ. All others follow from the schema. */
const SAMPLES: Record<string, unknown> = {
  ...{ handle: 'acme', display_name: 'Acme', domain: 'acme.example', email: 'jane@acme.example', email_domain: 'spam.example' },
  ...{
    name: 'Order desk',
    description: 'Takes orders',
    segment: 'orders',
    address: 'acme/orders',
    drop_page: 'https://waybill.example/acme',
  },
  ...{ to: 'globex/orders', type: 'order', subject: 'Order 4711', note: 'Please confirm.', json: { items: [{ sku: 'A-1', quantity: 3 }] } },
  ...{
    in_reply_to: null,
    next_cursor: null,
    error: null,
    pause: null,
    last_pause: null,
    failing_since: null,
    counted_since: null,
    hidden: 0,
    idempotency_key: 'order-4711',
  },
  ...{ url: 'https://hooks.acme.example/waybill', target: 'orders', secret: 'whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBCNjQ=' },
  ...{
    filename: 'order.pdf',
    content_type: 'application/pdf',
    size_bytes: 48_213,
    sha256: HASH,
    label: 'Supplier',
    notes: 'Ships on Fridays.',
  },
  ...{ path: '/items/0/sku', message: 'must be string', keyword: 'type', schema: { type: 'object', required: ['items'] } },
  ...{ status_code: 204, response_ms: 38, p50_ms: 35, p95_ms: 120, prefix: 'wb_4fQ2x', date: DAY, period: '2026-03', errors: [] },
  ...{ user_agent: 'Mozilla/5.0', token: 'rcpt_01m7hjhy5hfmzv3b00v55n8s0z0123456789' },
  receipt_url: 'https://waybill.example/r/rcpt_01m7hjhy5hfmzv3b00v55n8s0z0123456789',
  download_url: 'https://waybill.example/objects/01m7hjhy5hfmzv3b00v55n8s0z?signature=…',
  upload_url: 'https://waybill.example/objects/01m7hjhy5hfmzv3b00v55n8s0z?signature=…',
  ...{
    ids: [`msg_${ID}`],
    unknown: [],
    types: ['order.*'],
    start: 'now',
    position: '7351938574614528',
    holder: 'worker-1',
    reason: 'timed out',
  },
  'Actor.id': `agt_${ID}`,
  'Actor.email': null,
  'Block.email_domain': null,
  'Block.user_id': `usr_${ID}`,
  user_id: `usr_${ID}`,
  'Consumer.name': 'billing',
  'Delivery.status': 'delivered',
  'Delivery.next_attempt_at': null,
  'SchemaCheck.schema': { valid: true, errors: [] },
  'SearchMatch.text': 'Order 4711',
  'SearchMatch.marks': [[6, 10]],
  'Session.address': '203.0.113.7',
  'Validation.status': 'passed',
  'WebhookStatistics.period': '24h',
};
const LEFT_OUT = new Set(['in_reply_to', 'files', 'parts', 'through']);

interface ExampleSettings {
  schemas: Schemas;
  isRequest?: boolean;
  oneOf?: readonly string[];
}

export function exampleOf(schema: Schema, settings: ExampleSettings, name = '', owner = ''): unknown {
  const known = [SAMPLES[`${owner}.${name}`], SAMPLES[name]].find((sample) => sample !== undefined && fits(sample, schema, settings));
  if (known !== undefined) return known;
  if (schema.$ref !== undefined) {
    const named = component(schema.$ref, settings.schemas);
    return exampleOf(named.schema, settings, name, named.name);
  }
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant) return exampleOf(variant, settings, name, owner);
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [exampleOf(schema.items ?? {}, settings, name, owner)];
  if (schema.type === 'object') return objectExample(schema, settings, owner);
  return plainExample(schema);
}

function objectExample({ properties = {}, required = [] }: Schema, settings: ExampleSettings, owner: string): Record<string, unknown> {
  const isShown = (name: string) =>
    required.includes(name) ||
    !settings.isRequest ||
    (!LEFT_OUT.has(name) && (settings.oneOf?.includes(name) ? settings.oneOf[0] === name : true));
  const shown = Object.entries(properties).filter(([name]) => isShown(name));
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, settings, name, owner)]));
}

function plainExample({ type, format, pattern, minimum }: Schema): unknown {
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'null') return null;
  if (type !== 'string') return {};
  if (format === 'date-time') return TIME;
  if (format === 'date') return DAY;
  // A JSON Pointer.
  if (pattern?.startsWith('^(/')) return '/number';
  const prefix = /^\^(\w+)_/.exec(String(pattern))?.[1];
  return prefix !== undefined ? `${prefix}_${ID}` : String(pattern).startsWith('^sha256:') ? HASH : 'text';
}

function fits(sample: unknown, schema: Schema, settings: ExampleSettings): boolean {
  if (schema.$ref !== undefined) return fits(sample, component(schema.$ref, settings.schemas).schema, settings);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return variants.some((variant) => fits(sample, variant, settings));
  if ('const' in schema) return sample === schema.const;
  if (schema.enum) return schema.enum.includes(sample);
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(String(sample))) return false;
  if (schema.format !== undefined && schema.format !== 'uri') return false;
  if (schema.type === undefined) return true;
  const kind = sample === null ? 'null' : Array.isArray(sample) ? 'array' : typeof sample;
  if (schema.type === 'object') return kind === 'object' && schema.properties === undefined;
  return kind === schema.type || (kind === 'number' && schema.type === 'integer');
}
