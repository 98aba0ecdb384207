import { FOLLOWING } from '../../src/followers.ts';
import { followSome } from '../../src/modules/following/follow-store.ts';
import type { TestService } from './service.ts';

/** Does what a worker does, for a service without one. */
export async function followAll({ database }: TestService): Promise<void> {
  for (const shard of database.shards) while ((await followSome(shard, FOLLOWING, 1_000, 10_000))?.hasMore);
}

/** Threads of businesses whose row differs from their ledger, and threads without a row. */
export async function wrongThreads({ sql }: Pick<TestService, 'sql'>): Promise<unknown[]> {
  return sql(
    `SELECT l.thread_id, l.party_id, row_to_json(l) AS ledger, row_to_json(t) AS row
       FROM (SELECT e.party_id, e.thread_id, max(e.position) AS last_position, coalesce(max(e.position) FILTER (WHERE e.box = 'in'), 0) AS last_in_position,
                    count(*) FILTER (WHERE e.box = 'in')::integer AS in_count, count(*) FILTER (WHERE e.box = 'out')::integer AS out_count,
                    count(*) FILTER (WHERE e.box = 'out' OR e.counterparty_id <> e.party_id)::integer AS message_count,
                    (array_agg(e.message_id ORDER BY e.position DESC))[1] AS last_message_id,
                    (array_agg(m.subject ORDER BY e.position) FILTER (WHERE m.subject IS NOT NULL))[1] AS subject
               FROM ledger_entries e JOIN parties p ON p.id = e.party_id AND p.handle IS NOT NULL
               JOIN messages m ON m.sender_id = coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END) AND m.id = e.message_id
              GROUP BY e.party_id, e.thread_id) l
       FULL JOIN threads t ON t.party_id = l.party_id AND t.thread_id = l.thread_id
      WHERE (l.last_position, l.last_in_position, l.in_count, l.out_count, l.message_count, l.last_message_id, l.subject)
            IS DISTINCT FROM (t.last_position, t.last_in_position, t.in_count, t.out_count, t.message_count, t.last_message_id, t.subject)
         OR t.class <> thread_class(t.in_count, t.out_count, t.is_done, t.assignee_id IS NOT NULL, t.failed_schema)`,
  );
}

/**
 * Contacts of businesses that differ from what their ledgers say: counts, times, types, and whether they are in lists. Of messages to oneself, the
 * direction of the last one depends on the box.
 */
export async function wrongContacts({ sql }: Pick<TestService, 'sql'>): Promise<unknown[]> {
  return sql(
    `SELECT row_to_json(l) AS ledger, row_to_json(c) AS row
       FROM (SELECT e.party_id, e.other_id, count(*) FILTER (WHERE e.box = 'in') AS messages_in, count(*) FILTER (WHERE e.box = 'out') AS messages_out,
                    min(e.received_at) AS first_seen_at, max(e.received_at) AS last_seen_at,
                    (array_agg(e.box ORDER BY e.position DESC, e.box))[1] AS last_direction, array_agg(DISTINCT e.type ORDER BY e.type) FILTER (WHERE e.type IS NOT NULL) AS types
               FROM (SELECT l.party_id, l.box, l.position, l.type, m.received_at,
                            coalesce((SELECT v.party_id FROM parties p JOIN verified_domains v ON v.domain = p.domain WHERE p.id = o.id AND (p.handle IS NULL) IS TRUE), o.id) AS other_id
                       FROM ledger_entries l JOIN parties b ON b.id = l.party_id AND b.handle IS NOT NULL
                      CROSS JOIN LATERAL (SELECT CASE l.box WHEN 'in' THEN coalesce(l.author_id, l.counterparty_id) ELSE l.counterparty_id END) o (id)
                       JOIN messages m ON m.sender_id = coalesce(l.author_id, CASE l.box WHEN 'in' THEN l.counterparty_id ELSE l.party_id END) AND m.id = l.message_id) e
              GROUP BY e.party_id, e.other_id) l
       FULL JOIN (SELECT c.*, (SELECT array_agg(t.type ORDER BY t.type) FROM contact_types t WHERE t.party_id = c.party_id AND t.other_id = c.other_id) AS types,
                         EXISTS (SELECT FROM contact_names n WHERE n.party_id = c.party_id AND n.other_id = c.other_id)
                           AND EXISTS (SELECT FROM contact_activity a WHERE a.party_id = c.party_id AND a.other_id = c.other_id) AS is_listed
                    FROM contacts c JOIN parties b ON b.id = c.party_id AND b.handle IS NOT NULL WHERE c.messages_in + c.messages_out > 0) c
              ON c.party_id = l.party_id AND c.other_id = l.other_id
      WHERE (l.messages_in, l.messages_out, l.first_seen_at, l.last_seen_at, l.types, true)
            IS DISTINCT FROM (c.messages_in, c.messages_out, c.first_seen_at, c.last_seen_at, c.types, c.is_listed)
         OR l.last_direction <> c.last_direction AND l.other_id <> l.party_id`,
  );
}

/** Puts statements before a function that takes new entries. Returns how to take them away again. */
export async function wrapFollower(
  { sql }: Pick<TestService, 'sql'>,
  follower: string,
  before: string,
  after = '',
): Promise<() => Promise<void>> {
  await sql(`ALTER FUNCTION ${follower}(indexed_entry[]) RENAME TO ${follower}_itself`);
  await sql(
    `CREATE FUNCTION ${follower}(entries indexed_entry[]) RETURNS void LANGUAGE plpgsql AS $$
     BEGIN ${before} PERFORM ${follower}_itself(entries); ${after} END $$`,
  );
  return async () => {
    await sql(`DROP FUNCTION ${follower}(indexed_entry[])`);
    await sql(`ALTER FUNCTION ${follower}_itself(indexed_entry[]) RENAME TO ${follower}`);
  };
}
