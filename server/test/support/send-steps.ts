import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { newReceiptToken, newUuid } from '../../src/contract/ids.ts';
import { LOG_BATCH_MAX_LEAVES } from '../../src/contract/log-limits.ts';
import { COMMITS, FOLLOWING } from '../../src/followers.ts';
import { findNoted } from '../../src/modules/acknowledgements/chain-store.ts';
import { lockChains } from '../../src/modules/acknowledgements/chains.ts';
import { readRound } from '../../src/modules/document-facts/read-documents.ts';
import { followSome } from '../../src/modules/following/follow-store.ts';
import { placeBatches, waitingBatches } from '../../src/modules/log/batch-store.ts';
import { commitMessages } from '../../src/modules/messages/commit-store.ts';
import { hashedText, type PreparedMessage } from '../../src/modules/messages/envelope.ts';
import { leaseAttempts, recordAttempts } from '../../src/modules/webhooks/attempt-store.ts';
import { migrate } from '../../src/platform/migrations/migrate.ts';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { type Queryable, run } from '../../src/platform/postgres/transactions.ts';

/** The segment whose messages go to a webhook. */
export const DELIVERED = 'orders';
const UNLIMITED = { monthlyMessages: 0, newAccountDailyMessages: 0, newAccountDays: 7, dailyUploadBytes: 0, dailyUploadBytesPerPerson: 0 };
const MANY = 100_000;
const LEASE_S = 60;
const JSON_TEXT = Buffer.from(
  JSON.stringify({ order: 'PO-4711', items: Array.from({ length: 14 }, (_, i) => ({ sku: `SKU-${i}`, quantity: i + 1 })) }),
);
const JSON_SHA256 = createHash('sha256').update(JSON_TEXT).digest();

/** What the database does for a send, step by step, on a connection and a PostgreSQL of its own where nothing else happens. */
export interface SendSteps {
  /** A second connection, for measurements. */
  watch: pg.Client;
  /** The process of the connection that takes the steps. */
  pid: number;
  /** Commits a batch of messages, each of which begins a thread. */
  commit(count: number, segment?: string): Promise<void>;
  /** Takes the steps that follow a commit: the index of threads, and places in the log. */
  follow(): Promise<void>;
  /** Reads the documents of the messages that were followed. */
  readDocuments(): Promise<void>;
  /** Leases the attempts that are due, and records them as delivered. */
  deliver(): Promise<void>;
  /** Gives the hand-overs of these deliveries their numbers, and their leaves in the log. */
  numberHandOvers(): Promise<void>;
  stop(): Promise<void>;
}

export async function openSendSteps(folder: string): Promise<SendSteps> {
  const postgres = await startEmbeddedPostgres(folder, pino({ level: 'silent' }), {
    shared_preload_libraries: 'pg_stat_statements',
    'pg_stat_statements.track': 'all',
    autovacuum: 'off',
  });
  const database = new Database(postgres.connection, pino({ level: 'silent' }));
  await migrate(database);
  await database.close();
  const [client, watch] = [new pg.Client(postgres.connection), new pg.Client(postgres.connection)];
  await Promise.all([client.connect(), watch.connect()]);
  const db: Queryable = { query: (statement, values) => run(client, statement, values, true) };
  const { rows } = await watch.query<{ id: string }>(
    `INSERT INTO parties (handle, display_name, folded_name, claimed_at)
     SELECT handle, handle, handle, now() FROM unnest(ARRAY['acme', 'globex']) AS handle RETURNING id`,
  );
  const [sender, recipient] = rows.map(({ id }) => BigInt(id)) as [bigint, bigint];
  const webhook = { partyId: recipient, webhookId: newUuid() };
  await watch.query(
    `INSERT INTO webhooks (party_id, id, url, target, events, secret, first_success_at) VALUES ($1, $2, 'https://globex.test/', $3, '{message.received}', 's', now())`,
    [webhook.partyId, webhook.webhookId, DELIVERED],
  );
  const worker = randomUUID();
  const pid = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
  let places = 0;
  return {
    watch,
    pid,
    commit: async (count, segment = 'billing') => {
      const batch = Array.from({ length: count }, () => newMessage(sender, recipient, segment));
      await commitMessages(db, COMMITS, batch, () => true, UNLIMITED);
    },
    follow: async () => {
      while ((await followSome(db, FOLLOWING, MANY, MANY))?.hasMore);
      const batches = await waitingBatches(db, MANY);
      const firsts = batches.map(({ leaves }) => {
        places += leaves;
        return BigInt(places - leaves);
      });
      await placeBatches(
        db,
        1,
        batches.map(({ id }) => id),
        firsts,
      );
    },
    readDocuments: async () => {
      for (;;) {
        const round = await readRound(db, 0n);
        if (round === 'busy' || round.threads === 0) return;
      }
    },
    deliver: async () => {
      const leased = await leaseAttempts(db, worker, [{ ...webhook, room: MANY, held: new Set() }], LEASE_S);
      const made = [...leased.values()].flatMap(({ attempts, urlVersion, isProven }) =>
        attempts.map(({ id }) => ({ id, urlVersion, isProven })),
      );
      const response = {
        succeeded: true,
        statusCode: 200,
        error: null,
        begunAt: performance.now(),
        responseMs: 1,
        retryAfterS: 0,
        isOrdered: false,
      };
      await recordAttempts(
        db,
        made.map((one) => ({ ...webhook, ...one, ...response })),
        { retryDelaysS: [], pauseAfterS: 0 },
      );
    },
    numberHandOvers: async () => {
      const noted = await findNoted(db, { partyId: 0n, messageId: '00000000-0000-0000-0000-000000000000' }, LOG_BATCH_MAX_LEAVES);
      await client.query('BEGIN');
      await lockChains(db, noted);
      await client.query('COMMIT');
    },
    stop: async () => {
      await Promise.all([client.end(), watch.end()]);
      await postgres.stop();
    },
  };
}

function newMessage(senderId: bigint, recipientId: bigint, segment: string): PreparedMessage {
  const party = (handle: string) => ({ kind: 'handle', handle, display_name: handle });
  const actor = {
    kind: 'agent',
    id: 'agt_01m7erf6jnekt8sw8yvkrmndfd',
    name: 'Purchasing',
    email: null,
    verified: true,
    provider: 'api_key',
  };
  const [sender, recipient] = [JSON.stringify({ party: party('acme'), actor }), JSON.stringify({ party: party('globex'), segment })];
  const message = {
    id: newUuid(),
    threadId: newUuid(),
    inReplyTo: null,
    type: 'order',
    subject: 'Order 4711',
    note: null,
    expires_at: null,
    jsonSha256: JSON_SHA256,
    jsonBytesSha256: JSON_SHA256,
    files: [],
  };
  const { beforeTime, afterTime } = hashedText({ ...message, canonicalFrom: sender, canonicalTo: recipient });
  return {
    ...message,
    ...{ senderId, recipientId, segment, sender, recipient },
    isToBusiness: true,
    json: JSON_TEXT,
    validation: 'not_applicable',
    validationErrors: '[]',
    fromEmail: null,
    fromDomain: null,
    receiptToken: newReceiptToken(senderId),
    idempotencyKey: null,
    hashedBeforeTime: beforeTime,
    hashedAfterTime: afterTime,
    inlineBytes: 0,
  };
}
