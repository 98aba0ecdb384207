import type { Queryable } from '../../platform/postgres.ts';

/** The business that a thread of somebody without a handle has gone over to. */
export async function findJoined(db: Queryable, partyId: bigint, threadId: string): Promise<bigint | undefined> {
  const [row] = await db.query<{ business_id: string }>('SELECT business_id FROM joined_threads WHERE party_id = $1 AND thread_id = $2', [
    partyId,
    threadId,
  ]);
  return row && BigInt(row.business_id);
}

/** The threads of a party without a handle: all of them, or those that a mailbox began. */
export async function threadsToJoin(db: Queryable, unclaimedId: bigint, mailbox: string | null): Promise<string[]> {
  const rows = await db.query<{ thread_id: string }>(
    `SELECT thread_id FROM ledger_entries WHERE party_id = $1
      GROUP BY thread_id HAVING $2::text IS NULL OR (array_agg(from_email ORDER BY position))[1] = $2`,
    [unclaimedId, mailbox],
  );
  return rows.map(({ thread_id }) => thread_id);
}

export async function joinThread(
  db: Queryable,
  unclaimedId: bigint,
  threadId: string,
  businessId: bigint,
  mailbox: string | null,
): Promise<number> {
  const [row] = await db.query<{ joined: string }>('SELECT join_thread($1, $2, $3, $4) AS joined', [
    unclaimedId,
    threadId,
    businessId,
    mailbox,
  ]);
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
