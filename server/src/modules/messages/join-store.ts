import { onlyRow, type Queryable } from '../../platform/postgres.ts';
import { prepared, statement } from '../../platform/statement.ts';

const JOINED = statement(
  `SELECT j.business_id FROM joined_threads j
    WHERE j.party_id = $1 AND j.thread_id = $2
      AND EXISTS (SELECT FROM ledger_entries e WHERE e.party_id = j.business_id AND e.message_id = $3)`,
  { business_id: 'bigint' },
);

/** The business whose ledger now has a message of a thread of a party without a handle. */
export async function findJoined(db: Queryable, partyId: bigint, threadId: string, messageId: string): Promise<bigint | undefined> {
  const [row] = await db.query(JOINED, [partyId, threadId, messageId]);
  return row && BigInt(row.business_id);
}

const THREADS_TO_JOIN = statement(
  `SELECT e.thread_id FROM ledger_entries e WHERE e.party_id = $1
    GROUP BY e.thread_id
   HAVING $3::text IS NULL OR (array_agg(e.from_email ORDER BY e.position))[1] = $3
          OR EXISTS (SELECT FROM joined_threads j WHERE j.party_id = $1 AND j.thread_id = e.thread_id AND j.business_id = $2)`,
  { thread_id: 'uuid' },
);

/** The threads of a party without a handle: all of them, or those that a mailbox began. */
export async function threadsToJoin(db: Queryable, unclaimedId: bigint, businessId: bigint, mailbox: string | null): Promise<string[]> {
  const rows = await db.query(THREADS_TO_JOIN, [unclaimedId, businessId, mailbox]);
  return rows.map(({ thread_id }) => thread_id);
}

const JOIN_THREAD = statement(
  `SELECT join_thread(p.id, $2, $3, $4) AS joined FROM parties p
    WHERE p.id = $1
      AND ($4::text IS NOT NULL OR p.domain IS NULL
           OR EXISTS (SELECT FROM verified_domains d WHERE d.domain = p.domain AND d.party_id = $3))`,
  { joined: 'bigint' },
);

/**
 * Returns how many messages joined. The threads of a domain do not join a business that has given up the domain meanwhile: the next
 * holder may get them.
 */
export async function joinThread(
  db: Queryable,
  unclaimedId: bigint,
  threadId: string,
  businessId: bigint,
  mailbox: string | null,
): Promise<number> {
  const [row] = await db.query(JOIN_THREAD, [unclaimedId, threadId, businessId, mailbox]);
  return Number(row?.joined ?? 0);
}

const COUNT_HIDDEN = prepared(
  'hidden-in-thread',
  `SELECT count(*) FROM joined_threads j JOIN ledger_entries e ON e.party_id = j.party_id AND e.thread_id = j.thread_id
    WHERE j.business_id = $1 AND j.thread_id = $2`,
  { count: 'bigint' },
);

/** How many messages of a thread did not join the party's history: those that other mailboxes of the domain exchanged. */
export async function countHidden(db: Queryable, partyId: bigint, threadId: string): Promise<number> {
  return Number(onlyRow(await db.query(COUNT_HIDDEN, [partyId, threadId])).count);
}

const CONTACTS_TO_MERGE = statement(
  `SELECT c.party_id FROM parties p JOIN verified_domains d ON d.domain = p.domain JOIN contacts c ON c.other_id = p.id
    WHERE p.id = $1 AND d.party_id = $2`,
  { party_id: 'bigint' },
);

/** The parties that have a domain in their contacts, if a business holds the domain now. */
export async function contactsToMerge(db: Queryable, unclaimedId: bigint, businessId: bigint): Promise<bigint[]> {
  const rows = await db.query(CONTACTS_TO_MERGE, [unclaimedId, businessId]);
  return rows.map(({ party_id }) => BigInt(party_id));
}

const MERGE_CONTACT = statement('SELECT FROM merge_contact($1, $2, $3)');

/** Merges the contact of a domain into the contact of the business, for one owner of contacts. */
export async function mergeContact(db: Queryable, ownerId: bigint, unclaimedId: bigint, businessId: bigint): Promise<void> {
  await db.query(MERGE_CONTACT, [ownerId, unclaimedId, businessId]);
}
