import path from 'node:path';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { reportShards } from '../../src/platform/shards/distribute.ts';
import { createCitusDatabaseOn, programsWithCitus, startNode } from '../support/citus.ts';
import { createDistributed } from '../support/database-server.ts';
import { Load } from '../support/load.ts';
import { everyPage, ids } from '../support/pages.ts';
import { temporaryFolder } from '../support/process.ts';
import { startTestService } from '../support/service.ts';
import { handOver, queryAt } from '../support/tcp-postgres.ts';

/** The number of calls of commit_messages on a node: beside its tables, and where Citus passes statements on. */
async function commitsOn(url: string): Promise<{ beside: number; sent: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ schemaname: string; calls: string }>(
    `SELECT schemaname, calls FROM pg_stat_user_functions WHERE funcname = 'commit_messages'`,
  );
  await client.end();
  const calls = (schema: RegExp) =>
    rows.filter(({ schemaname }) => schema.test(schemaname)).reduce((sum, row) => sum + Number(row.calls), 0);
  return { beside: calls(/_here$/), sent: calls(/^public$/) };
}

test('a node is added and shards are moved to it under load: nothing is lost, and the service goes on', async () => {
  const server = inject('databaseServer');
  const DATABASE_URL = await createDistributed(server);
  const { pathname } = new URL(DATABASE_URL);
  const workers = server.citusUrls.slice(1).map((url) => new URL(pathname, url).href);
  for (const url of workers) await queryAt(Number(new URL(url).port), `ALTER DATABASE ${pathname.slice(1)} SET track_functions = 'pl'`);
  const service = await startTestService({ DATABASE_URL, MONTHLY_MESSAGE_LIMIT: '0', NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  onTestFinished(() => service.stop());
  const senders = [];
  for (const handle of ['ash', 'birch', 'cedar', 'dogwood']) senders.push(await service.business(handle));
  const recipient = await service.business('globex');
  const coordinator = new pg.Client({ connectionString: service.databaseUrl });
  await coordinator.connect();
  onTestFinished(() => coordinator.end());

  const folder = temporaryFolder();
  handOver(folder);
  const added = await startNode(path.join(folder, 'added'), programsWithCitus() ?? '');
  await createCitusDatabaseOn(added.url, new URL(service.databaseUrl).pathname.slice(1));
  const port = Number(new URL(added.url).port);
  const addedUrl = new URL(pathname, added.url).href;
  await queryAt(port, `ALTER DATABASE ${pathname.slice(1)} SET track_functions = 'pl'`);

  const loads = senders.map(({ api }) => new Load(api, 2));
  const untilEachSent = (more: number) => Promise.all(loads.map((load) => load.untilAcknowledged(more)));
  await untilEachSent(20);
  for (const url of workers) {
    await expect.poll(() => commitsOn(url).then(({ beside }) => beside)).toBeGreaterThan(0);
    expect((await commitsOn(url)).sent).toBe(0);
  }
  await coordinator.query(`SELECT citus_add_node('127.0.0.1', $1)`, [port]);
  await coordinator.query('SELECT replicate_reference_tables()');
  await untilEachSent(20);
  for (const schema of ['shard_1', 'shard_2']) {
    await coordinator.query(`SELECT citus_schema_move($1::regnamespace, '127.0.0.1'::text, $2::integer)`, [schema, port]);
    await untilEachSent(20);
  }
  // The service follows the shards to their new node.
  await expect.poll(() => commitsOn(addedUrl).then(({ beside }) => beside)).toBeGreaterThan(0);
  await untilEachSent(20);
  for (const load of loads) await load.stop();
  // Until then, the former nodes passed statements on.
  await expect.poll(() => Promise.all(workers.map(commitsOn)).then((all) => Math.max(...all.map(({ sent }) => sent)))).toBeGreaterThan(0);

  expect(loads.flatMap(({ oddResponses }) => oddResponses)).toEqual([]);
  const nodes = (await reportShards(service.database)).map(({ node }) => node);
  expect(nodes.slice(1, 3)).toEqual([`127.0.0.1:${port}`, `127.0.0.1:${port}`]);
  const inbox = ids((await everyPage(recipient.api, '/inbox', { limit: 200 })).flat());
  expect(new Set(inbox).size).toBe(inbox.length);
  for (const [i, { api }] of senders.entries()) {
    const outbox = ids((await everyPage(api, '/outbox', { limit: 200 })).flat());
    for (const id of loads[i]?.acknowledged ?? []) {
      expect(inbox).toContain(id);
      expect(outbox).toContain(id);
    }
  }
});
