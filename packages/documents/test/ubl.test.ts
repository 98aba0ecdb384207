import { describe, expect, test } from 'vitest';
import { documentType, type Schema, toUbl, UBL_TYPES } from '../src/index.ts';
import { type ReadDocument, readDocument } from '../src/read-file.ts';
import type { Binding } from '../src/ubl/binding.ts';
import { UBL_DOCUMENTS } from '../src/ubl/documents.ts';

const sampleOf = (type: string) => (documentType(type)?.samples[0] ?? expect.fail()) as Record<string, unknown>;
const read = (text: string, name = 'file.xml', type?: string) => {
  const found = readDocument(name, text, type);
  if ('problem' in found) return expect.fail(found.problem);
  return { type: found.type, json: JSON.parse(found.json) };
};
const problemOf = (found: ReadDocument) => ('problem' in found ? found.problem : expect.fail(found.json));

/** A document as UBL has it: numbers are text, and there are no handles. */
function inUbl(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inUbl);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (name === 'handle' ? [] : [[name, inUbl(one)]])));
}

test.each(UBL_TYPES)('the sample of %s comes back from UBL', (type) => {
  const sample = sampleOf(type);
  const xml = toUbl(type, JSON.stringify(sample)) ?? expect.fail();
  const { json, ...found } = read(xml);
  const { payable, ...others } = json;
  // An order has no amount to pay, and UBL demands one.
  expect(payable).toBe(sample['payable'] ?? sample['total']);
  expect({ ...found, json: type === 'order' ? others : json }).toEqual({ type, json: inUbl(sample) });
});

/** The paths of elements to each property, without those of the object around it. */
function pathsOf(bindings: readonly Binding[], at = '', from = ''): [property: string, path: string][] {
  return bindings.flatMap((binding): [string, string][] => {
    const path = from === '' ? binding.element : `${from}/${binding.element}`;
    if (binding.kind === 'fixed') return [];
    if (binding.kind === 'leaf') return [[`${at}/${binding.property}`, path]];
    const { property, children } = binding;
    return property === undefined ? pathsOf(children, at, path) : [[`${at}/${property}`, path], ...pathsOf(children, `${at}/${property}`)];
  });
}

test.each(UBL_DOCUMENTS.map((one) => [one.type, one] as const))(
  '%s: each property with an element in the catalogue has it in UBL',
  (type, { bindings }) => {
    const paths = new Map<string, string[]>();
    for (const [property, path] of pathsOf(bindings)) paths.set(property, [...(paths.get(property) ?? []), path]);
    const root = documentType(type)?.schema ?? expect.fail();
    const missing: string[] = [];
    const check = (schema: Schema, at: string) => {
      const { $ref = '', items, ...own } = schema;
      const part = root.$defs?.[$ref.replace('#/$defs/', '')];
      for (const [name, one] of Object.entries({ ...part?.properties, ...own.properties })) {
        const [, element] = /UBL: ([^ ]+?)(\.$| with )/.exec(one.description ?? '') ?? [];
        const [last] = element?.replace('/@unitCode', '').split('/').slice(-1) ?? [];
        const found = paths.get(`${at}/${name}`) ?? [];
        const isUnit = element?.endsWith('@unitCode') ?? false;
        if (last !== undefined && !isUnit && !found.some((path) => path.includes(last) || element?.startsWith(path)))
          missing.push(`${at}/${name}: ${element}`);
        check(one, `${at}/${name}`);
      }
      if (items) check(items, at);
    };
    check(root, '');
    expect(missing).toEqual([]);
  },
);

test('texts of strangers stay texts', () => {
  const xml =
    toUbl('invoice', JSON.stringify({ number: '</cbc:ID><x>&"\u0000', currency: '"><y', total: '1', lines: [{ name: '<![CDATA[' }] })) ??
    '';
  expect(read(xml).json).toMatchObject({ number: '</cbc:ID><x>&"\u{fffd}', currency: '"><y', lines: [{ name: '<![CDATA[' }] });
  for (const json of ['null', '[]', '{"lines":5,"taxes":{"a":1},"seller":[]}', '{"lines":[null,1,[]]}'])
    expect(toUbl('order', json)).toContain('<Order ');
  expect(toUbl('order', '{')).toBeUndefined();
  expect(toUbl('despatch', '{}')).toBeUndefined();
});

describe('files that can’t be read have a problem', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "${'x'.repeat(1_000)}"><!ENTITY b "&a;&a;">]><x>&b;</x>`;
  test.each([
    ['an entity', bomb, /document type declaration/],
    ['an external entity', '<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>', /document type declaration/],
    ['an unknown entity', '<x>&nope;</x>', /not well-formed/],
    ['XML without an end', '<a><b>', /not well-formed/],
    ['deep XML', '<a>'.repeat(1_000), /too many/],
    ['many elements', `<a>${'<b/>'.repeat(500_000)}</a>`, /too many/],
    ['long XML', `<a>${'x'.repeat(4_000_000)}</a>`, /more than/],
    ['other XML', '<html xmlns="http://www.w3.org/1999/xhtml"/>', /no order, invoice or credit note/],
    ['an empty file', ' \n', /empty/],
    ['a picture', '\u{fffd}PNG', /neither/],
    ['half of JSON', '{"a":', /not JSON/],
    ['a list', '[1]', /list/],
  ])('%s', (_, text, problem) => {
    expect(problemOf(readDocument('file.dat', text))).toMatch(problem);
  });

  test('CSV', () => {
    for (const [text, problem] of [
      ['a,b', /needs a row/],
      ['a\n"b', /quote/],
      [`a\n${'b\n'.repeat(20_000)}`, /10,000/],
      [`${'a,'.repeat(300)}\n1`, /columns/],
    ] as const)
      expect(problemOf(readDocument('lines.csv', text))).toMatch(problem);
  });
});

describe('tables and JSON', () => {
  test('CSV fills the lines by labels or names', () => {
    expect(
      read('\u{feff}Description,quantity,PRICE,Our code\r\n"Bolt, ""M8""",200,3.150,\'=x\r\n\r\nNut,,1,\r\n', 'lines.csv', 'invoice'),
    ).toEqual({
      type: 'invoice',
      json: {
        lines: [
          { name: 'Bolt, "M8"', quantity: '200', price: '3.150', 'Our code': '=x' },
          { name: 'Nut', price: '1' },
        ],
      },
    });
    expect(read('name;quantity\nBolt;1\n__proto__;2', 'lines.csv').json.lines[1]).toEqual({ name: '__proto__', quantity: '2' });
  });

  test('JSON stays as it was written', () => {
    expect(readDocument('order.json', '{"number": 1.0}', 'order')).toEqual({ type: 'order', json: '{"number": 1.0}' });
  });
});
