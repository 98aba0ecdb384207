import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import type { Database } from '../../src/platform/postgres/postgres.ts';
import {
  type Columns,
  columns,
  declaredStatements,
  json,
  oneOf,
  type RowOf,
  type Statement,
} from '../../src/platform/postgres/statement.ts';
import { createDatabase } from '../support/service.ts';
import { Describer, differences } from '../support/statement-check.ts';

const SOURCES = path.resolve(import.meta.dirname, '../../src');
const files = globSync('**/*.ts', { cwd: SOURCES }).toSorted();
const stores = files.filter((file) => /(^|[/-])store\.ts$/.test(file) && file.startsWith('modules/'));
const textOf = (file: string) => readFileSync(path.join(SOURCES, file), 'utf8');

let describer: Describer;
let statements: Statement[];

beforeAll(async () => {
  describer = new Describer(await createDatabase());
  await describer.open();
  for (const store of [...stores, 'followers.ts']) await import(path.join(SOURCES, store));
  statements = [...declaredStatements()];
});

afterAll(() => describer.close());

async function problemsOf(text: string, declared: Columns): Promise<string[]> {
  return describer.describe(text).then(
    (described) => differences(declared, described),
    (error: Error) => [error.message],
  );
}

describe('every statement', () => {
  test('can be prepared on the real schema, and returns the columns that it declares', async () => {
    expect(statements.length).toBeGreaterThan(600);
    const wrong: { text: string; problems: string[] }[] = [];
    for (const { text, columns } of statements) {
      const problems = await problemsOf(text, columns);
      if (problems.length > 0) wrong.push({ text, problems });
    }
    expect(wrong).toEqual([]);
  });

  test('of a store is declared when the store is loaded', () => {
    expect(stores).toContain('modules/messages/store.ts');
    const calls = stores.flatMap((store) => [...textOf(store).matchAll(/^.*(?<!\w)(statement|prepared|variants)\(.*$/gm)].map(String));
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.filter((line) => !/^const [A-Z_]+ = /.test(line))).toEqual([]);
    expect(stores.filter((store) => !/ from '.*\/platform\/postgres\/statement\.ts';/.test(textOf(store)))).toEqual([]);
  });

  test('casts the parameters that it passes to a function of ours, whose types are unknown on a node of Citus that has no such function yet', () => {
    const functions = globSync('*/*.sql', { cwd: path.join(SOURCES, '../sql') }).map((file) => path.basename(file, '.sql'));
    expect(functions).toContain('take_new_entries');
    // An argument may contain one nested call.
    const calls = new RegExp(`\\b(?:${functions.join('|')})\\(((?:[^()]|\\([^()]*\\))*)\\)`, 'g');
    const uncast = statements.flatMap(({ text }) =>
      [...text.matchAll(calls)].filter(([, args = '']) => /(?:^|,)\s*\$\d+\s*(?:,|$)/.test(args)).map(([call]) => call),
    );
    expect(uncast).toEqual([]);
  });

  test('with a name is the only one of that name', () => {
    const names = statements.flatMap(({ name }) => name ?? []);
    expect(names).toContain('caller-by-secret');
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  test('is passed to `query` as it was declared: no module runs SQL in another way', () => {
    // @ts-expect-error: text is no statement.
    expectTypeOf<Database['query']>().toBeCallableWith('SELECT');
    // @ts-expect-error: nor is what only looks like one.
    expectTypeOf<Database['query']>().toBeCallableWith({ name: undefined, text: 'SELECT', columns: {} });
    const outside = files.filter((file) => !file.startsWith('platform/'));
    expect(outside.filter((file) => !stores.includes(file) && /\.query\b[<(]/.test(textOf(file)))).toEqual([]);
    const otherWays = /\bqueryText\b|\bTextQueryable\b|\bwithSession\b|\btransactionOn\b|\.pool\b|import (?!type )[^;]*from 'pg'/;
    // better-auth composes its own statements.
    const users = ['modules/accounts/better-auth.ts'];
    expect(outside.filter((file) => otherWays.test(textOf(file)))).toEqual(users);
  });
});

describe('a declaration is wrong', () => {
  const TEXT = `SELECT p.id, p.handle, p.display_name AS name, k.scope, count(*) OVER () AS total FROM parties p JOIN api_keys k ON k.party_id = p.id`;
  const right = {
    id: 'bigint',
    handle: 'text?',
    name: 'text',
    scope: oneOf('key_scope', ['read', 'read_write']),
    total: 'bigint',
  } as const;

  test('unless it has each column with its type, in any order', async () => {
    expect(await problemsOf(TEXT, right)).toEqual([]);
    expect(await problemsOf(TEXT, Object.fromEntries(Object.entries(right).reverse()))).toEqual([]);
    expect(await problemsOf(TEXT, { ...right, handle: 'text!' })).toEqual([]);
  });

  const { total: _, ...withoutTotal } = right;
  test.each<[string, Columns, string]>([
    ['without a column that is returned', withoutTotal, 'total is returned, but not declared'],
    ['with a column that is not returned', { ...right, domain: 'text?' }, 'domain is declared, but not returned'],
    ['with another type', { ...right, id: 'integer' }, 'id is declared as integer, but has the type bigint'],
    ['with another type of an enum', { ...right, scope: 'text' }, 'scope is declared as text, but has the type key_scope'],
    [
      'with other labels of an enum',
      { ...right, scope: oneOf('key_scope', ['read']) },
      'scope is declared as one of read, but is one of read,read_write',
    ],
    ['with a null that it does not expect', { ...right, handle: 'text' }, 'handle is declared as never null, but its table allows null'],
    ['with a null that its table forbids', { ...right, name: 'text?' }, 'name is declared as nullable, but its table does not allow null'],
    ['with a needless !', { ...right, name: 'text!' }, 'name is marked with !, but its table does not allow null'],
    ['with a ! of an expression', { ...right, total: 'bigint!' }, 'total is marked with !, but its table does not allow null'],
  ])('%s', async (_name, declared, problem) => {
    expect(await problemsOf(TEXT, declared)).toEqual([problem]);
  });

  test('with a column that is returned twice', async () => {
    expect(await problemsOf('SELECT id, id FROM parties', { id: 'bigint' })).toEqual(['id is returned twice']);
  });

  test('with a null that a subquery or RETURNING passes on', async () => {
    const problem = ['email is declared as never null, but its table allows null'];
    expect(await problemsOf('SELECT p.* FROM (SELECT email FROM parties OFFSET 0) p', { email: 'text' })).toEqual(problem);
    expect(await problemsOf('WITH p AS (DELETE FROM parties RETURNING email) SELECT email FROM p', { email: 'text' })).toEqual(problem);
  });

  test('but not with a null that an outer join can make', async () => {
    const text = 'SELECT s.segment FROM agents a LEFT JOIN segments s ON s.agent_id = a.id';
    expect(await problemsOf(text, { segment: 'text?' })).toEqual([]);
  });

  test('with a text that PostgreSQL refuses', async () => {
    expect(await problemsOf('SELECT nothing FROM parties', {})).toEqual(['column "nothing" does not exist']);
    expect(await problemsOf('SELECT; SELECT', {})).toEqual(['cannot insert multiple commands into a prepared statement']);
  });
});

describe('a row', () => {
  const sample = columns({
    uuid: 'uuid',
    text: 'text',
    bigint: 'bigint',
    numeric: 'numeric',
    integer: 'integer',
    smallint: 'smallint',
    float8: 'float8',
    boolean: 'boolean',
    timestamptz: 'timestamptz',
    bytea: 'bytea',
    texts: 'text[]',
    nothing: 'text?',
    certain: 'text!',
    role: oneOf('member_role?', ['owner', 'admin', 'member']),
    json: json<{ a: number }>(),
  });

  test('has the types that follow from its columns', () => {
    expectTypeOf<RowOf<typeof sample>>().toEqualTypeOf<{
      uuid: string;
      text: string;
      bigint: string;
      numeric: string;
      integer: number;
      smallint: number;
      float8: number;
      boolean: boolean;
      timestamptz: Date;
      bytea: Buffer;
      texts: string[];
      nothing: string | null;
      certain: string;
      role: 'owner' | 'admin' | 'member' | null;
      json: { a: number };
    }>();
  });

  test('has them when pg has read it, too', async () => {
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    const row: RowOf<typeof sample> = {
      uuid: id,
      text: 'a',
      bigint: '9223372036854775807',
      numeric: '1.50',
      integer: 1,
      smallint: 2,
      float8: 0.5,
      boolean: true,
      timestamptz: new Date(0),
      bytea: Buffer.from('a'),
      texts: ['a', 'b'],
      nothing: null,
      certain: 'a',
      role: 'owner',
      json: { a: 1 },
    };
    const text = `SELECT '${id}'::uuid, 'a'::text, 9223372036854775807 AS bigint, 1.50 AS numeric, 1 AS integer, 2::smallint AS smallint, 0.5::float8,
      true AS boolean, to_timestamp(0) AS timestamptz, 'a'::bytea, '{a,b}'::text[] AS texts, NULL AS nothing, 'a' AS certain,
      'owner'::member_role AS role, '{"a":1}'::json`;
    expect(await describer.row(text)).toEqual(row);
    expect(differences({ ...sample, certain: 'text' }, await describer.describe(text))).toEqual([]);
  });
});
