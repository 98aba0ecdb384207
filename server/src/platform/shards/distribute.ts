import { SCHEMA_FOLDERS } from '../migrations/migrate.ts';
import { functionsIn, isCitus, recreateFunctions } from '../migrations/sql-functions.ts';
import { type Database, schemaOf, type TextQueryable } from '../postgres/postgres.ts';

class DistributeError extends Error {}

const SHARDS_MAX = 256;
/** The blocks of a large table that one statement copies: 32 MB. */
const BLOCKS_AT_ONCE = 4_096;
/** Every request commits its message within this time of creating the message's id. */
const COMMITTED_WITHIN_MS = 600_000;

/** The tables that go into shards, with the condition for their rows: the party's number ends with the shard's. */
const OF_PARTY = 'isHere(t.party_id)';
const SHARD_TABLES: Readonly<Record<string, string>> = {
  messages: 'isHere(t.sender_id) OR isHere(t.recipient_id)',
  message_signatures: 'isHere(t.sender_id)',
  acknowledgements: OF_PARTY,
  due_acknowledgements: OF_PARTY,
  hand_overs: OF_PARTY,
  noted_hand_overs: OF_PARTY,
  non_deliveries: OF_PARTY,
  expiries: 'isHere(t.sender_id)',
  ledger_entries: OF_PARTY,
  ledgers: OF_PARTY,
  idempotency_keys: OF_PARTY,
  daily_usage: OF_PARTY,
  // The count continues from the total in each shard.
  daily_organisation_usage: 'true',
  relays: 'isHere(t.sender_id)',
  queued_jobs: 'false',
  uploads: OF_PARTY,
  objects: `${OF_PARTY} OR EXISTS (SELECT 1 FROM files f WHERE f.owner_id = t.party_id AND f.object_id = t.id AND isHere(f.party_id))`,
  files: OF_PARTY,
  inbox_schemas: OF_PARTY,
  type_schemas: OF_PARTY,
  document_types: OF_PARTY,
  contacts: OF_PARTY,
  contact_types: OF_PARTY,
  contact_actors: OF_PARTY,
  saved_contacts: OF_PARTY,
  contact_activity: OF_PARTY,
  contact_names: OF_PARTY,
  drop_pages: OF_PARTY,
  blocks: OF_PARTY,
  webhooks: OF_PARTY,
  webhook_attempts: OF_PARTY,
  webhook_leases: OF_PARTY,
  webhook_rates: OF_PARTY,
  consumers: OF_PARTY,
  consumer_messages: OF_PARTY,
  webhook_recoveries: OF_PARTY,
  webhook_recovery_usage: OF_PARTY,
  webhook_exchanges: OF_PARTY,
  thread_notices: OF_PARTY,
  // A batch may concern parties of several shards. Each takes its own rows.
  committed_batches: 'true',
  // A batch is looked for in the shard of its messages' senders, then in the others.
  log_batches: 'isHere(0)',
  thread_index: OF_PARTY,
  follower_failures: OF_PARTY,
  thread_changes: OF_PARTY,
  threads: OF_PARTY,
  thread_labels: OF_PARTY,
  thread_reads: OF_PARTY,
  thread_comments: OF_PARTY,
  thread_views: OF_PARTY,
  view_digests: OF_PARTY,
  notifications: OF_PARTY,
  // Workers write the documents again, because copying them takes as long and would block everything meanwhile.
  search_queue: 'false',
  search_documents: 'false',
  document_facts: OF_PARTY,
  document_queue: OF_PARTY,
};
export const SHARD_TABLE_NAMES = Object.keys(SHARD_TABLES);
/** Copied while the service runs, because these tables have most of the bytes, and their rows hardly ever change. */
const COPIED_BEFORE = ['messages', 'ledger_entries'] as const;
/** Shards read these tables of the directory, so every node of Citus has them. */
const REFERENCE_TABLES = ['parties', 'verified_domains', 'mailboxes', 'people', 'members', 'segments', 'person_usage', 'shards'];

interface Distributed {
  shards: number;
  blockedMs: number;
}

/**
 * Moves the rows of parties into shards: schemas of this database, or on Citus of its nodes. Large tables are copied while the service runs. Then the
 * service stands still while the rest is copied, and all processes must be restarted.
 */
export async function distribute(database: Database, count: number, tell: (sentence: string) => void): Promise<Distributed> {
  if (!Number.isInteger(count) || count < 2 || count > SHARDS_MAX || (count & (count - 1)) !== 0)
    throw new DistributeError(`--shards must be a power of two from 2 to ${SHARDS_MAX}.`);
  const [existing] = await database.queryText<{ count: number }>('SELECT count(*)::integer AS count FROM shards');
  if (existing?.count) throw new DistributeError(`The database is distributed over ${existing.count} shards already.`);
  const hasCitus = await isCitus(database);
  await createShards(database, count, hasCitus, tell);
  const startedAt = Date.now();
  for (const table of COPIED_BEFORE) await copyInParts(database, table, count, tell);
  tell('Copying the rest. From now on nobody can send or read.');
  const blockedAt = performance.now();
  await database.transaction(async (tx) => {
    await tx.queryText(`LOCK TABLE ${SHARD_TABLE_NAMES.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    for (const table of SHARD_TABLE_NAMES) {
      if (table === 'messages') await copyLateMessages(tx, count, startedAt);
      else if (table === 'ledger_entries') await copyLateEntries(tx, count, startedAt);
      else for (let shard = 0; shard < count; shard++) await tx.queryText(copySql(table, shard, count));
      tell(`  ${table}`);
    }
    for (let shard = 0; shard < count; shard++) {
      await writeDocumentsAgain(tx, schemaOf(shard));
      // Entries that were copied before they were marked are brought into the indexes of filters by the next use of a filter.
      await tx.queryText(`UPDATE ${schemaOf(shard)}.ledgers SET filters_left = 9223372036854775807 WHERE filters_left IS NOT NULL`);
    }
    await tx.queryText(`DROP TABLE ${SHARD_TABLE_NAMES.join(', ')}`);
    for (let shard = 0; shard < count; shard++) await tx.queryText('INSERT INTO shards (number) VALUES ($1)', [shard]);
  });
  return { shards: count, blockedMs: Math.round(performance.now() - blockedAt) };
}

async function writeDocumentsAgain(tx: TextQueryable, schema: string): Promise<void> {
  const searching = await tx.queryText<{ id: string }>(`SELECT party_id AS id FROM ${schema}.thread_index WHERE searched_at IS NOT NULL`);
  for (const { id } of searching)
    await tx.queryText(
      `INSERT INTO ${schema}.search_queue (is_rebuild, id, party_id, thread_id, after)
       VALUES (true, new_uuid(clock_timestamp()), $1, 'ffffffff-ffff-ffff-ffff-ffffffffffff', -1)`,
      [id],
    );
}

async function createShards(database: Database, count: number, hasCitus: boolean, tell: (sentence: string) => void): Promise<void> {
  if (hasCitus)
    for (const table of REFERENCE_TABLES) {
      const [known] = await database.queryText(
        "SELECT FROM citus_tables WHERE table_name = $1::regclass AND citus_table_type = 'reference'",
        [table],
      );
      if (!known) await database.queryText('SELECT create_reference_table($1::regclass)', [table]);
    }
  for (let shard = 0; shard < count; shard++) {
    const schema = schemaOf(shard);
    await database.transaction(async (tx) => {
      await tx.queryText(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await tx.queryText(`CREATE SCHEMA ${schema}`);
      for (const table of SHARD_TABLE_NAMES) await tx.queryText(await createTableSql(tx, schema, table, hasCitus));
    });
    if (hasCitus) await database.queryText('SELECT citus_schema_distribute($1::regnamespace)', [schema]);
    tell(`Created ${schema}.`);
  }
  // Citus copies functions to its other nodes when they are created.
  if (hasCitus) await database.transaction((tx) => recreateFunctions(tx, functionsIn(SCHEMA_FOLDERS.functions)));
}

/** LIKE copies columns, constraints and indexes, but not the table's own properties. Citus moves only what is in the write-ahead log. */
async function createTableSql(tx: TextQueryable, schema: string, table: string, hasCitus: boolean): Promise<string> {
  const [row] = await tx.queryText<{ persistence: string; options: string | null }>(
    `SELECT relpersistence AS persistence, array_to_string(reloptions, ', ') AS options FROM pg_class WHERE oid = $1::regclass`,
    [`public.${table}`],
  );
  const kind = row?.persistence === 'u' && !hasCitus ? 'UNLOGGED TABLE' : 'TABLE';
  const options = row?.options ? ` WITH (${row.options})` : '';
  return `CREATE ${kind} ${schema}.${table} (LIKE public.${table} INCLUDING ALL)${options}`;
}

function condition(table: string, shard: number, count: number): string {
  return (SHARD_TABLES[table] ?? 'false').replaceAll(/isHere\(([a-z0._]+)\)/g, `($1 & ${count - 1}) = ${shard}`);
}

function copySql(table: string, shard: number, count: number, more = ''): string {
  return `INSERT INTO ${schemaOf(shard)}.${table} SELECT t.* FROM public.${table} t WHERE (${condition(table, shard, count)})${more} ON CONFLICT DO NOTHING`;
}

async function copyInParts(database: Database, table: string, count: number, tell: (sentence: string) => void): Promise<void> {
  const [size] = await database.queryText<{ blocks: number }>(
    `SELECT (pg_relation_size($1::regclass) / current_setting('block_size')::integer)::integer AS blocks`,
    [`public.${table}`],
  );
  const blocks = size?.blocks ?? 0;
  for (let from = 0; from < blocks; from += BLOCKS_AT_ONCE) {
    const part = ` AND t.ctid >= '(${from},0)' AND t.ctid < '(${from + BLOCKS_AT_ONCE},0)'`;
    for (let shard = 0; shard < count; shard++) await database.queryText(copySql(table, shard, count, part));
    tell(`Copying ${table}: ${Math.min(100, Math.round((100 * (from + BLOCKS_AT_ONCE)) / blocks))} %`);
  }
}

/** Copies messages that have come since the copy began, and those that have joined another ledger, in any shard. */
async function copyLateMessages(tx: TextQueryable, count: number, startedAt: number): Promise<void> {
  for (let shard = 0; shard < count; shard++) {
    const isHere = (id: string) => `(${id} & ${count - 1}) = ${shard}`;
    await tx.queryText(
      `INSERT INTO ${schemaOf(shard)}.messages
       SELECT m.* FROM public.parties p CROSS JOIN LATERAL (
         SELECT * FROM public.messages m WHERE m.sender_id = p.id AND m.id >= new_uuid(to_timestamp($1 / 1000.0)) OFFSET 0) m
        WHERE ${isHere('m.sender_id')} OR ${isHere('m.recipient_id')} ON CONFLICT DO NOTHING`,
      [startedAt - COMMITTED_WITHIN_MS],
    );
    await tx.queryText(
      `INSERT INTO ${schemaOf(shard)}.messages
       SELECT m.* FROM (SELECT DISTINCT business_id, thread_id FROM public.joined_threads) j
         JOIN public.ledger_entries e ON e.party_id = j.business_id AND e.thread_id = j.thread_id
         JOIN public.messages m ON m.sender_id = coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END) AND m.id = e.message_id
        WHERE ${isHere('e.party_id')} ON CONFLICT DO NOTHING`,
    );
  }
}

/** Copies entries that have come since the copy began, and threads that may have moved to another ledger. */
async function copyLateEntries(tx: TextQueryable, count: number, startedAt: number): Promise<void> {
  const rows = await tx.queryText<{ thread_id: string }>('SELECT DISTINCT thread_id FROM public.joined_threads');
  const threads = rows.map(({ thread_id }) => thread_id);
  for (let shard = 0; shard < count; shard++) {
    const table = `${schemaOf(shard)}.ledger_entries`;
    await tx.queryText(`DELETE FROM ${table} WHERE thread_id = ANY ($1::uuid[])`, [threads]);
    const late = ' AND (t.position >= $1::bigint * 4096 OR t.thread_id = ANY ($2::uuid[]))';
    await tx.queryText(copySql('ledger_entries', shard, count, late), [startedAt - COMMITTED_WITHIN_MS, threads]);
  }
}

export interface ShardReport {
  schema: string;
  node: string | null;
  bytes: number;
}

export async function reportShards(database: Database): Promise<ShardReport[]> {
  if (await isCitus(database))
    return database.queryText<ShardReport & { [name: string]: unknown }>(
      `SELECT n.nspname AS schema, min(s.nodename || ':' || s.nodeport) AS node, sum(s.shard_size)::float8 AS bytes
         FROM citus_shards s JOIN pg_class c ON c.oid = s.table_name JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname LIKE 'shard\\_%' GROUP BY n.nspname ORDER BY length(n.nspname), n.nspname`,
    );
  return database.queryText<ShardReport & { [name: string]: unknown }>(
    `SELECT n.nspname AS schema, NULL AS node, sum(pg_total_relation_size(c.oid))::float8 AS bytes
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname LIKE 'shard\\_%' GROUP BY n.nspname ORDER BY length(n.nspname), n.nspname`,
  );
}
