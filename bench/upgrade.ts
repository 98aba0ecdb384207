import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../server/src/platform/postgres/embedded-postgres.ts';
import { newAuthority } from '../server/test/support/certificates.ts';
import { wrongContacts, wrongThreads } from '../server/test/support/followed.ts';
import { loadRelease, multiply, type Release, readRelease, withClient } from '../server/test/support/release-0.2.ts';
import { end, spawnService } from './service-process.ts';

/** How long the first start on a database of release 0.2 takes: until it serves, until its lists are whole, and until filters are in their indexes. */
const WAITING_COPIES = 10;
const POLL_MS = 100;

/** What an upgrade must not change, as counts and sums of hashes. */
const KEPT: Record<string, string> = {
  messages: 'SELECT sender_id, id, recipient_id, thread_id, json, received_at, content_hash, receipt_token FROM messages',
  // History that joins its business moves into another ledger.
  entries: 'SELECT box, position, message_id, thread_id, validation, type, segment FROM ledger_entries WHERE position <= $1',
  attempts: 'SELECT id, message_id, attempt, status, status_code, next_attempt_at FROM webhook_attempts WHERE attempted_at < $2',
  consumers: 'SELECT party_id, name, taken_through, kept FROM consumers',
};

export async function measureUpgrade(messages: number): Promise<void> {
  const release = readRelease();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-upgrade-'));
  try {
    await fill(release, folder, messages);
    const postgres = await startEmbeddedPostgres(folder, pino({ level: 'silent' }));
    const before = await withClient(postgres.connection, readKept).finally(() => postgres.stop());
    console.error('· the first start of this release');
    const env = { SECRETS_KEY: release.secretsKey, WEBHOOK_LOG_DAYS: '3650' };
    const child = spawnService(path.resolve(import.meta.dirname, '..'), folder, newAuthority(), [], env);
    const sql = new pg.Client(postgres.connection);
    try {
      const { url, steps } = await untilStarted(child);
      await sql.connect();
      const timings = await untilWhole(sql, url, release);
      console.table(steps);
      console.table([{ messages: before.counts['messages'], ...timings }]);
      await check(sql, before);
    } finally {
      await sql.end();
      await end(child);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(release: Release, folder: string, messages: number): Promise<void> {
  const postgres = await startEmbeddedPostgres(folder, pino({ level: 'silent' }), { fsync: 'off' });
  try {
    await loadRelease(release, postgres.connection, folder);
    await withClient(postgres.connection, async (sql) => {
      await multiply(sql, messages, WAITING_COPIES, (share) => console.error(`· ${Math.round(share * messages)} of ${messages} messages`));
      await sql.query('VACUUM ANALYZE');
      await sql.query('CHECKPOINT');
    });
  } finally {
    await postgres.stop();
  }
}

interface Kept {
  at: Date;
  head: string;
  counts: Record<string, number>;
  sums: Record<string, string>;
}

async function readKept(sql: pg.Client, { at = new Date(), head }: { at?: Date; head?: string } = {}): Promise<Kept> {
  const { rows: heads } = await sql.query<{ head: string }>('SELECT max(position)::text AS head FROM ledger_entries');
  const kept: Kept = { at, head: head ?? heads[0]?.head ?? '0', counts: {}, sums: {} };
  for (const [name, text] of Object.entries(KEPT)) {
    const { rows } = await sql.query<{ count: string; sum: string }>(
      `SELECT count(*), coalesce(sum(hashtextextended(k::text, 0)), 0)::text AS sum, $1::bigint, $2::timestamptz FROM (${text}) AS k`,
      [kept.head, kept.at],
    );
    kept.counts[name] = Number(rows[0]?.count);
    kept.sums[name] = rows[0]?.sum ?? '';
  }
  return kept;
}

/** Reads what the start prints: each step begins when its line comes. */
function untilStarted(child: ChildProcess): Promise<{ url: string; steps: { step: string; seconds: string }[] }> {
  const begunAt: [step: string, at: number][] = [['Starting PostgreSQL', performance.now()]];
  let output = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the service did not start: ${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      const now = performance.now();
      for (const line of String(chunk).split('\n')) {
        const step = /^(Applying \S+|Updating SQL functions|The database is up to date)/.exec(line)?.[1];
        if (step !== undefined) begunAt.push([step, now]);
      }
      output += chunk;
      const url = /API +(http:\S+)\/v1/.exec(output)?.[1];
      if (url === undefined || !output.includes('Sign in at the dashboard')) return;
      const steps = begunAt.map(([step, at], n) => ({ step, seconds: (((begunAt[n + 1]?.[1] ?? now) - at) / 1_000).toFixed(1) }));
      resolve({
        url,
        steps: [...steps, { step: 'until the service is ready', seconds: ((now - (begunAt[0]?.[1] ?? now)) / 1_000).toFixed(1) }],
      });
    });
  });
}

async function untilWhole(sql: pg.Client, url: string, { keys }: Release): Promise<Record<string, string>> {
  const readyAt = performance.now();
  const until = async (waiting: string) => {
    while ((await sql.query(`SELECT FROM ${waiting} LIMIT 1`)).rowCount !== 0) await sleep(POLL_MS);
    return ((performance.now() - readyAt) / 1_000).toFixed(1);
  };
  const lists = await until('committed_batches');
  // The first page with a filter begins to bring a business into the indexes of filters.
  for (const key of [keys['purchasing'], keys['orders']])
    for (const list of ['inbox', 'threads']) {
      const response = await fetch(`${url}/v1/${list}?type=nothing`, { headers: { authorization: `Bearer ${key}` } });
      if (response.status !== 200) throw new Error(await response.text());
    }
  await until('ledgers WHERE filters_left > 0');
  const filters = await until(`thread_index WHERE filtered_through < 'ffffffff-ffff-ffff-ffff-ffffffffffff'`);
  const joined = await until(`graphile_worker.jobs WHERE task_identifier = 'join-history'`);
  return { 'lists whole after, s': lists, 'filters in indexes after, s': filters, 'history joined after, s': joined };
}

async function check(sql: pg.Client, before: Kept): Promise<void> {
  const after = await readKept(sql, before);
  for (const name of Object.keys(KEPT)) if (before.sums[name] !== after.sums[name]) throw new Error(`the upgrade has changed ${name}`);
  const query = { sql: async <T extends pg.QueryResultRow>(text: string) => (await sql.query<T>(text)).rows };
  const wrong = [...(await wrongThreads(query)), ...(await wrongContacts(query))];
  if (wrong.length > 0)
    throw new Error(`${wrong.length} threads or contacts differ from their ledgers, such as ${JSON.stringify(wrong[0])}`);
  console.log(
    `Unchanged: ${Object.entries(after.counts)
      .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
      .join(', ')}.`,
  );
}
