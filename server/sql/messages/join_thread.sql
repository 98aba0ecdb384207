-- Moves a thread from the ledger of a party without a handle to that of a business: all of it, or what one mailbox wrote and the
-- replies to that. Entries are moved, not copied, so that a later owner of a domain does not get them too, and keep their time.
-- A second call moves what has come in meanwhile. Returns the number of moved messages.
CREATE OR REPLACE FUNCTION join_thread(unclaimed bigint, thread uuid, business bigint, mailbox text) RETURNS bigint LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  moving uuid[];
  entry  ledger_entries;
  place  bigint;
  last   bigint := 0;
BEGIN
  -- Both ledgers stand still meanwhile; in the order in which deliveries lock them.
  UPDATE ledgers SET head = head WHERE party_id = least(unclaimed, business);
  UPDATE ledgers SET head = head WHERE party_id = greatest(unclaimed, business);

  WITH RECURSIVE its AS (
    SELECT e.message_id FROM ledger_entries e
     WHERE e.party_id = unclaimed AND e.thread_id = thread
       AND (mailbox IS NULL OR (e.box = 'out' AND e.from_email = mailbox)
            -- Replies to what has been moved before.
            OR (e.box = 'in' AND EXISTS (SELECT FROM messages m JOIN ledger_entries b ON b.party_id = business AND b.message_id = m.in_reply_to
                                          WHERE m.sender_id = e.counterparty_id AND m.id = e.message_id)))
    UNION
    SELECT e.message_id
      FROM its JOIN ledger_entries e ON e.party_id = unclaimed AND e.thread_id = thread AND e.box = 'in'
      JOIN messages m ON m.sender_id = e.counterparty_id AND m.id = e.message_id AND m.in_reply_to = its.message_id
  )
  SELECT coalesce(array_agg(message_id), '{}') INTO moving FROM its;

  INSERT INTO joined_threads (party_id, thread_id, business_id) VALUES (unclaimed, thread, business) ON CONFLICT DO NOTHING;

  PERFORM join_contacts(unclaimed, thread, business, moving);

  -- What it wrote to the business itself stands in both boxes from now on, as with anybody who writes to themselves.
  UPDATE ledger_entries SET counterparty_id = business, author_id = unclaimed
   WHERE party_id = business AND thread_id = thread AND box = 'in' AND counterparty_id = unclaimed AND message_id = ANY (moving);

  FOR entry IN
    DELETE FROM ledger_entries WHERE party_id = unclaimed AND thread_id = thread AND message_id = ANY (moving) RETURNING *
  LOOP
    place := entry.position;
    WHILE EXISTS (SELECT FROM ledger_entries e WHERE e.party_id = business AND e.box = entry.box AND e.position = place) LOOP
      place := place + 1;
    END LOOP;
    last := greatest(last, place);
    INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment, from_email, from_domain, author_id)
    VALUES (business, entry.box, place, entry.message_id, entry.counterparty_id, thread, entry.validation, entry.type, entry.segment,
            entry.from_email, entry.from_domain, CASE entry.box WHEN 'out' THEN unclaimed END);
  END LOOP;

  -- The other ledger may have been ahead of this one's clock; what comes next comes after all that is there.
  UPDATE ledgers SET head = greatest(head, last) WHERE party_id = business;

  -- The party's own stay: its receipts show them.
  INSERT INTO files (party_id, id, message_id, ordinal, owner_id, object_id, filename, content_type)
  SELECT business, id, message_id, ordinal, owner_id, object_id, filename, content_type FROM files
   WHERE party_id = unclaimed AND message_id = ANY (moving)
  ON CONFLICT DO NOTHING;

  RETURN cardinality(moving);
END
$$;
