import { bigintArray } from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { prepared, statement } from '../../platform/postgres/statement.ts';
import { INDEX_FOLLOWERS } from './index-followers.ts';

const callAll = (name: 'index' | 'rebuild', args: string) => INDEX_FOLLOWERS.map((follower) => `${follower[name]}(${args})`).join(', ');

/**
 * Takes new entries, calls the followers with them, then with the threads whose earlier entries have changed. All of it is one transaction.
 */
const INDEX = prepared(
  'index-entries',
  `WITH round AS MATERIALIZED (
     SELECT * FROM take_new_entries($1::integer, $2::integer)
   ), indexed AS MATERIALIZED (
     SELECT ${callAll('index', 'r.entries')} FROM round r WHERE cardinality(r.entries) > 0
   ), rebuilt AS MATERIALIZED (
     SELECT ${callAll('rebuild', 'j.party_id, ARRAY[j.thread_id]')}
       FROM round r LEFT JOIN indexed ON true, unnest(r.joined_parties, r.joined_threads) AS j (party_id, thread_id)
   )
   SELECT r.has_more, cardinality(r.entries) AS entries, (SELECT count(*) FROM indexed) + (SELECT count(*) FROM rebuilt) AS calls FROM round r`,
  { has_more: 'boolean', entries: 'integer', calls: 'bigint' },
);

export interface Round {
  entries: number;
  hasMore: boolean;
}

/** Returns undefined while another process indexes this shard. */
export async function indexEntries(db: Queryable, batchesMax: number, entriesMax: number): Promise<Round | undefined> {
  const [row] = await db.query(INDEX, [batchesMax, entriesMax]);
  return row && { entries: row.entries, hasMore: row.has_more };
}

/** The size of one rebuild step, during which new entries wait. A single thread may have more entries. */
const REBUILT_THREADS_MAX = 200;
const REBUILT_ENTRIES_MAX = 5_000;

const REBUILD = prepared(
  'rebuild-threads',
  `WITH next AS MATERIALIZED (
     SELECT * FROM take_threads_to_rebuild($1::integer, $2::integer)
   ), rebuilt AS MATERIALIZED (
     SELECT ${callAll('rebuild', 'n.party_id, n.thread_ids')} FROM next n WHERE cardinality(n.thread_ids) > 0
   )
   SELECT n.party_id, cardinality(n.thread_ids) AS threads, (SELECT count(*) FROM rebuilt) AS calls FROM next n`,
  { party_id: 'bigint?', threads: 'integer', calls: 'bigint' },
);

/** Returns 'busy' while another process indexes this shard, and undefined when nothing is left to rebuild. */
export async function rebuildSome(db: Queryable): Promise<{ threads: number } | 'busy' | undefined> {
  const [row] = await db.query(REBUILD, [REBUILT_THREADS_MAX, REBUILT_ENTRIES_MAX]);
  return row && (row.party_id === null ? 'busy' : { threads: row.threads });
}

const REBUILD_ONE = statement(
  `WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended('thread index ' || current_schema(), 0)) AS locked)
   SELECT ${callAll('rebuild', '$1::bigint, ARRAY[$2::uuid]')} FROM turn WHERE turn.locked IS NOT NULL`,
  Object.fromEntries(INDEX_FOLLOWERS.map(({ rebuild }) => [rebuild, 'void' as const])),
);

export async function rebuildThread(db: Queryable, partyId: bigint, threadId: string): Promise<void> {
  await db.query(REBUILD_ONE, [partyId, threadId]);
}

const START_REBUILD = statement(`UPDATE thread_index SET rebuilt_through = '00000000-0000-0000-0000-000000000000'`);

export async function startRebuild(db: Queryable): Promise<void> {
  await db.query(START_REBUILD);
}

const COUNT_THREADS = statement('SELECT count(*) FROM threads', { count: 'bigint' });

export async function countAll(db: Queryable): Promise<number> {
  return Number(onlyRow(await db.query(COUNT_THREADS)).count);
}

const COUNT_TO_REBUILD = statement(
  `SELECT count(t.thread_id) FROM thread_index i LEFT JOIN threads t ON t.party_id = i.party_id AND t.thread_id > i.rebuilt_through
    WHERE i.rebuilt_through IS NOT NULL`,
  { count: 'bigint' },
);

export async function countToRebuild(db: Queryable): Promise<number> {
  return Number(onlyRow(await db.query(COUNT_TO_REBUILD)).count);
}

const MARKS = prepared(
  'thread-marks',
  `SELECT k.party_id, concat_ws(' ', i.indexed_through, c.changes) AS mark
     FROM unnest($1::bigint[]) AS k (party_id)
     LEFT JOIN thread_index i ON i.party_id = k.party_id LEFT JOIN thread_changes c ON c.party_id = k.party_id`,
  { party_id: 'bigint?', mark: 'text' },
);

/** A mark is a text with the position up to which a ledger is indexed, and the number of changes of the business's threads. */
export async function marksOf(db: Queryable, partyIds: readonly bigint[]): Promise<{ partyId: bigint; mark: string }[]> {
  const rows = await db.query(MARKS, [bigintArray(partyIds)]);
  return rows.map(({ party_id, mark }) => ({ partyId: BigInt(party_id ?? 0), mark }));
}
