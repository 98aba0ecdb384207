import { uuidArray } from '../../platform/postgres/binary-array.ts';
import { JOIN_MESSAGE } from '../../platform/postgres/ledger-sql.ts';
import { type Database, onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { prepared, statement } from '../../platform/postgres/statement.ts';

const JOINED = statement('SELECT business_id FROM joined_threads WHERE party_id = $1 AND thread_id = $2', { business_id: 'bigint' });
const HAS_MESSAGE = statement('SELECT FROM ledger_entries WHERE party_id = $1 AND message_id = $2 LIMIT 1');

/** The business whose ledger now has this message, which a party without a handle had before. */
export async function findJoined(database: Database, partyId: bigint, threadId: string, messageId: string): Promise<bigint | undefined> {
  for (const row of await database.query(JOINED, [partyId, threadId])) {
    const businessId = BigInt(row.business_id);
    if ((await database.of(businessId).query(HAS_MESSAGE, [businessId, messageId])).length > 0) return businessId;
  }
  return undefined;
}

const THREADS_OF_BUSINESS = statement('SELECT thread_id FROM joined_threads WHERE party_id = $1 AND business_id = $2', {
  thread_id: 'uuid',
});
const THREADS_TO_JOIN = statement(
  `SELECT e.thread_id FROM ledger_entries e WHERE e.party_id = $1
    GROUP BY e.thread_id
   HAVING $2::text IS NULL OR (array_agg(e.from_email ORDER BY e.position))[1] = $2 OR e.thread_id = ANY ($3::uuid[])`,
  { thread_id: 'uuid' },
);

export async function threadsToJoin(
  database: Database,
  unclaimedId: bigint,
  businessId: bigint,
  mailbox: string | null,
): Promise<string[]> {
  const joined = await database.query(THREADS_OF_BUSINESS, [unclaimedId, businessId]);
  const known = uuidArray(joined.map(({ thread_id }) => thread_id));
  const rows = await database.of(unclaimedId).query(THREADS_TO_JOIN, [unclaimedId, mailbox, known]);
  return rows.map(({ thread_id }) => thread_id);
}

const MAY_JOIN = statement(
  `SELECT FROM parties p
    WHERE p.id = $1
      AND ($3::text IS NOT NULL OR p.domain IS NULL
           OR EXISTS (SELECT 1 FROM verified_domains d WHERE d.domain = p.domain AND d.party_id = $2))`,
);
const LOCK_LEDGER = statement('INSERT INTO ledgers AS l (party_id) VALUES ($1) ON CONFLICT (party_id) DO UPDATE SET head = l.head');
const IN_THREAD = statement('SELECT message_id FROM ledger_entries WHERE party_id = $1 AND thread_id = $2', { message_id: 'uuid' });
const TO_MOVE = statement(
  `WITH RECURSIVE its AS (
     SELECT e.message_id FROM ledger_entries e
      WHERE e.party_id = $1 AND e.thread_id = $2
        AND ($3::text IS NULL OR (e.box = 'out' AND e.from_email = $3)
             -- Replies to what has been moved before.
             OR (e.box = 'in' AND EXISTS (SELECT 1 FROM messages m
                                           WHERE m.sender_id = e.counterparty_id AND m.id = e.message_id AND m.in_reply_to = ANY ($4::uuid[]))))
     UNION
     SELECT e.message_id
       FROM its JOIN ledger_entries e ON e.party_id = $1 AND e.thread_id = $2 AND e.box = 'in'
       JOIN messages m ON m.sender_id = e.counterparty_id AND m.id = e.message_id AND m.in_reply_to = its.message_id
   )
   SELECT its.message_id, EXISTS (SELECT 1 FROM relays r WHERE r.sender_id = $1 AND r.message_id = its.message_id) AS is_relayed FROM its`,
  { message_id: 'uuid', is_relayed: 'boolean' },
);
const INSERT_JOINED = statement('INSERT INTO joined_threads (party_id, thread_id, business_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING');
const LEAVE_THREAD = statement('SELECT leave_thread($1::bigint, $2::uuid, $3::uuid[])::text AS taken', { taken: 'text' });
const ENTER_THREAD = statement('SELECT FROM enter_thread($1::bigint, $2::bigint, $3::uuid, $4::uuid[], $5::json)');

/**
 * Moves a thread from the ledger of a party without a handle to that of a business: all of it, or the messages of one mailbox and the
 * replies to them. Entries are moved, not copied, so that a later owner of a domain does not get them too. They keep their time. A second
 * call moves messages that have come meanwhile. Returns how many messages joined. The threads of a domain do not join a business that has
 * given up the domain meanwhile: the next holder may get them.
 */
export function joinThread(
  database: Database,
  unclaimedId: bigint,
  threadId: string,
  businessId: bigint,
  mailbox: string | null,
): Promise<number> {
  return database.acrossShards(async (of) => {
    const [from, to] = [of(unclaimedId), of(businessId)];
    if ((await from.query(MAY_JOIN, [unclaimedId, businessId, mailbox])).length === 0) return 0;
    // Locks both ledgers, in the order in which deliveries lock them.
    for (const id of [unclaimedId, businessId].sort((a, b) => (a < b ? -1 : 1))) await of(id).query(LOCK_LEDGER, [id]);
    const before = await to.query(IN_THREAD, [businessId, threadId]);
    const rows = await from.query(TO_MOVE, [unclaimedId, threadId, mailbox, uuidArray(before.map(({ message_id }) => message_id))]);
    if (rows.some(({ is_relayed }) => is_relayed)) throw new Error('a message of the thread is still on its way to its recipient');
    const moving = rows.map(({ message_id }) => message_id);
    await from.query(INSERT_JOINED, [unclaimedId, threadId, businessId]);
    if (database.of(unclaimedId) !== database.of(businessId)) await copyMessages(from, to, unclaimedId, moving);
    const { taken } = onlyRow(await from.query(LEAVE_THREAD, [unclaimedId, threadId, uuidArray(moving)]));
    await moveSaid(from, to, unclaimedId, businessId, moving);
    await to.query(ENTER_THREAD, [businessId, unclaimedId, threadId, uuidArray(moving), taken]);
    return moving.length;
  });
}

const READ_MESSAGES = statement(
  `SELECT row_to_json(m)::text AS message FROM ledger_entries e ${JOIN_MESSAGE} WHERE e.party_id = $1 AND e.message_id = ANY ($2::uuid[])`,
  { message: 'text' },
);
const COPY_MESSAGES = statement(
  `INSERT INTO messages SELECT m.* FROM unnest($1::text[]) AS t (message), json_populate_record(NULL::messages, t.message::json) AS m
   ON CONFLICT DO NOTHING`,
);
/** The limit is low because messages can be large. */
const COPIED_AT_ONCE = 20;

/** A ledger's messages are in its own shard. */
async function copyMessages(from: Queryable, to: Queryable, partyId: bigint, messageIds: readonly string[]): Promise<void> {
  for (let i = 0; i < messageIds.length; i += COPIED_AT_ONCE) {
    const rows = await from.query(READ_MESSAGES, [partyId, uuidArray(messageIds.slice(i, i + COPIED_AT_ONCE))]);
    await to.query(COPY_MESSAGES, [rows.map(({ message }) => message)]);
  }
}

const readSaid = (table: string) =>
  `SELECT row_to_json(s)::text AS taken FROM ${table} s WHERE s.party_id = $1 AND s.message_id = ANY ($2::uuid[])`;
const deleteSaid = (table: string) => `DELETE FROM ${table} WHERE party_id = $1 AND message_id = ANY ($2::uuid[])`;
const putSaid = (table: string) =>
  `INSERT INTO ${table} SELECT s.* FROM unnest($1::text[]) AS t (taken),
     jsonb_populate_record(NULL::${table}, t.taken::jsonb || jsonb_build_object('party_id', $2::bigint)) AS s
   ON CONFLICT DO NOTHING`;

const ACKNOWLEDGEMENTS = statement(readSaid('acknowledgements'), { taken: 'text?' });
const DELETE_ACKNOWLEDGEMENTS = statement(deleteSaid('acknowledgements'));
const PUT_ACKNOWLEDGEMENTS = statement(putSaid('acknowledgements'));
const NON_DELIVERIES = statement(readSaid('non_deliveries'), { taken: 'text?' });
const DELETE_NON_DELIVERIES = statement(deleteSaid('non_deliveries'));
const PUT_NON_DELIVERIES = statement(putSaid('non_deliveries'));

const SAID = [
  { read: ACKNOWLEDGEMENTS, remove: DELETE_ACKNOWLEDGEMENTS, put: PUT_ACKNOWLEDGEMENTS },
  { read: NON_DELIVERIES, remove: DELETE_NON_DELIVERIES, put: PUT_NON_DELIVERIES },
];

/** What was said of messages moves with them. A business that has acknowledged a message itself has its own already. */
async function moveSaid(
  from: Queryable,
  to: Queryable,
  unclaimedId: bigint,
  businessId: bigint,
  messageIds: readonly string[],
): Promise<void> {
  for (const { read, remove, put } of SAID) {
    const rows = await from.query(read, [unclaimedId, uuidArray(messageIds)]);
    if (rows.length > 0) await from.query(remove, [unclaimedId, uuidArray(messageIds)]);
    if (rows.length > 0) await to.query(put, [rows.map(({ taken }) => taken), businessId]);
  }
}

const JOINED_HERE = prepared('joined-here', 'SELECT party_id FROM joined_threads WHERE business_id = $1 AND thread_id = $2', {
  party_id: 'bigint',
});
const COUNT_IN_THREAD = statement('SELECT count(*) FROM ledger_entries WHERE party_id = $1 AND thread_id = $2', { count: 'bigint' });

/** Counts the messages of a thread that did not join the party's history: those that other mailboxes of the domain exchanged. */
export async function countHidden(database: Database, partyId: bigint, threadId: string): Promise<number> {
  let hidden = 0;
  for (const { party_id: otherId } of await database.query(JOINED_HERE, [partyId, threadId]))
    hidden += Number(onlyRow(await database.of(BigInt(otherId)).query(COUNT_IN_THREAD, [otherId, threadId])).count);
  return hidden;
}

const CONTACTS_TO_MERGE = statement(
  `SELECT c.party_id FROM parties p JOIN verified_domains d ON d.domain = p.domain JOIN contacts c ON c.other_id = p.id
    WHERE p.id = $1 AND d.party_id = $2`,
  { party_id: 'bigint' },
);

export async function contactsToMerge(db: Queryable, unclaimedId: bigint, businessId: bigint): Promise<bigint[]> {
  const rows = await db.query(CONTACTS_TO_MERGE, [unclaimedId, businessId]);
  return rows.map(({ party_id }) => BigInt(party_id));
}

const MERGE_CONTACT = statement('SELECT FROM merge_contact($1::bigint, $2::bigint, $3::bigint)');

export async function mergeContact(db: Queryable, ownerId: bigint, unclaimedId: bigint, businessId: bigint): Promise<void> {
  await db.query(MERGE_CONTACT, [ownerId, unclaimedId, businessId]);
}
