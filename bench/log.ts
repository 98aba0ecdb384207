import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Log } from '../server/src/modules/log/log.ts';
import { LogKeys } from '../server/src/modules/log/log-keys.ts';
import { Sequencer } from '../server/src/modules/log/sequencer.ts';
import { Tiles } from '../server/src/modules/log/tiles.ts';
import { migrate } from '../server/src/platform/migrations/migrate.ts';
import { FolderStore } from '../server/src/platform/objects/folder-store.ts';
import { UrlSigner } from '../server/src/platform/objects/url-signer.ts';
import { startEmbeddedPostgres } from '../server/src/platform/postgres/embedded-postgres.ts';
import { Database } from '../server/src/platform/postgres/postgres.ts';
import { SecretBox } from '../server/src/platform/secrets/secret-box.ts';
import { newAuthority } from '../server/test/support/certificates.ts';
import { httpRequest, runLoad } from './http-load.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import { median, processorTime } from './processes.ts';
import { startServiceUnderTest } from './service-process.ts';

/** Measures how soon a message is in a checkpoint while others are sent at full rate, and the cost of a leaf. */
/** `ROUNDS=2 npm run bench -- log` for a short run. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const SECONDS = 8;
const CONNECTIONS = 64;
const BACKLOG_BATCHES = 1_000;
const LEAVES_PER_BATCH = 256;

export async function measureLog(): Promise<void> {
  console.table(await latency());
  console.table(await measureLeafCost());
}

/**
 * The latency from the delivery, which is a little before the 201, to the first checkpoint with the leaf. The database's clock has both
 * times.
 */
const LATENCIES = `
  SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)::float8 AS p50, percentile_disc(0.99) WITHIN GROUP (ORDER BY ms)::float8 AS p99,
         max(ms)::float8 AS max, count(*)::integer AS messages
    FROM (SELECT extract(epoch FROM c.created_at - m.received_at) * 1000 AS ms
            FROM messages m JOIN log_batches b ON b.id = m.log_batch
            CROSS JOIN LATERAL (SELECT created_at FROM log_checkpoints c WHERE c.log = b.log AND c.size > b.first_index + m.log_slot ORDER BY c.size LIMIT 1) c
           WHERE m.received_at >= $1) l`;

async function latency() {
  const service = await startServiceUnderTest(newAuthority());
  try {
    const sender = await service.createBusiness('sender');
    await service.createBusiness('reader');
    const body = `{"to":"reader","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`;
    const load = { port: service.port, connections: CONNECTIONS, seconds: SECONDS, warmUpSeconds: 1, expectStatus: 201 };
    const rounds: { perSecond: number; p50: number; p99: number; max: number }[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      console.error(`· sending at full rate, round ${round} of ${ROUNDS}`);
      const begin = new Date();
      const { perSecond } = await runLoad({ ...load, request: () => httpRequest('POST', '/v1/messages', sender.key, body) });
      const isBehind = async () => (await service.sql.query('SELECT 1 FROM log_batches WHERE first_index IS NULL LIMIT 1')).rows.length > 0;
      while (await isBehind()) await sleep(100);
      await sleep(2_000);
      const { rows } = await service.sql.query(LATENCIES, [begin]);
      rounds.push({ perSecond, ...rows[0] });
    }
    const of = (key: 'perSecond' | 'p50' | 'p99' | 'max') => Math.round(median(rounds.map((round) => round[key])));
    const each = rounds.map(({ p99 }) => Math.round(p99)).join(' ');
    return [
      {
        'sends per second': of('perSecond'),
        'in a checkpoint, p50 ms': of('p50'),
        'p99 ms': of('p99'),
        'max ms': of('max'),
        'p99 of rounds': each,
      },
    ];
  } finally {
    await service.stop();
  }
}

/** Measures a backlog of full batches, in this process. Only leaves in the newest checkpoint count, because some may still be waiting. */
export async function measureLeafCost() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-log-'));
  const silent = pino({ level: 'error' });
  const postgres = await startEmbeddedPostgres(folder, silent);
  const database = new Database(postgres.connection, silent);
  try {
    await migrate(database);
    const store = new FolderStore(path.join(folder, 'files'), new UrlSigner(Buffer.alloc(32)), '', (_name, work) => work());
    const keys = new LogKeys(new SecretBox(undefined, []), { operators: undefined, allowsPlaintext: true });
    const tiles = new Tiles(database, store.named);
    await new Log(database, tiles, keys, store.named).ensure('http://bench.example');
    const sequencer = new Sequencer({ database, objects: store.named, tiles, keys }, silent);
    const turns: { perSecond: number; nodeUs: number; postgresUs: number }[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      console.error(`· ${(BACKLOG_BATCHES * LEAVES_PER_BATCH).toLocaleString('en')} leaves, round ${round} of ${ROUNDS}`);
      await database.queryText(
        `SELECT log_leaves((SELECT string_agg('\\x01'::bytea || sha256((n || '-' || i || '-' || $1::text)::bytea), ''::bytea) FROM generate_series(1, $3::integer) i), clock_timestamp())
           FROM generate_series(1, $2::integer) n`,
        [round, BACKLOG_BATCHES, LEAVES_PER_BATCH],
      );
      await database.queryText('CHECKPOINT');
      const sizeBefore = await publishedLeaves(database);
      const [before, own, begin] = [processorTime(process.pid).postgres, process.cpuUsage(), performance.now()];
      await sequencer.catchUp();
      const seconds = (performance.now() - begin) / 1000;
      const { user, system } = process.cpuUsage(own);
      const leaves = (await publishedLeaves(database)) - sizeBefore;
      if (leaves !== BACKLOG_BATCHES * LEAVES_PER_BATCH) throw new Error(`the sequencer has stopped after ${leaves} leaves`);
      const postgresUs = ((processorTime(process.pid).postgres - before) * 1e6) / leaves;
      turns.push({ perSecond: leaves / seconds, nodeUs: (user + system) / leaves, postgresUs });
    }
    const of = (key: 'perSecond' | 'nodeUs' | 'postgresUs') => median(turns.map((turn) => turn[key]));
    return [
      {
        'leaves per second': Math.round(of('perSecond')),
        'Node µs': of('nodeUs').toFixed(2),
        'PostgreSQL µs': of('postgresUs').toFixed(2),
      },
    ];
  } finally {
    await database.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function publishedLeaves(database: Database): Promise<number> {
  const [row] = await database.queryText<{ size: number }>('SELECT coalesce(max(size), 0)::integer AS size FROM log_checkpoints');
  return row?.size ?? 0;
}
