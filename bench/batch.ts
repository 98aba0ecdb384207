import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { costsOf, prepareCosts } from '../server/test/support/database-costs.ts';
import type { SendSteps } from '../server/test/support/send-steps.ts';
import { median } from './processes.ts';

/**
 * What the database does for a send, without the service: processor time of the one connection that does it, in batches of several sizes. Several
 * checkouts take turns batch by batch, each with its own functions and its own PostgreSQL. At the end: what a batch of 30 writes, counted.
 */
const SIZES = [1, 10, 30, 100, 250];
const BATCHES = 60;
const FIRST_BATCHES = 8;
/** The thread index and the log take several batches at a time. */
const FOLLOWED_TOGETHER = 8;
const COUNTED_SIZE = 30;
const ROOT = path.resolve(import.meta.dirname, '..');

interface Variant {
  name: string;
  folder: string;
  steps: SendSteps;
}

type Step = 'commit' | 'after' | 'delivery';

export async function measureBatches(others: string[]): Promise<void> {
  const variants: Variant[] = [];
  try {
    for (const checkout of [ROOT, ...others]) variants.push(await open(checkout));
    const rows = [];
    for (const size of SIZES) {
      console.error(`· batches of ${size}`);
      rows.push(...(await measure(variants, size)));
    }
    console.log('\nProcessor time of the connection, µs a message (medians)');
    console.table(rows);
    for (const { name, steps } of variants) await printCounts(name, steps);
  } finally {
    for (const { steps, folder } of variants) {
      await steps.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function open(checkout: string): Promise<Variant> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-batch-'));
  const { openSendSteps } = await import(path.resolve(checkout, 'server/test/support/send-steps.ts'));
  const steps: SendSteps = await openSendSteps(folder);
  await prepareCosts(steps.watch);
  return { name: checkout === ROOT ? 'this' : path.basename(checkout), folder, steps };
}

async function measure(variants: readonly Variant[], size: number) {
  const taken = new Map(variants.map(({ name }) => [name, { commit: [], after: [], delivery: [] } as Record<Step, number[]>]));
  for (let n = 0; n < FIRST_BATCHES + BATCHES; n++) {
    for (const { name, steps } of n % 2 ? variants.toReversed() : variants) {
      const take = async (step: Step, messages: number, work: () => Promise<void>) => {
        const before = processorNs(steps.pid);
        await work();
        if (n >= FIRST_BATCHES) taken.get(name)?.[step].push((processorNs(steps.pid) - before) / messages / 1000);
      };
      await take('commit', size, () => steps.commit(size));
      if (n % FOLLOWED_TOGETHER < FOLLOWED_TOGETHER - 1) continue;
      await take('after', size * FOLLOWED_TOGETHER, () => steps.follow());
      await steps.commit(size, 'orders');
      await take('delivery', size, () => steps.deliver());
      await steps.follow();
    }
  }
  return variants.map(({ name }) => {
    const of = (step: Step) => median(taken.get(name)?.[step] ?? []).toFixed(1);
    return { 'batch of': size, version: name, commit: of('commit'), after: of('after'), delivery: of('delivery') };
  });
}

async function printCounts(name: string, steps: SendSteps): Promise<void> {
  const work = {
    commit: () => steps.commit(COUNTED_SIZE),
    after: () => steps.follow(),
    'commit, with a webhook': () => steps.commit(COUNTED_SIZE, 'orders'),
    delivery: () => steps.deliver(),
  };
  const rows = [];
  for (const [step, take] of Object.entries(work)) {
    const { roundTrips, statements, rows: written, indexEntries, walBytes } = await costsOf(steps.watch, take);
    const perMessage = (counts: Record<string, number>) =>
      (Object.values(counts).reduce((sum, count) => sum + count, 0) / COUNTED_SIZE).toFixed(1);
    const each = { rows: perMessage(written), 'index entries': perMessage(indexEntries), 'WAL bytes': Math.round(walBytes / COUNTED_SIZE) };
    rows.push({ step, 'round trips': roundTrips, statements, ...each });
  }
  console.log(`\n${name}: statements for a batch of ${COUNTED_SIZE}; rows, index entries and WAL bytes for each message`);
  console.table(rows);
}

/** Time on a processor, as the scheduler counts it. */
function processorNs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
}
