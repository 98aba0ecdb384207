import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';

/** What a service of release 0.2 has left behind, and what it responded. fixtures/release-0.2.ts creates it. */
export interface Release {
  takenAt: string;
  secretsKey: string;
  publicUrl: string;
  /** Key: the segment of an agent. */
  keys: Record<string, string>;
  /** The ids and secrets of webhooks. Keys: the path of the endpoint. */
  webhooks: Record<string, string>;
  secrets: Record<string, string>;
  /** Keys: the segment of the agent that asked, and the path. Of lists with filters, the names of their items (nameOf). */
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  responses: Record<string, Record<string, any>>;
  /** The data folder. The contents are in base64. */
  files: Record<string, string>;
  sql: string;
}

/** Where the receiver of the webhooks was. */
const RECEIVER = 'http://localhost:7654';
/** Behind the positions of the milliseconds of a copy, so that copies do not overlap. */
const GAP_MS = 1_000;
const POSITIONS_PER_MS = 4_096;

export function readRelease(): Release {
  return JSON.parse(gunzipSync(readFileSync(path.resolve(import.meta.dirname, '../fixtures/release-0.2.json.gz'))).toString('utf8'));
}

/** By what a list is compared. Parties that are no saved contacts have no id. */
export function nameOf(item: { id?: string | null; message?: { id: string }; party?: object }): string {
  return item.id ?? item.message?.id ?? JSON.stringify(item.party);
}

type Address = string | pg.ClientConfig;

/** A connection to a database that is not migrated. */
export async function withClient<T>(database: Address, use: (sql: pg.Client) => Promise<T>): Promise<T> {
  const sql = new pg.Client(database);
  await sql.connect();
  try {
    return await use(sql);
  } finally {
    await sql.end();
  }
}

/**
 * Writes the release into an empty database and an empty data folder, as if it had just been stopped: what is due, leased or kept for a time has the same
 * distance from now. Returns by how many milliseconds these times have moved.
 */
export async function loadRelease(release: Release, database: Address, dataFolder: string, receiver = RECEIVER): Promise<number> {
  for (const [name, content] of Object.entries(release.files)) {
    const file = path.join(dataFolder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from(content, 'base64'));
  }
  const movedMs = Date.now() - Date.parse(release.takenAt);
  const moved = (...columns: string[]) => columns.map((column) => `${column} = ${column} + interval '${movedMs} milliseconds'`).join(', ');
  // The dump changes settings of its connection.
  await withClient(database, (sql) => sql.query(release.sql));
  await withClient(database, async (sql) => {
    await sql.query(
      `UPDATE webhook_attempts SET ${moved('due_at', 'next_attempt_at')} WHERE next_attempt_at IS NOT NULL OR status = 'pending'`,
    );
    await sql.query(`UPDATE webhooks SET ${moved('failing_since', 'failing_told_at')}`);
    await sql.query(`UPDATE consumer_messages SET ${moved('due_at')}`);
    await sql.query(`UPDATE idempotency_keys SET ${moved('created_at')}`);
    await sql.query('UPDATE webhooks SET url = replace(url, $1, $2)', [RECEIVER, receiver]);
  });
  return movedMs;
}

type Expressions = Record<string, string>;

const copiedId = (column: string) => `pg_temp.copied(t.${column}, k.n)`;
const copiedPosition = (column: string) => `t.${column} - k.n * k.span * ${POSITIONS_PER_MS}`;
const copiedTime = (column: string) => `t.${column} - k.n * k.span * interval '1 millisecond'`;
const each = (columns: string[], expression: (column: string) => string): Expressions =>
  Object.fromEntries(columns.map((column) => [column, expression(column)]));

/** Of old attempts that wait or are tried again, only those of the first copies do so: the rest was delivered. */
const isOver = `(k.n > k.pending AND t.status = 'pending')`;

/** The tables whose rows are copied with the messages, and what differs in a copy. */
const COPIED: Record<string, Expressions> = {
  messages: {
    ...each(['id', 'thread_id', 'in_reply_to'], copiedId),
    received_at: copiedTime('received_at'),
    content_hash: 'sha256(t.content_hash || int4send(k.n))',
    receipt_token: 'substr(t.receipt_token, 1, 6) || substr(sha256(t.receipt_token || int4send(k.n)), 1, 16)',
    idempotency_key: `t.idempotency_key || '-' || k.n`,
  },
  ledger_entries: { ...each(['message_id', 'thread_id'], copiedId), position: copiedPosition('position') },
  threads: {
    ...each(['thread_id', 'last_message_id'], copiedId),
    ...each(
      ['last_position', 'last_in_position', 'done_through'],
      (column) => `CASE t.${column} WHEN 0 THEN 0 ELSE ${copiedPosition(column)} END`,
    ),
  },
  thread_labels: { thread_id: copiedId('thread_id'), last_position: copiedPosition('last_position') },
  thread_reads: { thread_id: copiedId('thread_id'), position: copiedPosition('position') },
  joined_threads: { thread_id: copiedId('thread_id') },
  files: each(['id', 'message_id'], copiedId),
  hand_overs: { message_id: copiedId('message_id'), handed_over_at: copiedTime('handed_over_at') },
  idempotency_keys: { key: `t.key || '-' || k.n`, message_id: copiedId('message_id') },
  webhook_attempts: {
    ...each(['id', 'message_id', 'thread_id', 'subject_id'], copiedId),
    position: copiedPosition('position'),
    ...each(['created_at', 'attempted_at'], copiedTime),
    status: `CASE WHEN ${isOver} THEN 'delivered' ELSE t.status END`,
    status_code: `CASE WHEN ${isOver} THEN 204 ELSE t.status_code END`,
    next_attempt_at: `CASE WHEN NOT ${isOver} THEN t.next_attempt_at END`,
  },
};

const CREATE_COPIED = (spanMs: number) => `
  CREATE FUNCTION pg_temp.copied(id uuid, copy integer) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT (lpad(to_hex(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint - copy * ${spanMs}::bigint), 12, '0')
            || '7' || substr(h.hash, 1, 3) || '8' || substr(h.hash, 4, 15))::uuid
      FROM (SELECT md5(id::text || copy) AS hash) AS h
  $$`;

/** Messages that lists of threads did not have yet. A copy of their entries would be below the positions from where these are read. */
const UNREAD =
  'SELECT e.message_id FROM ledger_entries e JOIN thread_index i ON i.party_id = e.party_id WHERE e.position > i.indexed_through';
/** The columns with the message of a row. */
const MESSAGE_OF: Record<string, string> = {
  messages: 'id',
  ledger_entries: 'message_id',
  files: 'message_id',
  hand_overs: 'message_id',
  idempotency_keys: 'message_id',
  webhook_attempts: 'coalesce(subject_id, message_id)',
};
const COPIES_AT_ONCE = 200;

/**
 * Copies messages until there are about so many, with ids, positions and times of their own, before all that there is: the entries in both ledgers, threads,
 * attempts, files and keys. Attempts wait in the first `pending` copies only.
 */
export async function multiply(sql: pg.Client, messages: number, pending: number, tell: (done: number) => void = () => {}): Promise<void> {
  const { rows } = await sql.query<{ ms: number }>(
    `SELECT ((max(position) - min(position)) / ${POSITIONS_PER_MS})::integer + ${GAP_MS} AS ms FROM ledger_entries`,
  );
  const spanMs = rows[0]?.ms ?? GAP_MS;
  await sql.query(CREATE_COPIED(spanMs));
  for (const table of Object.keys(COPIED)) {
    const message = MESSAGE_OF[table];
    const isRead = message === undefined ? '' : `WHERE ${message} NOT IN (${UNREAD})`;
    await sql.query(`CREATE TEMP TABLE original_${table} AS SELECT * FROM ${table} ${isRead}`);
  }
  const counted = await sql.query<{ copies: number }>(
    'SELECT ceil(($1 - (SELECT count(*) FROM messages)) / (SELECT count(*) FROM original_messages)::float8)::integer AS copies',
    [messages],
  );
  const copies = counted.rows[0]?.copies ?? 0;
  for (let first = 1; first <= copies; first += COPIES_AT_ONCE) {
    const last = Math.min(copies, first + COPIES_AT_ONCE - 1);
    for (const [table, expressions] of Object.entries(COPIED)) {
      const columns = await sql.query<{ name: string }>(
        'SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped',
        [table],
      );
      const names = columns.rows.map(({ name }) => name);
      await sql.query(
        `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map((name) => expressions[name] ?? `t.${name}`).join(', ')}
           FROM (SELECT n, ${spanMs}::bigint AS span, ${pending} AS pending FROM generate_series(${first}, ${last}) AS n) AS k, original_${table} AS t`,
      );
    }
    tell(last / copies);
  }
  await countCopies(sql, copies, spanMs);
}

/** Contacts count all copies. */
async function countCopies(sql: pg.Client, copies: number, spanMs: number): Promise<void> {
  await sql.query(
    `UPDATE contacts c SET messages_in = c.messages_in + $1 * n.received, messages_out = c.messages_out + $1 * n.sent,
            first_seen_at = least(c.first_seen_at, n.first_at - $1 * $2 * interval '1 millisecond')
       FROM (SELECT e.party_id, coalesce(v.party_id, e.counterparty_id) AS other_id, min(m.received_at) AS first_at,
                    count(*) FILTER (WHERE e.box = 'in') AS received, count(*) FILTER (WHERE e.box = 'out') AS sent
               FROM original_ledger_entries e JOIN parties p ON p.id = e.counterparty_id JOIN original_messages m ON m.id = e.message_id
               LEFT JOIN verified_domains v ON v.domain = p.domain AND p.handle IS NULL
              GROUP BY 1, 2) AS n
      WHERE c.party_id = n.party_id AND c.other_id = n.other_id`,
    [copies, spanMs],
  );
}
