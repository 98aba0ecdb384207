import { DOCUMENTS_PER_THREAD_READ_MAX } from '../../contract/limits.ts';
import { bigintArray, uuidArray } from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, prepared, type RowOf, statement, variants } from '../../platform/postgres/statement.ts';

const POSITION_MAX = 2n ** 63n - 1n;
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const COLLEAGUE_KINDS = ['person', 'agent'] as const;

/** The expression of the index search_documents_by_word (migration 0005). */
const INDEXED = `array_to_tsvector(string_to_array(ltrim(replace(rtrim(d.words), ' ', ' ' || d.party_id::text || ':')), ' '))`;

const FOUND = columns({
  position: 'bigint',
  id: 'uuid',
  thread_id: 'uuid',
  thread_subject: 'text?',
  /** The key of the message. A comment has the last message of its thread. */
  sender_id: 'bigint?',
  message_id: 'uuid?',
  comment_text: 'text?',
  author_kind: oneOf('worker_kind?', COLLEAGUE_KINDS),
  author_id: 'uuid?',
  author_name: 'text?',
  created_at: 'timestamptz?',
});

export type Found = RowOf<typeof FOUND>;

export interface Place {
  position: string;
  id: string;
}

export interface Conditions {
  patterns: string[];
  since?: bigint | undefined;
  until?: bigint | undefined;
  isDone?: boolean | undefined;
  label?: string | undefined;
  assigneeId?: string | null | undefined;
  isUnread?: boolean | undefined;
  state?: string | undefined;
  number?: string | undefined;
  dueRanges: string[];
  totalRanges: string[];
  reader: { kind: 'person' | 'agent'; id: string; since: bigint };
}

const BEGIN = prepared('begin-search', 'SELECT begin_search($1::bigint) AS is_complete', { is_complete: 'boolean' });

/** Makes workers index the messages of a business from now on. Returns whether all of them are indexed. */
export async function beginSearch(db: Queryable, partyId: bigint): Promise<boolean> {
  return onlyRow(await db.query(BEGIN, [partyId])).is_complete;
}

const RANGE = '(d.position, d.id) < ($2::bigint, $3::uuid) AND d.position >= $4 AND d.position < $5';
const NEWEST_FIRST = 'ORDER BY d.position DESC, d.id DESC';

/** newest: the newest $6 documents. words: all that the index has for the tsquery $6. "+ 0" keeps other indexes out. */
const DRIVERS = {
  newest: `SELECT d.* FROM search_documents d WHERE d.party_id = $1 AND ${RANGE} ${NEWEST_FIRST} LIMIT $6::integer`,
  words: `SELECT d.* FROM search_documents d WHERE ${INDEXED} @@ $6::text::tsquery AND d.party_id + 0 = $1 AND ${RANGE.replaceAll('d.position', 'd.position + 0')}`,
} as const;

/**
 * Finds only messages in the party's ledger, and its own comments. LATERAL with LIMIT 1 keeps every plan from scanning whole tables. The
 * document's words are compared before anything else is read.
 */
const FIND = variants(
  { driver: ['newest', 'words'] },
  FOUND,
  ({ driver }) =>
    `WITH d AS MATERIALIZED (SELECT d.party_id, d.position, d.id, d.box, d.thread_id FROM (${DRIVERS[driver]}) d WHERE d.words LIKE ALL ($7::text[]))
     SELECT d.position, d.id, d.thread_id, t.subject AS thread_subject, coalesce(e.sender_id, t.last_sender_id) AS sender_id, coalesce(e.message_id, t.last_message_id) AS message_id,
            c.text AS comment_text, c.author_kind, c.author_id, c.author_name, c.created_at
       FROM d
       LEFT JOIN LATERAL (
         SELECT e.message_id, coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END) AS sender_id
           FROM ledger_entries e WHERE e.party_id = $1 AND e.box = d.box AND e.position = d.position AND e.message_id = d.id
            AND (e.box = 'out' OR e.counterparty_id <> e.party_id) LIMIT 1) e ON true
       LEFT JOIN LATERAL (
         SELECT c.* FROM thread_comments c WHERE d.box IS NULL AND c.party_id = $1 AND c.thread_id = d.thread_id AND c.id = d.id LIMIT 1) c ON true
       LEFT JOIN LATERAL (SELECT t.* FROM threads t WHERE t.party_id = $1 AND t.thread_id = d.thread_id LIMIT 1) t ON true
      WHERE (e.message_id IS NOT NULL OR c.id IS NOT NULL AND t.thread_id IS NOT NULL)
        AND ($9::boolean IS NULL OR t.is_done = $9) AND ($10::text IS NULL OR t.labels @> ARRAY[$10])
        AND ($11::uuid IS NULL OR t.assignee_id = $11) AND (NOT $12::boolean OR t.thread_id IS NOT NULL AND t.assignee_id IS NULL)
        AND (NOT $13::boolean OR d.box = 'in' AND d.position > coalesce(
              (SELECT r.position FROM thread_reads r WHERE r.party_id = $1 AND r.reader_kind = $14 AND r.reader_id = $15 AND r.thread_id = d.thread_id),
              greatest($16::bigint, (SELECT i.read_from FROM thread_index i WHERE i.party_id = $1))))
        AND ($17::document_state IS NULL OR t.document_state = $17) AND t.document_due <@ ALL ($18::daterange[]) AND t.document_total <@ ALL ($19::numrange[])
        AND ($20::text IS NULL OR lower($20 COLLATE "C") IN (
              SELECT lower(f.number) FROM (SELECT f.number FROM document_facts f WHERE f.party_id = $1 AND f.thread_id = d.thread_id
                                            ORDER BY f.message_id DESC LIMIT ${DOCUMENTS_PER_THREAD_READ_MAX}) f))
      ${NEWEST_FIRST} LIMIT $8`,
);

function valuesOf(partyId: bigint, driven: number | string, conditions: Conditions, after: Place | undefined, limit: number): unknown[] {
  const { patterns, since = 0n, until = POSITION_MAX, isDone, label, assigneeId, isUnread, reader } = conditions;
  const ofDocument = [conditions.state, conditions.dueRanges, conditions.totalRanges, conditions.number];
  const { position, id } = after ?? { position: POSITION_MAX, id: LAST_UUID };
  const ofThread = [isDone, label, assigneeId, assigneeId === null, isUnread === true];
  return [partyId, position, id, since, until, driven, patterns, limit, ...ofThread, reader.kind, reader.id, reader.since, ...ofDocument];
}

export interface Walked {
  rows: Found[];
  /** The walk stopped at this place, and there may be more documents below it. */
  walkedTo: Place | undefined;
}

const WALK_END = statement(
  `SELECT d.position, d.id FROM search_documents d WHERE d.party_id = $1 AND ${RANGE} ${NEWEST_FIRST} OFFSET $6::integer - 1 LIMIT 1`,
  { position: 'bigint', id: 'uuid' },
);

export async function walk(
  db: Queryable,
  partyId: bigint,
  conditions: Conditions,
  after: Place | undefined,
  documents: number,
  limit: number,
): Promise<Walked> {
  const values = valuesOf(partyId, documents, conditions, after, limit);
  const rows = await db.query(FIND.of({ driver: 'newest' }), values);
  if (rows.length === limit) return { rows, walkedTo: rows.at(-1) };
  const [end] = await db.query(WALK_END, values.slice(0, 6));
  return { rows, walkedTo: end };
}

const LIMIT_STATEMENTS = statement(
  `SELECT set_config('statement_timeout', $1::text, true) AS timeout, set_config('enable_seqscan', 'off', true) AS scans`,
  { timeout: 'text', scans: 'text' },
);

/** Returns all documents that the word index has for a tsquery, newest first. Runs in a transaction, which ends when it takes too long. */
export async function findByWords(
  tx: Queryable,
  partyId: bigint,
  tsquery: string,
  conditions: Conditions,
  after: Place | undefined,
  { limit, patienceMs }: { limit: number; patienceMs: number },
): Promise<Found[]> {
  await tx.query(LIMIT_STATEMENTS, [patienceMs]);
  return tx.query(FIND.of({ driver: 'words' }), valuesOf(partyId, tsquery, conditions, after, limit));
}

const WITH_LABEL = statement(
  'SELECT thread_id FROM thread_labels WHERE party_id = $1 AND label = $2 ORDER BY last_position DESC, thread_id DESC LIMIT $3',
  { thread_id: 'uuid' },
);
const WITH_ASSIGNEE = statement(
  'SELECT thread_id FROM threads WHERE party_id = $1 AND assignee_id = $2 ORDER BY last_position DESC, thread_id DESC LIMIT $3',
  { thread_id: 'uuid' },
);

/** Of businesses that use filters of threads. */
const WITH_STATE = statement(
  `SELECT t.thread_id FROM threads t WHERE t.party_id = $1 AND t.is_filtered AND t.document_state = $2
    ORDER BY t.last_position DESC, t.thread_id DESC LIMIT $3`,
  { thread_id: 'uuid' },
);
const WITH_NUMBER = statement(
  `SELECT f.thread_id FROM document_facts f WHERE f.party_id = $1 AND f.is_filtered AND f.number IS NOT NULL AND lower(f.number) = lower($2 COLLATE "C")
    ORDER BY f.message_id DESC LIMIT $3`,
  { thread_id: 'uuid' },
);
const ARE_FILTERED = statement('SELECT FROM thread_index WHERE party_id = $1 AND filtered_through = $2');
const BEGIN_FILTERS = statement('SELECT FROM begin_thread_filters($1::bigint)');

type ByThread = { label: string } | { assigneeId: string } | { number: string } | { state: string };

/** Undefined: the threads of the business are not in the index that has them, but will be soon. */
export async function threadsWith(db: Queryable, partyId: bigint, by: ByThread, limit: number): Promise<string[] | undefined> {
  if (('number' in by || 'state' in by) && (await db.query(ARE_FILTERED, [partyId, LAST_UUID])).length === 0) {
    await db.query(BEGIN_FILTERS, [partyId]);
    return undefined;
  }
  const [value] = Object.values(by);
  const find = 'label' in by ? WITH_LABEL : 'assigneeId' in by ? WITH_ASSIGNEE : 'number' in by ? WITH_NUMBER : WITH_STATE;
  return (await db.query(find, [partyId, value, limit])).map(({ thread_id }) => thread_id);
}

const JSON_TEXTS = statement(
  `SELECT (SELECT left(m.json, $3) FROM messages m WHERE m.sender_id = k.sender_id AND m.id = k.id) AS json
     FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k (sender_id, id, place) ORDER BY k.place`,
  { json: 'text?' },
);

export async function jsonTexts(
  db: Queryable,
  keys: readonly { senderId: bigint; messageId: string }[],
  chars: number,
): Promise<(string | null)[]> {
  const senders = bigintArray(keys.map(({ senderId }) => senderId));
  const rows = await db.query(JSON_TEXTS, [senders, uuidArray(keys.map(({ messageId }) => messageId)), chars]);
  return rows.map(({ json }) => json);
}
