import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { JOBS } from '../../src/contract/jobs-and-channels.ts';
import { ENTRY_FOLLOWERS, FOLLOWERS } from '../../src/followers.ts';
import { SCHEMA_FOLDERS } from '../../src/platform/migrations/migrate.ts';
import { functionsIn } from '../../src/platform/migrations/sql-functions.ts';
import { startTestService } from '../support/service.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FUNCTION_MAX_LINES = 70;
const functions = functionsIn(SCHEMA_FOLDERS.functions);
/** All SQL that is run: functions, and the statements of stores and the platform. */
const texts = [
  ...functions.map(({ sql }) => sql),
  ...globSync('server/src/**/*.ts', { cwd: ROOT }).map((file) => readFileSync(path.join(ROOT, file), 'utf8')),
];

function found(pattern: RegExp): string[] {
  const names = texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name as string));
  return [...new Set(names)].toSorted();
}

test('each file of server/sql creates the one function that it is named after, and says at its head what for', () => {
  expect(functions.length).toBeGreaterThan(20);
  const modules = readdirSync(path.join(ROOT, 'server/src/modules'));
  for (const { file, name, sql } of functions) {
    expect([...modules, 'platform'], file).toContain(path.dirname(file));
    expect(sql, file).toMatch(/^-- \S/);
    expect(
      [...sql.matchAll(/\bFUNCTION\s+(\w+)/g)].map(([, created]) => created),
      file,
    ).toEqual([name]);
    expect(sql, file).toContain(`CREATE OR REPLACE FUNCTION ${name}(`);
    expect(sql.split('\n').length - 1, file).toBeLessThanOrEqual(FUNCTION_MAX_LINES);
  }
  expect(new Set(functions.map(({ name }) => name)).size).toBe(functions.length);
});

test('a function that switches options of the planner off says at its head what a plan reads without, or what for', () => {
  const heads = functions.filter(({ sql }) => /SET enable_/.test(sql)).map(({ name, sql }) => [name, sql.split('AS $$')[0] ?? ''] as const);
  expect(heads.length).toBeGreaterThan(20);
  const lacking = heads.filter(([, head]) => !/^-- .*\bread (all )?[\d,]+ .* in place of [\d,]+/m.test(head)).map(([name]) => name);
  // Its nested loops are for the order of locks.
  expect(lacking).toEqual(['lock_ledgers']);
});

test('no index of all parties without a handle serves in place of the primary key', () => {
  const isServed = /\.id = \S+ (?:AND|WHERE) \w+\.handle IS (?:NOT )?NULL/;
  expect(functions.filter(({ sql }) => isServed.test(sql)).map(({ name }) => name)).toEqual([]);
});

test('migrations are numbered without a gap, and hold no function', () => {
  const names = readdirSync(SCHEMA_FOLDERS.migrations).filter((name) => name.endsWith('.sql') && name !== 'schema.sql');
  expect(names.toSorted().map((name) => Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]))).toEqual(names.map((_, i) => i + 1));
  for (const name of names)
    expect(readFileSync(path.join(SCHEMA_FOLDERS.migrations, name), 'utf8'), name).not.toMatch(/\bFUNCTION\b|pg_get_functiondef|^DO\b/m);
});

test('every follower of a message is a function that takes the committed batch, and every such function is a follower', () => {
  const takersThatReturn = (type: string) =>
    functions
      .filter(({ sql }) => new RegExp(`\\(messages committed_message\\[\\](, \\w+ prepared_\\w+\\[\\])?\\) RETURNS ${type} `).test(sql))
      .map(({ name }) => name);
  const takers = [...takersThatReturn('void'), ...takersThatReturn('text')];
  expect(takersThatReturn('text')).toEqual(FOLLOWERS.filter(({ channel }) => channel).map(({ sqlFunction }) => sqlFunction));
  expect(FOLLOWERS.map(({ sqlFunction }) => sqlFunction).toSorted()).toEqual(takers.toSorted());
  expect(FOLLOWERS.every(({ follows }) => follows.length > 0)).toBe(true);
});

test('every follower behind the commit is a function that takes new entries, with one that takes threads, and every such function is a follower', () => {
  const takersOf = (parameters: string) =>
    functions.filter(({ sql }) => sql.includes(`(${parameters}) RETURNS void `)).map(({ name }) => name);
  expect(ENTRY_FOLLOWERS.map(({ index }) => index).toSorted()).toEqual(takersOf('entries indexed_entry[]').toSorted());
  expect(ENTRY_FOLLOWERS.map(({ rebuild }) => rebuild).toSorted()).toEqual(takersOf('party bigint, wanted uuid[]').toSorted());
  expect(ENTRY_FOLLOWERS.every(({ follows }) => follows.length > 0)).toBe(true);
});

test('the jobs that SQL queues are those of the list, and each has a handler', async () => {
  expect(found(/\b(?:add_job|queue_job)\(\s*'([^']+)'/g)).toEqual(Object.values(JOBS).toSorted());
  const service = await startTestService();
  // Runners register their handlers once they have started.
  const handled = async () => {
    const rows = await service.sql<{ identifier: string }>('SELECT identifier FROM graphile_worker._private_tasks');
    return rows.map(({ identifier }) => identifier);
  };
  await expect.poll(handled).toEqual(expect.arrayContaining([...Object.values(JOBS), 'notify-of-answer']));
  await service.stop();
});

test('no function notifies: NOTIFY holds a lock until its transaction is on disk, and so would every send', () => {
  expect(functions.filter(({ sql }) => /pg_notify|\bNOTIFY\s+\w/.test(sql.replace(/^--.*$/gm, ''))).map(({ name }) => name)).toEqual([]);
});

test('no SQL text notifies: TypeScript does, after the commit, with a channel of the list', () => {
  expect(found(/\b(?:pg_notify\(\s*|NOTIFY\s+)'?(waybill_\w+)/g)).toEqual([]);
});
