import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { elementsAt, endOf, membersAt } from '../../../packages/client/src/json-text.ts';
import { JsonFault, LEVELS_MAX, parseJson, placeOf } from '../../src/json/parse.ts';
import { matches, openAtFirst, rowOf, shownRows } from '../../src/json/rows.ts';
import { JsonTree } from '../../src/json/tree.ts';

function treeOf(text: string): JsonTree {
  const tree = parseJson(text);
  if (tree instanceof JsonFault) throw new Error(tree.message);
  return tree;
}

/** Rebuilds the value of JSON.parse from the tree alone. */
function madeOf(tree: JsonTree, node = 0): unknown {
  const children: number[] = [];
  for (let child = node + 1; child < tree.after(node); child = tree.after(child)) children.push(child);
  expect(children).toHaveLength(tree.children(node));
  if (tree.kind(node) === 'array') return children.map((child) => madeOf(tree, child));
  if (tree.kind(node) === 'object') {
    const made: Record<string, unknown> = {};
    for (const child of children)
      Object.defineProperty(made, tree.key(child) ?? '', {
        value: madeOf(tree, child),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    return made;
  }
  return tree.kind(node) === 'string' ? tree.value(node) : JSON.parse(tree.raw(node));
}

const accepted = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const spaced = fc
  .tuple(fc.jsonValue({ noUnicodeString: false, maxDepth: 5 }), fc.constantFrom('', ' ', '\t', '   '), fc.constantFrom('', ' ', '\r\n \t'))
  .map(([value, indent, around]) => around + JSON.stringify(value, null, indent) + around);

describe('a text is read as JSON.parse reads it', () => {
  test('whatever value it has', () => {
    fc.assert(
      fc.property(spaced, (text) => {
        expect(madeOf(treeOf(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('and refused where JSON.parse refuses it', () => {
    const broken = fc
      .tuple(spaced, fc.nat(), fc.nat(3), fc.constantFrom('', ',', '"', '\\', ']', '{', '0', '-', '.', 'e', '\n', 'x', ' '))
      .map(([text, at, cut, put]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + put + text.slice(place + cut);
      });
    fc.assert(
      fc.property(fc.oneof(broken, fc.string()), (text) => {
        expect(parseJson(text) instanceof JsonTree).toBe(accepted(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '',
    ' ',
    '01',
    '1.',
    '.5',
    '-',
    '+1',
    '1e',
    '[1,]',
    '[,1]',
    '{,}',
    '{"a":1,}',
    '{"a"}',
    '{1:2}',
    "{'a':1}",
    '"\t"',
    '"\\x"',
    '"\\u12"',
    'nul',
    '[1 2]',
    '1 2',
    '{"a":1]',
    '\u00a01',
    '\ufeff1',
    'NaN',
    '"',
    '[',
    '{"a":',
  ])('refuses %j', (text) => {
    expect(accepted(text)).toBe(false);
    const fault = parseJson(text);
    expect(fault).toBeInstanceOf(JsonFault);
    expect((fault as JsonFault).at).toBeLessThanOrEqual(text.length);
  });
});

test('what JSON.parse loses is kept', () => {
  const text = '{"b":12345678901234567890123,"a":1.0,"a":-0,"__proto__":1E+2,"":"\\u0041\\/"}';
  const tree = treeOf(text);
  const members = [1, 2, 3, 4, 5].map((node) => [tree.key(node), tree.raw(node)]);
  expect(members).toEqual([
    ['b', '12345678901234567890123'],
    ['a', '1.0'],
    ['a', '-0'],
    ['__proto__', '1E+2'],
    ['', '"\\u0041\\/"'],
  ]);
  expect(tree.value(5)).toBe('A/');
  expect(tree.raw(0)).toBe(text);
});

test('a JSON Pointer leads to its place, or as far as there is one', () => {
  const tree = treeOf('{"a/b":[10,{"~":true}],"x":1,"x":{"y":2}}');
  for (let node = 0; node < tree.size; node++) if (tree.raw(node) !== '1') expect(tree.find(tree.pointer(node))).toBe(node);
  expect(tree.pointer(tree.find('/a~1b/1/~0'))).toBe('/a~1b/1/~0');
  expect(tree.raw(tree.find('/x'))).toBe('{"y":2}');
  expect(tree.pointer(tree.find('/a~1b/1/nothing/there'))).toBe('/a~1b/1');
  expect(tree.find('')).toBe(0);
});

test('a fault has a line, a column and a reason', () => {
  const text = '{\n  "a": 1\n  "b": 2\n}';
  const fault = parseJson(text) as JsonFault;
  expect(fault.message).toBe('Expected a comma or }.');
  expect(placeOf(text, fault.at)).toEqual({ line: 3, column: 3 });
});

test('depth neither overflows the stack nor goes beyond what the API carries', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const tree = treeOf(nested(LEVELS_MAX));
  expect(tree.level(tree.size - 1)).toBe(LEVELS_MAX);
  expect(tree.pointer(tree.size - 1)).toBe('/0'.repeat(LEVELS_MAX - 1));
  expect((parseJson(nested(LEVELS_MAX + 1)) as JsonFault).message).toContain('Nested deeper');
  expect(parseJson('['.repeat(1_000_000))).toBeInstanceOf(JsonFault);
});

test('a megabyte of the smallest values is read, shown and searched without delay', () => {
  const text = `[${'1,'.repeat(524_000)}7]`;
  const begun = performance.now();
  const tree = treeOf(text);
  expect(tree.size).toBe(524_002);
  expect(shownRows(tree, new Set([0]))).toHaveLength(524_002);
  expect(matches(tree, '7')).toEqual([524_001]);
  expect(tree.find('/524000')).toBe(524_001);
  // Parsing takes a fifth of a second. A quadratic step would take minutes.
  expect(performance.now() - begun).toBeLessThan(30_000);
});

describe('rows', () => {
  const tree = treeOf('{"a":{"b":{"c":1}},"d":[1,2,3]}');

  test('are those whose ancestors are all open', () => {
    expect([...shownRows(tree, new Set())]).toEqual([0]);
    expect([...shownRows(tree, new Set([0, 4]))]).toEqual([0, 1, 4, 5, 6, 7]);
    expect([...shownRows(tree, new Set([0, 2]))]).toEqual([0, 1, 4]);
  });

  test('are opened level by level at first', () => {
    expect([...openAtFirst(tree, 100)]).toEqual([0, 1, 4, 2]);
    expect([...openAtFirst(tree, 4)]).toEqual([0]);
    expect([...openAtFirst(tree, 1)]).toEqual([0]);
  });

  test('are found by their node', () => {
    const rows = shownRows(tree, new Set([0, 4]));
    expect([...rows].map((node) => rowOf(rows, node))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('match by key or value, in any case, and by what escapes mean', () => {
    const fruit = treeOf('{"Äpfel":["rot","GR\\u00dcN"],"x":"a.b","y":"axb","n":1.50}');
    expect(matches(fruit, 'äpf')).toEqual([1]);
    expect(matches(fruit, 'grün')).toEqual([3]);
    expect(matches(fruit, 'a.b')).toEqual([4]);
    expect(matches(fruit, '1.50')).toEqual([6]);
    expect(matches(fruit, '')).toEqual([]);
  });
});

test('parts of a text are found without reading them', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom('', ' ', '\n\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const found = [...membersAt(text, 0)].map(([key, [start, end]]) => [key, JSON.parse(text.slice(start, end))]);
      expect(found).toEqual(Object.entries(JSON.parse(text)));
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom('', ' '), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(elementsAt(text, 0).map(([start, end]) => JSON.parse(text.slice(start, end)))).toEqual(JSON.parse(text));
      expect(endOf(text, 0)).toBe(text.length);
    }),
  );
});
