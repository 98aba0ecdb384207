import { JsonObject, parseLossless, writeLossless } from '@waybill/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editJson, editObject } from '../src/index.ts';

const ORDER = `{ "number" :"PO-1",
   "x": 1.0,  "x": 12345678901234567890,
  "lines": [ {"name": "A", "quantity": 2.50}, {"name":"B"} ]
}
`;

describe('an edit keeps every character that it is not about', () => {
  test.each([
    ['a text', { path: '/number', value: '"PO-2"' }, ORDER.replace('"PO-1"', '"PO-2"')],
    ['a number in a row', { path: '/lines/0/quantity', value: '3' }, ORDER.replace('2.50', '3')],
    ['the last of repeated members', { path: '/x', value: '7' }, ORDER.replace('12345678901234567890', '7')],
    ['a row that goes', { path: '/lines/0', value: undefined }, ORDER.replace('{"name": "A", "quantity": 2.50}, ', '')],
    ['a row that goes last', { path: '/lines/1', value: undefined }, ORDER.replace(', {"name":"B"}', '')],
    ['a new value in a row', { path: '/lines/1/unit', value: '"C62"' }, ORDER.replace('{"name":"B"}', '{"name":"B","unit":"C62"}')],
    ['a new row', { path: '/lines/2/name', value: '"C"' }, ORDER.replace('{"name":"B"} ', '{"name":"B"}, {\n    "name": "C"\n  } ')],
    ['nothing there', { path: '/none', value: undefined }, ORDER],
  ])('%s', (_, edit, expected) => {
    expect(JSON.parse(editJson(ORDER, [edit]))).toEqual(JSON.parse(expected));
    if (edit.path !== '/lines/2/name') expect(editJson(ORDER, [edit])).toBe(expected);
  });

  test('a compact text stays compact', () => {
    expect(editJson('{"a":1}', [{ path: '/b/c', value: '2' }])).toBe('{"a":1,"b":{"c":2}}');
    expect(editJson('{"a": 1, "b": 2}', [{ path: '/c', value: '3' }])).toBe('{"a": 1, "b": 2, "c": 3}');
    expect(editJson('{"a":1}', [{ path: '/a', value: undefined }])).toBe('{}');
  });
});

test('nothing becomes a document with a line for each value', () => {
  const edits = [
    { path: '/number', value: '"1"' },
    { path: '/buyer/address/country', value: '"DE"' },
    { path: '/lines/0/name', value: '"A"' },
    { path: '/lines/0/quantity', value: '2' },
  ];
  const document = { number: '1', buyer: { address: { country: 'DE' } }, lines: [{ name: 'A', quantity: 2 }] };
  expect(editJson('', edits)).toBe(JSON.stringify(document, null, 2));
  expect(edits.reduce((text, edit) => editJson(text, [edit]), '{}')).toBe(JSON.stringify(document, null, 2));
});

test('new members stand where the order wants them', () => {
  const orderOf = () => ['a', 'b', 'c'];
  expect(
    editJson(
      '{"b":1,"own":2}',
      [
        { path: '/c', value: '3' },
        { path: '/a', value: '0' },
      ],
      orderOf,
    ),
  ).toBe('{"a":0,"b":1,"c":3,"own":2}');
});

test('names of JSON Pointers, and those that objects have of their own', () => {
  expect(editJson('{"a/b":{"~":1}}', [{ path: '/a~1b/~0', value: '2' }])).toBe('{"a/b":{"~":2}}');
  expect(editJson('{}', [{ path: '/__proto__', value: '{"x":1}' }])).toBe('{\n  "__proto__": {"x":1}\n}');
  expect(editJson('{"\\u0061":1}', [{ path: '/a', value: '2' }])).toBe('{"\\u0061":2}');
});

test('an edit of any JSON is what the edit of its value is', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.string(),
      fc.jsonValue(),
      fc.constantFrom(0, 1, 3),
      (object, key, value, spaces) => {
        const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const text = JSON.stringify(object, null, spaces);
        const edited = editJson(text, [{ path, value: JSON.stringify(value) }]);
        const expected = new Map([...Object.entries(JSON.parse(text)), [key, JSON.parse(JSON.stringify(value))]]);
        expect(new Map(Object.entries(JSON.parse(edited)))).toEqual(expected);
        expect(writeLossless(parseLossless(editJson(edited, [{ path, value: undefined }])))).toBe(
          JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).filter(([name]) => name !== key))),
        );
      },
    ),
  );
});

test('an object is changed as its text is', () => {
  const name = fc.constantFrom('a', 'b', 'c/~', '0', '1', '7', '__proto__');
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, fc.constantFrom(1, 'x', null, false), fc.array(tie('any'), { maxLength: 3 }), tie('object')),
    object: fc.array(fc.tuple(name, tie('any')), { maxLength: 4 }).map((members) => ({ members })),
  }));
  const written = (one: unknown): string => {
    if (Array.isArray(one)) return `[${one.map(written).join()}]`;
    if (typeof one !== 'object' || one === null || !('members' in one) || !Array.isArray(one.members)) return JSON.stringify(one);
    return `{${one.members.map(([key, inner]) => `${JSON.stringify(key)}:${written(inner)}`).join()}}`;
  };
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.map((one) => `/${one.replace('/~', '~1~0')}`).join(''));
  const edits = fc.array(fc.record({ path, value: fc.constantFrom('1.0', '"y"', '{"a":[]}', undefined) }), { maxLength: 4 });
  const orderOf = () => ['c/~', 'b', 'a'];
  fc.assert(
    fc.property(value.object, edits, (object, changes) => {
      const text = written(object);
      const document = parseLossless(text);
      if (!(document instanceof JsonObject)) return expect.fail();
      expect(writeLossless(editObject(document, changes, orderOf))).toBe(writeLossless(parseLossless(editJson(text, changes, orderOf))));
    }),
    { numRuns: 1_000 },
  );
});
