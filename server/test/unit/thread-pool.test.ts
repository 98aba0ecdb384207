import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SpareWorker } from '../../src/platform/json/schema-checker/spare-worker.ts';
import { type Outcome, type PoolOptions, ThreadPool } from '../../src/platform/json/schema-checker/thread-pool.ts';
import { exponential, greedy, MANY_ITEMS, UNSTOPPABLE, UNSTOPPABLE_TEXT } from '../support/hostile-schemas.ts';

/** Long enough that only the worker decides the outcome, and not the load on the machine. */
const AGES_MS = 50_000;
const DECENT = { type: 'array' };

let pool: ThreadPool;
let spare: SpareWorker;

beforeEach(() => {
  spare = new SpareWorker();
});
afterEach(async () => {
  await Promise.all([pool.stop(), spare.stop()]);
});

const start = (options: Partial<PoolOptions> = {}) => {
  pool = new ThreadPool({ workers: 1, niceness: 0, killAfterMs: AGES_MS, ...options });
};
const ask = (party: string, schema: object, json: string): Promise<Outcome> =>
  pool.run({
    ...{ kind: 'validate', party, key: `${party} ${JSON.stringify(schema).length}`, text: JSON.stringify(schema), json: Buffer.from(json) },
    deadline: performance.now() + AGES_MS,
    budgetMs: () => AGES_MS,
  });
const kindsOf = async (outcomes: Promise<Outcome>[]) =>
  (await Promise.all(outcomes)).map((outcome) => (outcome.kind === 'checked' ? (outcome.issues ? 'failed' : 'passed') : outcome.kind));

describe('a worker that runs out of memory', () => {
  test('affects no other message: the rest of its batch, and what waited behind it, is checked by the next worker', async () => {
    start();
    const asked = [
      ask('hostile', greedy(), '[]'),
      ask('hostile', greedy(), MANY_ITEMS),
      ask('hostile', greedy(), '[1]'),
      ask('other', DECENT, '[]'),
      ask('another', DECENT, '{}'),
    ];
    expect(await kindsOf(asked)).toEqual(['failed', 'no memory', 'passed', 'passed', 'failed']);
    expect(await kindsOf([ask('hostile', greedy(), '[1]'), ask('other', DECENT, '[]')])).toEqual(['passed', 'passed']);
  });

  test('is lost with all that waits for the same party where that is served elsewhere, and with nothing else', async () => {
    start({ handsOn: true, spare });
    const asked = [ask('hostile', greedy(), MANY_ITEMS), ask('hostile', greedy(), '[1]'), ask('other', DECENT, '[]')];
    expect(await kindsOf(asked)).toEqual(['no memory', 'no memory', 'passed']);
  });
});

describe('a worker that is killed in the middle of a validation', () => {
  test('affects no other message', async () => {
    start({ killAfterMs: 300 });
    await pool.warm();
    const asked = [
      ask('other', DECENT, '[]'),
      ask('hostile', UNSTOPPABLE, UNSTOPPABLE_TEXT),
      ask('hostile', UNSTOPPABLE, UNSTOPPABLE_TEXT),
      ask('other', DECENT, '{}'),
      ask('another', DECENT, '[]'),
    ];
    expect(await kindsOf(asked)).toEqual(['passed', 'killed', 'killed', 'failed', 'passed']);
  });

  test('is replaced by the spare one, and that by another', async () => {
    start({ killAfterMs: 300, spare });
    await Promise.all([pool.warm(), spare.warm()]);
    for (let round = 0; round < 3; round++) {
      await spare.warm();
      const asked = [ask('hostile', UNSTOPPABLE, UNSTOPPABLE_TEXT), ask('other', DECENT, '[]')];
      expect(await kindsOf(asked)).toEqual(['killed', 'passed']);
    }
  });
});

test('patterns that fill a worker with what they remember, message by message, never bring it to its end', async () => {
  start();
  const ends: string[] = [];
  for (let i = 0; i < 40; i++) {
    const schema = { prefixItems: Array.from({ length: 4 }, (_, n) => ({ pattern: `a[ab]{${600 + 4 * i + n}}[cd]` })) };
    const text = Array.from({ length: 700 }, (_, n) => 'ab'[((n * n * 7 + n * i) >> 3) & 1]).join('');
    ends.push(...(await kindsOf([ask(`party-${i}`, schema, JSON.stringify(Array(4).fill(text)))])));
  }
  expect(new Set(ends)).toEqual(new Set(['failed']));
});

test('a validation that uses up what it was given ends by itself, and its worker goes on', async () => {
  start();
  const outcome = pool.run({
    ...{ kind: 'validate', party: 'hostile', key: 'x', text: JSON.stringify(exponential(40)), json: Buffer.from('1') },
    ...{ deadline: performance.now() + AGES_MS, budgetMs: () => 100 },
  });
  expect((await outcome).kind).toBe('out of time');
  expect(await kindsOf([ask('other', DECENT, '[]')])).toEqual(['passed']);
});
