import type { Queryable } from '../../platform/postgres.ts';

/** The business that has a message now which somebody without a handle exchanged in a thread. */
export async function findJoined(db: Queryable, partyId: bigint, threadId: string, messageId: string): Promise<bigint | undefined> {
  const [row] = await db.query<{ business_id: string }>(
    `SELECT j.business_id FROM joined_threads j
      WHERE j.party_id = $1 AND j.thread_id = $2
        AND EXISTS (SELECT FROM ledger_entries e WHERE e.party_id = j.business_id AND e.message_id = $3)`,
    [partyId, threadId, messageId],
  );
  return row && BigInt(row.business_id);
}

/** The threads of a party without a handle: all of them, or those that a mailbox began. */
export async function threadsToJoin(db: Queryable, unclaimedId: bigint, businessId: bigint, mailbox: string | null): Promise<string[]> {
  const rows = await db.query<{ thread_id: string }>(
    `SELECT e.thread_id FROM ledger_entries e WHERE e.party_id = $1
      GROUP BY e.thread_id
     HAVING $3::text IS NULL OR (array_agg(e.from_email ORDER BY e.position))[1] = $3
            OR EXISTS (SELECT FROM joined_threads j WHERE j.party_id = $1 AND j.thread_id = e.thread_id AND j.business_id = $2)`,
    [unclaimedId, businessId, mailbox],
  );
  return rows.map(({ thread_id }) => thread_id);
}

/** Tells how many messages there were. A domain's threads join nobody who has given the domain up meanwhile: the next one may have them. */
export async function joinThread(
  db: Queryable,
  unclaimedId: bigint,
  threadId: string,
  businessId: bigint,
  mailbox: string | null,
): Promise<number> {
  const [row] = await db.query<{ joined: string }>(
    `SELECT join_thread(p.id, $2, $3, $4) AS joined FROM parties p
      WHERE p.id = $1
        AND ($4::text IS NOT NULL OR p.domain IS NULL
             OR EXISTS (SELECT FROM verified_domains d WHERE d.domain = p.domain AND d.party_id = $3))`,
    [unclaimedId, threadId, businessId, mailbox],
  );
  return Number(row?.joined ?? 0);
}

/** How much of a thread stayed behind when it joined the party's history: what other mailboxes of the domain exchanged. */
export async function countHidden(db: Queryable, partyId: bigint, threadId: string): Promise<number> {
  const [row] = await db.query<{ count: string }>(
    {
      name: 'hidden-in-thread',
      text: `SELECT count(*) FROM joined_threads j JOIN ledger_entries e ON e.party_id = j.party_id AND e.thread_id = j.thread_id
              WHERE j.business_id = $1 AND j.thread_id = $2`,
    },
    [partyId, threadId],
  );
  return Number(row?.count ?? 0);
}

/** In whose address books a domain is, if a business has it now. */
export async function contactsToMerge(db: Queryable, unclaimedId: bigint, businessId: bigint): Promise<bigint[]> {
  const rows = await db.query<{ party_id: string }>(
    `SELECT c.party_id FROM parties p JOIN verified_domains d ON d.domain = p.domain JOIN contacts c ON c.other_id = p.id
      WHERE p.id = $1 AND d.party_id = $2`,
    [unclaimedId, businessId],
  );
  return rows.map(({ party_id }) => BigInt(party_id));
}

/** What an address book has of a domain becomes part of what it has of the business. */
export async function mergeContact(db: Queryable, ownerId: bigint, unclaimedId: bigint, businessId: bigint): Promise<void> {
  await db.query('SELECT merge_contact($1, $2, $3)', [ownerId, unclaimedId, businessId]);
}
