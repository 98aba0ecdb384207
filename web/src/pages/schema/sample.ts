import { useQuery } from '@tanstack/react-query';
import { membersAt } from '../../../../packages/client/src/json-text.ts';
import { useActiveBusiness } from '../../api/business.ts';
import { call, textOf } from '../../api/client.ts';
import { keyOf } from '../../api/queries.ts';
import { formatted } from '../../json/formatted.ts';

const RECENT_MESSAGES = 5;
const LEVELS_MAX = 8;

/** Returns the JSON of the newest of the last few messages that has any. Null: none has. */
export function useNewestJson() {
  useActiveBusiness();
  return useQuery({
    queryKey: [...keyOf('GET /v1/inbox', {}), 'newest json'],
    queryFn: async ({ signal }) => {
      const { data } = await call('GET /v1/inbox', { query: { limit: RECENT_MESSAGES, include: 'summary' } }, { signal });
      const newest = data.find(({ json_sha256 }) => json_sha256 !== null);
      if (!newest) return null;
      const message = await textOf('GET /v1/messages/{id}', { path: { id: newest.id } }, { signal });
      return formatted(message.slice(...(membersAt(message, 0).get('json') ?? [0, 0])));
    },
  });
}

/** Returns a value of the shape that a schema describes. The value may still fail the check. */
export function sampleFor(schemaText: string): string {
  let schema: unknown;
  try {
    schema = JSON.parse(schemaText);
  } catch {
    return '{}';
  }
  return JSON.stringify(valueFor(schema, schema, 0), null, 2);
}

/** The keywords that a value is made from. The schema is unchecked, so each may hold anything. */
interface Part {
  $ref?: unknown;
  const?: unknown;
  default?: unknown;
  examples?: unknown;
  enum?: unknown;
  anyOf?: unknown;
  oneOf?: unknown;
  allOf?: unknown;
  type?: unknown;
  format?: unknown;
  minLength?: unknown;
  maxLength?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  items?: unknown;
  properties?: unknown;
}

const FORMATS: Record<string, string> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'ann@example.com',
  uri: 'https://example.com/',
  uuid: '7f9c24e8-3b12-4fef-91e0-56a2d5a0c1de',
};

function valueFor(schema: unknown, root: unknown, level: number): unknown {
  if (typeof schema !== 'object' || schema === null || level > LEVELS_MAX) return {};
  const part: Part = schema;
  const given = [part.const, part.default, first(part.examples), first(part.enum)].find((value) => value !== undefined);
  if (given !== undefined) return given;
  if (typeof part.$ref === 'string') return valueFor(inside(root, part.$ref), root, level + 1);
  const choice = first(part.anyOf) ?? first(part.oneOf) ?? first(part.allOf);
  const type = typeof part.type === 'string' ? part.type : first(part.type);
  if (type === undefined && choice !== undefined && part.properties === undefined) return valueFor(choice, root, level + 1);
  switch (type) {
    case 'array':
      return part.items === undefined ? [] : [valueFor(part.items, root, level + 1)];
    case 'string':
      return FORMATS[String(part.format)] ?? 'text'.padEnd(Number(part.minLength ?? 0), '.').slice(0, Number(part.maxLength ?? 100));
    case 'integer':
    case 'number':
      return Number(part.minimum ?? part.maximum ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default: {
      const properties = Object.entries(part.properties ?? {});
      return Object.fromEntries(properties.map(([name, inner]) => [name, valueFor(inner, root, level + 1)]));
    }
  }
}

function first(values: unknown): unknown {
  return Array.isArray(values) ? values[0] : undefined;
}

/** Arrays count, too, because a reference may name an item by its index. */
function hasMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function inside(root: unknown, reference: string): unknown {
  const names = decodeURIComponent(reference.replace(/^#/, '')).split('/').slice(1);
  return names.reduce<unknown>(
    (part, name) => (hasMembers(part) ? part[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    root,
  );
}
