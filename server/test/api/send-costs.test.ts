import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { costsOf, type DatabaseCosts, prepareCosts } from '../support/database-costs.ts';
import { temporaryFolder } from '../support/process.ts';
import { DELIVERED, openSendSteps, type SendSteps } from '../support/send-steps.ts';

/**
 * Counts what a send costs the database, in its commit and after it, and compares with send-costs.json. A change that makes sends dearer fails
 * here until the table is written again on purpose (UPDATE_COSTS=1), with its reason in the commit. Whatever makes them cheaper is written down, too.
 */
const TABLE = new URL('./send-costs.json', import.meta.url);
const known: Record<string, DatabaseCosts> = JSON.parse(readFileSync(TABLE, 'utf8'));
const counted: Record<string, DatabaseCosts> = {};
const SIZES = [1, 30];
/** The first batches write what later ones find: contacts, the day's usage. */
const FIRST_BATCHES = 3;
const BATCHES = 7;
/** A page of an index may have to be split. */
const WAL_TOLERANCE = 0.03;

let steps: SendSteps;
beforeAll(async () => {
  steps = await openSendSteps(temporaryFolder());
  await prepareCosts(steps.watch);
});
afterAll(async () => {
  await steps.stop();
  if (process.env['UPDATE_COSTS']) writeFileSync(TABLE, `${JSON.stringify(counted, null, 2)}\n`);
});

describe.each(SIZES)('batches of %i', (size) => {
  test('cost what the table says, in the commit, after it, for each delivery, and after that', async () => {
    const taken = new Map<string, DatabaseCosts[]>();
    const take = async (name: string, isMeasured: boolean, step: () => Promise<void>) => {
      const costs = await costsOf(steps.watch, step);
      if (isMeasured) taken.set(name, [...(taken.get(name) ?? []), costs]);
    };
    for (let n = 0; n < FIRST_BATCHES + BATCHES; n++) {
      await take('commit', n >= FIRST_BATCHES, () => steps.commit(size));
      await take('after', n >= FIRST_BATCHES, () => steps.follow());
      await take('documents', n >= FIRST_BATCHES, () => steps.readDocuments());
      await take('commit, with a webhook', n >= FIRST_BATCHES, () => steps.commit(size, DELIVERED));
      await take('delivery', n >= FIRST_BATCHES, () => steps.deliver());
      await take('hand-overs', n >= FIRST_BATCHES, () => steps.numberHandOvers());
      await steps.follow();
      await steps.readDocuments();
    }
    for (const [step, costs] of taken) counted[`${step}, ${size}`] = medianCosts(costs);
    if (process.env['UPDATE_COSTS']) return;
    for (const step of taken.keys()) {
      const [{ walBytes, ...counts }, { walBytes: knownBytes, ...knownCounts }] = [counted, known].map(
        (table) => table[`${step}, ${size}`] as DatabaseCosts,
      ) as [DatabaseCosts, DatabaseCosts];
      expect(counts, `${step}, ${size}`).toEqual(knownCounts);
      expect(Math.abs(walBytes - knownBytes), `${step}, ${size}: ${walBytes} bytes of WAL, ${knownBytes} known`).toBeLessThanOrEqual(
        WAL_TOLERANCE * knownBytes,
      );
    }
  });
});

function medianCosts(costs: DatabaseCosts[]): DatabaseCosts {
  const median = (of: (one: DatabaseCosts) => number) => costs.map(of).toSorted((a, b) => a - b)[costs.length >> 1] as number;
  const medians = (of: (one: DatabaseCosts) => Record<string, number>) =>
    Object.fromEntries(
      [...new Set(costs.flatMap((one) => Object.keys(of(one))))]
        .sort()
        .map((table) => [table, median((one) => of(one)[table] ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  return {
    roundTrips: median((one) => one.roundTrips),
    statements: median((one) => one.statements),
    rows: medians((one) => one.rows),
    indexEntries: medians((one) => one.indexEntries),
    walBytes: median((one) => one.walBytes),
  };
}
