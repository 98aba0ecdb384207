import type { EntryFollower } from '../../contract/followers.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, prepared, type RowOf, type Statement, statement } from '../../platform/postgres/statement.ts';

export const ROUND_ROW = columns({ has_more: 'boolean', entries: 'integer', errors: 'text?' });
export const PARTY_ROUND_ROW = columns({ entries: 'integer', errors: 'text?' });
export const REBUILT_ROW = columns({ party_id: 'bigint?', threads: 'integer', errors: 'text?' });
export const RETRIED_ROW = columns({ error: 'text?' });

export interface FollowStatements {
  round: Statement<RowOf<typeof ROUND_ROW>>;
  partyRound: Statement<RowOf<typeof PARTY_ROUND_ROW>>;
  rebuild: Statement<RowOf<typeof REBUILT_ROW>>;
  rebuildThread: Statement;
  /** Key: the follower's name in `follower_failures`. */
  retry: ReadonlyMap<string, Statement<RowOf<typeof RETRIED_ROW>>>;
}

/** A follower that fails delays no other. The texts are joined errors, empty without any. */
const followAll = (followers: readonly EntryFollower[]) => {
  const calls = followers.map(({ index, retries }) => `try_follower('${index}', ${retries === 'entries'}, r.entries)`);
  return `SELECT concat_ws('; ', ${calls.join(', ')}) AS errors FROM round r WHERE cardinality(r.entries) > 0`;
};
const rebuildAll = (followers: readonly EntryFollower[], party: string, threads: string) =>
  `concat_ws('; ', ${followers.map(({ index, rebuild }) => `try_rebuild('${index}', '${rebuild}', ${party}, ${threads})`).join(', ')}) AS errors`;

/** Takes new entries, calls the followers with them, then with the threads whose earlier entries have changed. */
export const roundSql = (followers: readonly EntryFollower[]) =>
  `WITH round AS MATERIALIZED (
     SELECT * FROM take_new_entries($1::integer, $2::integer)
   ), followed AS MATERIALIZED (
     ${followAll(followers)}
   ), rebuilt AS MATERIALIZED (
     SELECT ${rebuildAll(followers, 'j.party_id', 'ARRAY[j.thread_id]')}
       FROM round r LEFT JOIN followed ON true, unnest(r.joined_parties, r.joined_threads) AS j (party_id, thread_id)
   )
   SELECT r.has_more, cardinality(r.entries) AS entries,
          (SELECT string_agg(nullif(e.errors, ''), '; ') FROM (SELECT errors FROM followed UNION ALL SELECT errors FROM rebuilt) e) AS errors FROM round r`;

export const partyRoundSql = (followers: readonly EntryFollower[]) =>
  `WITH round AS MATERIALIZED (
     SELECT * FROM take_entries_of($1::bigint, $2::integer)
   ), followed AS MATERIALIZED (
     ${followAll(followers)}
   )
   SELECT cardinality(r.entries) AS entries, (SELECT nullif(f.errors, '') FROM followed f) AS errors FROM round r`;

export const rebuildSql = (followers: readonly EntryFollower[]) =>
  `WITH next AS MATERIALIZED (
     SELECT * FROM take_threads_to_rebuild($1::integer, $2::integer)
   ), rebuilt AS MATERIALIZED (
     SELECT ${rebuildAll(followers, 'n.party_id', 'n.thread_ids')} FROM next n WHERE cardinality(n.thread_ids) > 0
   )
   SELECT n.party_id, cardinality(n.thread_ids) AS threads, (SELECT nullif(r.errors, '') FROM rebuilt r) AS errors FROM next n`;

export const rebuildThreadSql = (followers: readonly EntryFollower[]) =>
  `WITH position AS MATERIALIZED (SELECT lock_position($1::bigint) AS through)
   SELECT ${followers.map(({ rebuild }) => `${rebuild}($1::bigint, ARRAY[$2::uuid])`).join(', ')} FROM position p WHERE p.through IS NOT NULL`;

export const retrySql = ({ index, rebuild }: EntryFollower) =>
  `SELECT retry_follower('${index}', '${rebuild}', $1::bigint, $2::uuid) AS error`;

interface Round {
  entries: number;
  hasMore: boolean;
  /** What followers have raised. What they could not do is noted, and tried again. */
  errors: string | null;
}

/** Calls the followers with new entries of all businesses. Returns undefined while another worker does it in this shard. */
export async function followSome(
  db: Queryable,
  { round }: FollowStatements,
  batchesMax: number,
  entriesMax: number,
): Promise<Round | undefined> {
  const [row] = await db.query(round, [batchesMax, entriesMax]);
  return row && { entries: row.entries, hasMore: row.has_more, errors: row.errors };
}

/** Calls the followers with new entries of one business. Returns undefined while another round has them. */
export async function followParty(
  db: Queryable,
  { partyRound }: FollowStatements,
  partyId: bigint,
  entriesMax: number,
): Promise<Omit<Round, 'hasMore'> | undefined> {
  const [row] = await db.query(partyRound, [partyId, entriesMax]);
  return row;
}

const DUE = statement(
  'SELECT party_id, id, follower FROM follower_failures WHERE next_at <= now() AND follower = ANY ($1::text[]) ORDER BY next_at LIMIT $2',
  { party_id: 'bigint', id: 'uuid', follower: 'text' },
);

/** Tries followers again that have failed before, some of those that are due. Returns what they have raised. */
export async function retrySome(db: Queryable, { retry }: FollowStatements, limit: number): Promise<string[]> {
  const errors: string[] = [];
  for (const { party_id, id, follower } of await db.query(DUE, [[...retry.keys()], limit])) {
    const again = retry.get(follower);
    const [row] = again ? await db.query(again, [party_id, id]) : [];
    if (row && row.error !== null) errors.push(row.error);
  }
  return errors;
}

const lastIn = (box: string) =>
  `(SELECT e.position FROM ledger_entries e WHERE e.party_id = $1 AND e.box = '${box}' ORDER BY e.position DESC LIMIT 1)`;

const POSITIONS = prepared(
  'positions',
  `SELECT coalesce(greatest(${lastIn('in')}, ${lastIn('out')}), 0) AS last,
          coalesce((SELECT i.indexed_through FROM thread_index i WHERE i.party_id = $1), 0) AS through`,
  { last: 'bigint', through: 'bigint' },
);

/** The position of the last entry in the ledger of a business, and of the last one that the followers have read. */
export async function positionsOf(db: Queryable, partyId: bigint): Promise<{ last: bigint; through: bigint }> {
  const { last, through } = onlyRow(await db.query(POSITIONS, [partyId]));
  return { last: BigInt(last), through: BigInt(through) };
}

const AWAIT_ROUNDS = statement('SELECT FROM await_rounds()');

export async function awaitRounds(db: Queryable): Promise<void> {
  await db.query(AWAIT_ROUNDS);
}

/** The size of one rebuild step, during which new entries wait. A single thread may have more entries. */
const REBUILT_THREADS_MAX = 200;
const REBUILT_ENTRIES_MAX = 5_000;

/** Returns 'busy' while another worker follows the ledgers of this shard, and undefined when nothing is left to rebuild. */
export async function rebuildSome(
  db: Queryable,
  { rebuild }: FollowStatements,
): Promise<{ threads: number; errors: string | null } | 'busy' | undefined> {
  const [row] = await db.query(rebuild, [REBUILT_THREADS_MAX, REBUILT_ENTRIES_MAX]);
  return row && (row.party_id === null ? 'busy' : { threads: row.threads, errors: row.errors });
}

export async function rebuildThread(db: Queryable, { rebuildThread }: FollowStatements, partyId: bigint, threadId: string): Promise<void> {
  await db.query(rebuildThread, [partyId, threadId]);
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
