import { expect, test } from 'vitest';
import { serialize } from '../../src/http/serialize.ts';

const long = <T>(item: T) => Array.from({ length: 30 }, () => item);
const bodies: unknown[] = [
  {},
  { data: [] },
  { data: long({ a: '漢', at: new Date(0), none: undefined }), next_cursor: null },
  { before: 1, data: long(undefined), none: undefined, after: { x: long([]) } },
  { data: long(null), other: long('ﷺ '.repeat(5_000)) },
  { 'a "name"': long('"\n\ud800') },
  [1, 2],
  null,
  'text',
  'x'.repeat(200_000),
];

test.each(bodies.map((body) => [body]))('writes what JSON.stringify writes', async (body) => {
  const written = await serialize(body);
  expect(String(written)).toBe(typeof body === 'string' ? body : JSON.stringify(body));
});
