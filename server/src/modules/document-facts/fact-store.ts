import { DOCUMENT_STATES } from '@waybill/documents';
import { ACKNOWLEDGEMENT_STATUSES } from '../../contract/acknowledgements.ts';
import { DOCUMENTS_PER_THREAD_READ_MAX } from '../../contract/limits.ts';
import { bigintArray, uuidArray } from '../../platform/postgres/binary-array.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, type RowOf, statement } from '../../platform/postgres/statement.ts';
import type { Queued } from './queue-store.ts';

const SENDER = `coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END)`;
const ENTRY = columns({
  place: 'integer',
  position: 'bigint',
  message_id: 'uuid',
  sender_id: 'bigint',
  type: 'text?',
  json_bytes: 'integer?',
});

export type Entry = RowOf<typeof ENTRY>;

const inBox = (box: string) =>
  `(SELECT l.* FROM ledger_entries l WHERE l.party_id = k.party_id AND l.thread_id = k.thread_id AND l.box = '${box}' AND l.position > k.after
       AND l.position <= (SELECT i.indexed_through FROM thread_index i WHERE i.party_id = k.party_id)
     ORDER BY l.position LIMIT $4)`;

const ENTRIES = statement(
  `SELECT k.place::integer AS place, e.position, e.message_id, ${SENDER} AS sender_id, e.type, octet_length(m.json) AS json_bytes
     FROM unnest($1::bigint[], $2::uuid[], $3::bigint[]) WITH ORDINALITY AS k (party_id, thread_id, after, place)
    CROSS JOIN LATERAL (${inBox('in')} UNION ALL ${inBox('out')} ORDER BY position LIMIT $4) e
     LEFT JOIN LATERAL (SELECT m.json FROM messages m WHERE m.sender_id = ${SENDER} AND m.id = e.message_id LIMIT 1) m ON true
    ORDER BY k.place, e.position`,
  ENTRY,
);

/** The next entries of each queued thread that the followers have read, at most `partMax` of each. `place` counts the threads from 1. */
export async function entriesOf(tx: Queryable, queued: readonly Queued[], partMax: number): Promise<Entry[]> {
  return tx.query(ENTRIES, [...threadKeys(queued), bigintArray(queued.map(({ after }) => BigInt(after))), partMax]);
}

const JSON_TEXTS = statement(
  `SELECT (SELECT m.json FROM messages m WHERE m.sender_id = k.sender_id AND m.id = k.id) AS json
     FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k (sender_id, id, place) ORDER BY k.place`,
  { json: 'text?' },
);

export async function jsonTexts(tx: Queryable, entries: readonly Entry[]): Promise<(string | null)[]> {
  const senders = bigintArray(entries.map(({ sender_id }) => BigInt(sender_id)));
  const rows = await tx.query(JSON_TEXTS, [senders, uuidArray(entries.map(({ message_id }) => message_id))]);
  return rows.map(({ json }) => json);
}

const FILTERED = statement(
  'SELECT party_id, filtered_through IS NOT NULL AS is_filtered FROM thread_index WHERE party_id = ANY ($1::bigint[]) ORDER BY party_id FOR SHARE',
  { party_id: 'bigint', is_filtered: 'boolean' },
);

/** Those of the businesses that use filters of threads. None begins to use them until the transaction ends. */
export async function filteredAmong(tx: Queryable, parties: readonly bigint[]): Promise<Set<bigint>> {
  const rows = await tx.query(FILTERED, [bigintArray(parties)]);
  return new Set(rows.flatMap(({ party_id, is_filtered }) => (is_filtered ? [BigInt(party_id)] : [])));
}

/** A row of document_facts as JSON. Numbers of 64 bits and decimals are texts. */
export interface FactRow {
  party_id: string;
  thread_id: string;
  message_id: string;
  type: string | null;
  status: string | undefined;
  number: string | undefined;
  total: string | undefined;
  currency: string | undefined;
  due_date: string | undefined;
  is_filtered: boolean;
}

const WRITE = statement(
  `INSERT INTO document_facts AS f (party_id, thread_id, message_id, type, status, number, total, currency, due_date, is_filtered)
   SELECT r.* FROM json_to_recordset($1::json) AS r (party_id bigint, thread_id uuid, message_id uuid, type text, status text, number text, total numeric,
                                                     currency text, due_date date, is_filtered boolean)
   ON CONFLICT (party_id, thread_id, message_id) DO UPDATE
     SET type = excluded.type, status = excluded.status, number = excluded.number, total = excluded.total, currency = excluded.currency,
         due_date = excluded.due_date, is_filtered = f.is_filtered OR excluded.is_filtered
   WHERE (f.type, f.status, f.number, f.total, f.currency, f.due_date, f.is_filtered)
         IS DISTINCT FROM (excluded.type, excluded.status, excluded.number, excluded.total, excluded.currency, excluded.due_date, excluded.is_filtered)`,
);

export async function writeFacts(tx: Queryable, rows: readonly FactRow[]): Promise<void> {
  if (rows.length > 0) await tx.query(WRITE, [JSON.stringify(rows)]);
}

const FORGET = statement(
  `DELETE FROM document_facts f WHERE f.party_id = $1 AND f.thread_id = $2
      AND (f.message_id = ANY ($3::uuid[]) OR $4 AND NOT EXISTS (SELECT FROM ledger_entries e WHERE e.party_id = $1 AND e.message_id = f.message_id))`,
);

/** Removes the facts of messages that have none any more; after the last part of a thread, also those of messages that have left the ledger. */
export async function forgetFacts(
  tx: Queryable,
  { partyId, threadId }: Queued,
  without: readonly string[],
  isLast: boolean,
): Promise<void> {
  await tx.query(FORGET, [partyId, threadId, uuidArray(without), isLast]);
}

const FACT = columns({
  place: 'integer',
  message_id: 'uuid',
  type: 'text?',
  status: 'text?',
  number: 'text?',
  total: 'text?',
  currency: 'text?',
  due_date: 'text?',
  acknowledged: oneOf('acknowledgement_status?', ACKNOWLEDGEMENT_STATUSES),
});

export type Fact = RowOf<typeof FACT>;

const FACTS = statement(
  `SELECT k.place::integer AS place, f.message_id, f.type, f.status, f.number, f.total::text AS total, f.currency, f.due_date::text AS due_date, a.status AS acknowledged
     FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k (party_id, thread_id, place)
    CROSS JOIN LATERAL (SELECT * FROM document_facts f WHERE f.party_id = k.party_id AND f.thread_id = k.thread_id
                         ORDER BY f.message_id DESC LIMIT ${DOCUMENTS_PER_THREAD_READ_MAX}) f
     LEFT JOIN LATERAL (SELECT a.status FROM acknowledgements a WHERE a.party_id = k.party_id AND a.message_id = f.message_id
                         ORDER BY a.number DESC LIMIT 1) a ON true
    ORDER BY k.place, f.message_id`,
  FACT,
);

export interface ThreadKey {
  partyId: bigint;
  threadId: string;
}

/** What is known of the newest documents of threads, the oldest first. `place` counts the threads from 1. */
export async function factsOf(tx: Queryable, threads: readonly ThreadKey[]): Promise<Fact[]> {
  return tx.query(FACTS, threadKeys(threads));
}

const DOCUMENT = columns({
  party_id: 'bigint',
  thread_id: 'uuid',
  document_state: oneOf('document_state?', ['none', ...DOCUMENT_STATES]),
  document_type: 'text?',
  document_number: 'text?',
  document_total: 'text?',
  document_currency: 'text?',
  document_due: 'text?',
  document_rank: 'smallint?',
  document_through: 'uuid?',
});

export type DocumentRow = RowOf<typeof DOCUMENT>;

const DOCUMENTS = statement(
  `SELECT t.party_id, t.thread_id, t.document_state, t.document_type, t.document_number, t.document_total::text AS document_total, t.document_currency,
          t.document_due::text AS document_due, t.document_rank, t.document_through
     FROM unnest($1::bigint[], $2::uuid[]) AS k (party_id, thread_id) JOIN threads t ON t.party_id = k.party_id AND t.thread_id = k.thread_id`,
  DOCUMENT,
);

export async function documentsOf(tx: Queryable, threads: readonly ThreadKey[]): Promise<DocumentRow[]> {
  return tx.query(DOCUMENTS, threadKeys(threads));
}

const LOCK = statement(
  `SELECT FROM unnest($1::bigint[], $2::uuid[]) AS k (party_id, thread_id) JOIN threads t ON t.party_id = k.party_id AND t.thread_id = k.thread_id
    ORDER BY t.party_id, t.thread_id FOR UPDATE OF t`,
);
const SET = statement(
  `UPDATE threads t
      SET document_state = r.document_state, document_type = r.document_type, document_number = r.document_number, document_total = r.document_total,
          document_currency = r.document_currency, document_due = r.document_due,
          document_rank = r.document_rank, document_through = r.document_through
     FROM json_to_recordset($1::json) AS r (party_id bigint, thread_id uuid, document_state document_state, document_type text, document_number text,
                                            document_total numeric, document_currency text, document_due date, document_rank smallint, document_through uuid)
    WHERE t.party_id = r.party_id AND t.thread_id = r.thread_id`,
);

/** Locks the rows in the order in which all others lock them. */
export async function setDocuments(tx: Queryable, rows: readonly DocumentRow[]): Promise<void> {
  await tx.query(LOCK, threadKeys(rows.map(({ party_id, thread_id }) => ({ partyId: BigInt(party_id), threadId: thread_id }))));
  await tx.query(SET, [JSON.stringify(rows)]);
}

function threadKeys(threads: readonly ThreadKey[]) {
  return [bigintArray(threads.map(({ partyId }) => partyId)), uuidArray(threads.map(({ threadId }) => threadId))];
}
