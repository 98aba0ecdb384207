import { bigintArray, uuidArray } from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, prepared, statement } from '../../platform/postgres/statement.ts';
import { COLLEAGUE_KINDS, type Colleague } from './colleagues.ts';
import { STORED_STATES } from './driver-store.ts';
import type { Reader } from './list-store.ts';

const DOCUMENT = `t.document_state, t.document_type, t.document_number, t.document_total::text AS document_total, t.document_currency,
          t.document_due::text AS document_due`;
const DOCUMENT_ROW = columns({
  document_state: oneOf('document_state?', STORED_STATES),
  document_type: 'text?',
  document_number: 'text?',
  document_total: 'text?',
  document_currency: 'text?',
  document_due: 'text?',
});

const KNOWN = prepared('known-threads', 'SELECT thread_id FROM threads WHERE party_id = $1 AND thread_id = ANY ($2::uuid[])', {
  thread_id: 'uuid',
});

export async function knownAmong(db: Queryable, partyId: bigint, threadIds: readonly string[]): Promise<Set<string>> {
  return new Set((await db.query(KNOWN, [partyId, uuidArray(threadIds)])).map(({ thread_id }) => thread_id));
}

const IN_LEDGER = statement(
  `SELECT k.thread_id FROM unnest($2::uuid[]) AS k (thread_id), LATERAL (
     SELECT 1 FROM ledger_entries e WHERE e.party_id = $1 AND e.thread_id = k.thread_id LIMIT 1) e`,
  { thread_id: 'uuid' },
);

export async function inLedgerAmong(db: Queryable, partyId: bigint, threadIds: readonly string[]): Promise<Set<string>> {
  return new Set((await db.query(IN_LEDGER, [partyId, uuidArray(threadIds)])).map(({ thread_id }) => thread_id));
}

const NOTE_CHANGE = statement(
  `INSERT INTO thread_changes AS c (party_id, changes) VALUES ($1, 1) ON CONFLICT (party_id) DO UPDATE SET changes = c.changes + 1`,
);

/** Makes listeners to events of the business see a change, and serializes its changes of threads. Call it first in the transaction. */
export async function noteChange(tx: Queryable, partyId: bigint): Promise<void> {
  await tx.query(NOTE_CHANGE, [partyId]);
}

const NOTE_CHANGES = statement(
  `INSERT INTO thread_changes AS c (party_id, changes) SELECT k, 1 FROM unnest($1::bigint[]) AS k ORDER BY k
   ON CONFLICT (party_id) DO UPDATE SET changes = c.changes + 1`,
);

/** The same for several businesses, whose rows are locked in ascending order. */
export async function noteChanges(tx: Queryable, partyIds: readonly bigint[]): Promise<void> {
  await tx.query(NOTE_CHANGES, [bigintArray(partyIds)]);
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

const LOCK_THREADS = statement('SELECT FROM threads WHERE party_id = $1 AND thread_id = ANY ($2::uuid[]) ORDER BY thread_id FOR UPDATE');

/** From now on, the follower that writes threads waits. The next statement sees at least as much of the ledger as the index has read. */
export async function lockThreads(tx: Queryable, partyId: bigint, threadIds: readonly string[]): Promise<void> {
  await tx.query(LOCK_THREADS, [partyId, uuidArray(threadIds)]);
}

const SET_STATUS = statement(
  `UPDATE threads t SET is_done = $3, class = thread_class(t.in_count, t.out_count, $3::boolean, t.assignee_id IS NOT NULL, t.failed_schema),
          done_through = CASE WHEN $3 THEN greatest(t.last_in_position, coalesce((
            SELECT max(e.position) FROM ledger_entries e WHERE e.party_id = $1 AND e.thread_id = t.thread_id AND e.box = 'in'), 0)) ELSE 0 END
    WHERE t.party_id = $1 AND t.thread_id = ANY ($2::uuid[])`,
);

/** Done threads stay done until a message comes that is not in the ledger yet. */
export async function setStatus(tx: Queryable, partyId: bigint, threadIds: readonly string[], isDone: boolean): Promise<void> {
  await tx.query(SET_STATUS, [partyId, uuidArray(threadIds), isDone]);
}

const SET_ASSIGNEE = statement(
  `UPDATE threads t SET assignee_kind = $3::worker_kind, assignee_id = $4,
          class = thread_class(t.in_count, t.out_count, t.is_done, $4::uuid IS NOT NULL, t.failed_schema)
    WHERE t.party_id = $1 AND t.thread_id = ANY ($2::uuid[]) AND t.assignee_id IS DISTINCT FROM $4 RETURNING t.thread_id`,
  { thread_id: 'uuid' },
);

/** Returns the threads that had another assignee, or none. */
export async function setAssignee(
  tx: Queryable,
  partyId: bigint,
  threadIds: readonly string[],
  assignee: Colleague | null,
): Promise<string[]> {
  const rows = await tx.query(SET_ASSIGNEE, [partyId, uuidArray(threadIds), assignee?.kind ?? null, assignee?.id ?? null]);
  return rows.map(({ thread_id }) => thread_id);
}

const DECIDED = statement(
  `SELECT t.subject, t.message_count, t.is_done, t.labels, t.assignee_kind, t.assignee_id, t.counterparty_id, ${DOCUMENT}
     FROM threads t WHERE t.party_id = $1 AND t.thread_id = $2`,
  {
    subject: 'text?',
    message_count: 'integer',
    is_done: 'boolean',
    labels: 'text[]',
    assignee_kind: oneOf('worker_kind?', COLLEAGUE_KINDS),
    assignee_id: 'uuid?',
    counterparty_id: 'bigint',
    ...DOCUMENT_ROW,
  },
);

export async function findDecided(db: Queryable, partyId: bigint, threadId: string) {
  const [row] = await db.query(DECIDED, [partyId, threadId]);
  return row;
}

const UNASSIGN_SOME = statement(
  `WITH found AS (SELECT thread_id FROM threads WHERE party_id = $1 AND assignee_id = $2 ORDER BY thread_id LIMIT $3 FOR UPDATE)
   UPDATE threads t SET assignee_kind = NULL, assignee_id = NULL,
          class = thread_class(t.in_count, t.out_count, t.is_done, false, t.failed_schema)
     FROM found f WHERE t.party_id = $1 AND t.thread_id = f.thread_id RETURNING t.thread_id`,
  { thread_id: 'uuid' },
);

export async function unassignSome(db: Queryable, partyId: bigint, assigneeId: string, limit: number): Promise<string[]> {
  return (await db.query(UNASSIGN_SOME, [partyId, assigneeId, limit])).map(({ thread_id }) => thread_id);
}

/** `labels`, if given, replace all labels. */
export interface LabelChange {
  labels: readonly string[] | undefined;
  added: readonly string[];
  removed: readonly string[];
}

const SET_LABELS = statement(
  `UPDATE threads t SET labels = ARRAY(
            SELECT DISTINCT l COLLATE "C" FROM unnest(coalesce($3::text[], t.labels) || $4::text[]) AS l WHERE l <> ALL ($5::text[]) ORDER BY 1)
    WHERE t.party_id = $1 AND t.thread_id = ANY ($2::uuid[]) RETURNING cardinality(t.labels) AS count`,
  { count: 'integer' },
);
const DELETE_LABELS = statement('DELETE FROM thread_labels WHERE party_id = $1 AND thread_id = ANY ($2::uuid[])');
const INSERT_LABELS = statement(
  `INSERT INTO thread_labels (party_id, thread_id, label, last_position)
   SELECT t.party_id, t.thread_id, l, t.last_position FROM threads t, unnest(t.labels) AS l
    WHERE t.party_id = $1 AND t.thread_id = ANY ($2::uuid[])`,
);

/** Returns the number of labels of the thread that has most. */
export async function setLabels(tx: Queryable, partyId: bigint, threadIds: readonly string[], change: LabelChange): Promise<number> {
  const ids = uuidArray(threadIds);
  const rows = await tx.query(SET_LABELS, [partyId, ids, change.labels ?? null, change.added, change.removed]);
  await tx.query(DELETE_LABELS, [partyId, ids]);
  await tx.query(INSERT_LABELS, [partyId, ids]);
  return Math.max(0, ...rows.map(({ count }) => count));
}

/** Skips from label to label in the index, whatever the number of their threads. */
const LABELS = statement(
  `WITH RECURSIVE next AS (
     (SELECT l.label, 1 AS n FROM thread_labels l WHERE l.party_id = $1 ORDER BY l.label LIMIT 1)
     UNION ALL
     SELECT f.label, next.n + 1 FROM next CROSS JOIN LATERAL (
       SELECT l.label FROM thread_labels l WHERE l.party_id = $1 AND l.label > next.label ORDER BY l.label LIMIT 1) f
      WHERE next.n < $2
   ) SELECT label FROM next ORDER BY label`,
  { label: 'text?' },
);

export async function labelsOf(db: Queryable, partyId: bigint, limit: number): Promise<string[]> {
  return (await db.query(LABELS, [partyId, limit])).flatMap(({ label }) => label ?? []);
}

const MARK_READ = statement(
  `INSERT INTO thread_reads AS r (party_id, reader_kind, reader_id, thread_id, position)
   SELECT $1, $3::worker_kind, $4, k.thread_id, coalesce((
            SELECT max(e.position) FROM ledger_entries e WHERE e.party_id = $1 AND e.thread_id = k.thread_id AND e.box = 'in'), 0)
     FROM unnest($2::uuid[]) AS k (thread_id) ORDER BY k.thread_id
   ON CONFLICT (party_id, reader_kind, reader_id, thread_id) DO UPDATE SET position = greatest(r.position, excluded.position)`,
);
/** Everything from the last received message on is new again. */
const MARK_UNREAD = statement(
  `INSERT INTO thread_reads AS r (party_id, reader_kind, reader_id, thread_id, position)
   SELECT $1, $3::worker_kind, $4, k.thread_id, e.position - 1
     FROM unnest($2::uuid[]) AS k (thread_id), LATERAL (
          SELECT max(e.position) AS position FROM ledger_entries e WHERE e.party_id = $1 AND e.thread_id = k.thread_id AND e.box = 'in') e
    WHERE e.position IS NOT NULL ORDER BY k.thread_id
   ON CONFLICT (party_id, reader_kind, reader_id, thread_id) DO UPDATE SET position = least(r.position, excluded.position)`,
);

export async function markRead(
  db: Queryable,
  partyId: bigint,
  reader: Colleague,
  threadIds: readonly string[],
  isUnread: boolean,
): Promise<void> {
  await db.query(isUnread ? MARK_UNREAD : MARK_READ, [partyId, uuidArray(threadIds), reader.kind, reader.id]);
}

const STATE = prepared(
  'thread-state',
  `SELECT t.subject, t.message_count, t.is_done, t.labels, t.assignee_kind, t.assignee_id, ${DOCUMENT},
          (SELECT count(*)::integer FROM (
             SELECT 1 FROM ledger_entries e WHERE e.party_id = $1 AND e.thread_id = $2 AND e.box = 'in' AND e.position > coalesce(
                    (SELECT r.position FROM thread_reads r WHERE r.party_id = $1 AND r.reader_kind = $3 AND r.reader_id = $4 AND r.thread_id = $2),
                    greatest($5::bigint, (SELECT i.read_from FROM thread_index i WHERE i.party_id = $1)))
              LIMIT $6) e) AS unread_count
     FROM threads t WHERE t.party_id = $1 AND t.thread_id = $2`,
  {
    subject: 'text?',
    message_count: 'integer',
    is_done: 'boolean',
    labels: 'text[]',
    assignee_kind: oneOf('worker_kind?', COLLEAGUE_KINDS),
    assignee_id: 'uuid?',
    unread_count: 'integer',
    ...DOCUMENT_ROW,
  },
);

export async function stateOf(db: Queryable, partyId: bigint, threadId: string, reader: Reader, unreadMax: number) {
  return onlyRow(await db.query(STATE, [partyId, threadId, reader.kind, reader.id, reader.since, unreadMax]));
}
