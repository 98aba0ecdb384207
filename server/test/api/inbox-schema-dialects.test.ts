import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
});
afterAll(() => service.stop());

async function verdicts(schema: unknown, ...instances: unknown[]): Promise<string[]> {
  const set = await acme.api.write('PUT', '/inbox/schema', { schema });
  expect(set.status, set.text).toBe(200);
  const responses = [];
  for (const json of instances) responses.push((await acme.api.send({ to: 'acme', json })).body.validation.status);
  return responses;
}

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_6 = 'http://json-schema.org/draft-06/schema#';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const TUPLE_OF_TEXT = { items: [{ type: 'string' }], additionalItems: false };

describe('what a keyword means depends on the dialect', () => {
  test.each<[string, unknown, unknown, unknown]>([
    ['draft 4: exclusiveMinimum is a boolean', { $schema: DRAFT_4, minimum: 1, exclusiveMinimum: true }, 2, 1],
    [
      'draft 4: id, and definitions',
      { $schema: DRAFT_4, id: 'http://x/y', $ref: '#/definitions/a', definitions: { a: { type: 'null' } } },
      null,
      1,
    ],
    ['draft 4: const is not a keyword yet', { $schema: DRAFT_4, const: 1, type: 'number' }, 2, '2'],
    ['draft 6: exclusiveMinimum is a number', { $schema: DRAFT_6, exclusiveMinimum: 1 }, 2, 1],
    ['draft 6: contains and const', { $schema: DRAFT_6, contains: { const: 1 } }, [0, 1], [0]],
    ['draft 6: if is not a keyword yet', { $schema: DRAFT_6, if: false, else: false, type: 'number' }, 1, 'x'],
    [
      'draft 7: if, then and else',
      { $schema: DRAFT_7, if: { minimum: 10 }, ['then' as string]: { multipleOf: 10 }, else: { multipleOf: 2 } },
      20,
      15,
    ],
    ['draft 7: items as a list', { $schema: DRAFT_7, ...TUPLE_OF_TEXT }, ['x'], ['x', 1]],
    [
      'draft 7: nothing counts beside $ref',
      { $schema: DRAFT_7, $ref: '#/definitions/a', maxItems: 0, definitions: { a: { minItems: 1 } } },
      [1],
      [],
    ],
    ['draft 7: dependencies', { $schema: DRAFT_7, dependencies: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    [
      '2019-09: what is beside $ref counts',
      { $schema: DRAFT_2019, $ref: '#/$defs/a', maxItems: 1, $defs: { a: { minItems: 1 } } },
      [1],
      [1, 2],
    ],
    ['2019-09: items as a list', { $schema: DRAFT_2019, ...TUPLE_OF_TEXT }, ['x'], ['x', 1]],
    [
      '2019-09: unevaluatedProperties',
      { $schema: DRAFT_2019, allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1 },
      { b: 1 },
    ],
    [
      '2019-09: $recursiveRef',
      { $schema: DRAFT_2019, $recursiveAnchor: true, properties: { c: { items: { $recursiveRef: '#' } } }, required: ['c'] },
      { c: [{ c: [] }] },
      { c: [{}] },
    ],
    ['2019-09: minContains and dependentRequired', { $schema: DRAFT_2019, contains: { const: 1 }, minContains: 2 }, [1, 1], [1]],
    ['2020-12: prefixItems', { $schema: DRAFT_2020, prefixItems: [{ type: 'string' }], items: false }, ['x'], ['x', 1]],
    [
      '2020-12: $dynamicRef',
      { $schema: DRAFT_2020, $dynamicAnchor: 'n', properties: { c: { items: { $dynamicRef: '#n' } } }, required: ['c'] },
      { c: [{ c: [] }] },
      { c: [{}] },
    ],
    ['2020-12 is what no $schema means', { prefixItems: [{ type: 'string' }], items: false }, ['x'], ['x', 1]],
  ])('%s', async (_name, schema, good, bad) => expect(await verdicts(schema, good, bad)).toEqual(['passed', 'failed']));
});

test('a dialect is known with # at the end or without, by http or https', async () => {
  for (const dialect of [DRAFT_4, DRAFT_6, DRAFT_7, DRAFT_2019, DRAFT_2020]) {
    const plain = dialect.replace(/#$/, '');
    for (const $schema of [plain, `${plain}#`, plain.replace(/^https?/, 'http'), plain.replace(/^https?/, 'https')]) {
      expect(await verdicts({ $schema, type: 'string' }, 'x', 1), $schema).toEqual(['passed', 'failed']);
    }
  }
});

test('a schema may refer to the meta-schemas of the dialects, which are never fetched', async () => {
  for (const dialect of [DRAFT_4, DRAFT_6, DRAFT_7, DRAFT_2019, DRAFT_2020]) {
    expect(await verdicts({ $schema: dialect, $ref: dialect }, { type: 'string' }, { type: 'text' }), dialect).toEqual([
      'passed',
      'failed',
    ]);
  }
});

describe('formats are checked', () => {
  test.each<[string, string, string]>([
    ['date-time', '2026-02-28T12:00:00Z', '2026-02-30T12:00:00Z'],
    ['date', '2024-02-29', '2023-02-29'],
    ['time', '23:59:59Z', '25:00:00Z'],
    ['duration', 'P1DT2H', '1 day'],
    ['email', 'joe@example.com', 'joe'],
    ['idn-email', 'jörg@bücher.example', 'jörg'],
    ['hostname', 'example.com', '-example.com'],
    ['idn-hostname', 'bücher.example', 'bü cher'],
    ['ipv4', '192.0.2.1', '192.0.2.256'],
    ['ipv6', '2001:db8::1', '2001:db8::g'],
    ['uri', 'https://example.com/a?b#c', '/a'],
    ['uri-reference', '../a', '\\a'],
    ['iri', 'https://bücher.example/ä', 'ä'],
    ['iri-reference', '/ä', '\\ä'],
    ['uri-template', '/a/{b}', '/a/{b'],
    ['uuid', '2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8aa08'],
    ['json-pointer', '/a~1b/0', 'a'],
    ['relative-json-pointer', '1/a', '/a'],
    ['regex', '^a(b|c)$', '('],
  ])('%s', async (format, good, bad) => expect(await verdicts({ format }, good, 1, bad)).toEqual(['passed', 'passed', 'failed']));

  test('an unknown one is ignored', async () => {
    expect(await verdicts({ format: 'colour' }, 'x')).toEqual(['passed']);
  });
});

describe('patterns mean what ECMAScript says', () => {
  test.each<[string, string, string]>([
    ['^\\d{3}-[a-z]+$', '123-abc', '12-abc'],
    ['a.c', 'abc', 'a\nc'],
    ['^a.c$', 'a😀c', 'a\u2028c'],
    ['^\\s$', '\u00a0', 'x'],
    ['^[\\s,]+$', ',\ufeff', 'x'],
    ['^[^\\S]$', '\u3000', 'x'],
    ['^\\S+$', 'x', '\u00a0'],
    ['^\\p{Lu}\\p{Letter}+$', 'Äbc', 'abc'],
    ['^\\p{Script=Greek}+$', 'αβγ', 'abc'],
    ['^\\u0041\\x42\\u{43}$', 'ABC', 'abc'],
    ['^\\ud83d\\ude00$', '😀', 'x'],
    ['^(?<year>\\d{4})$', '2026', '26'],
    ['^[\\w\\-\\.]+@[\\w.-]+$', 'a-b.c@d-e.f', 'a b@c'],
    ['^\\/path\\-x$', '/path-x', 'path'],
    ['^[^]$', '\n', 'ab'],
    ['^[[\\]]$', '[', 'x'],
    ['^a{2,3}?$', 'aaa', 'a'],
    ['\\bword\\b', 'a word!', 'swords'],
    ['^\\cJ\\0\\v$', '\n\0\v', 'x'],
    ['^x|y$', 'xz', 'z'],
    ['^$', '', 'x'],
  ])('%s', async (pattern, good, bad) => {
    expect([new RegExp(pattern, '').test(bad)]).toEqual([false]);
    expect(await verdicts({ pattern }, good, bad)).toEqual(['passed', 'failed']);
  });
});

test('numbers are judged by the decimals that were written', async () => {
  expect(await verdicts({ multipleOf: 0.01 }, 0.29, 19.99, 1e20, 0.295)).toEqual(['passed', 'passed', 'passed', 'failed']);
  expect(await verdicts({ type: 'integer' }, 1, 1.5)).toEqual(['passed', 'failed']);
});

test('text is measured in code points', async () => {
  expect(await verdicts({ minLength: 2, maxLength: 2 }, '😀😀', 'ab', '😀', 'abc')).toEqual(['passed', 'passed', 'failed', 'failed']);
});
