-- Where a message is stored, when the party that sent it has since become part of another.
ALTER TABLE ledger_entries ADD COLUMN author_id bigint;

-- Threads of whoever had no handle, with the businesses that have them now, or a part of them: one mailbox of a domain may
-- have taken its part along before the domain's other mailboxes came to another business.
CREATE TABLE joined_threads (
  party_id    bigint NOT NULL,
  thread_id   uuid   NOT NULL,
  business_id bigint NOT NULL,
  PRIMARY KEY (party_id, thread_id, business_id)
);
CREATE INDEX joined_threads_of_business ON joined_threads (business_id, thread_id);

-- Moves a thread from the ledger of a party without a handle to that of a business: all of it, or what one mailbox wrote
-- and what it was answered. Entries are moved, not copied, so that whoever gets hold of a domain later does not get them
-- too. They keep their time. Done again, it finds what was left: an answer may have been on its way meanwhile. Returns how
-- many there were.
CREATE FUNCTION join_thread(unclaimed bigint, thread uuid, business bigint, mailbox text) RETURNS bigint LANGUAGE plpgsql
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
            -- Answers to what has been moved before.
            OR (e.box = 'in' AND EXISTS (SELECT FROM messages m JOIN ledger_entries b ON b.party_id = business AND b.message_id = m.in_reply_to
                                          WHERE m.sender_id = e.counterparty_id AND m.id = e.message_id)))
    UNION
    SELECT e.message_id
      FROM its JOIN ledger_entries e ON e.party_id = unclaimed AND e.thread_id = thread AND e.box = 'in'
      JOIN messages m ON m.sender_id = e.counterparty_id AND m.id = e.message_id AND m.in_reply_to = its.message_id
  )
  SELECT coalesce(array_agg(message_id), '{}') INTO moving FROM its;

  INSERT INTO joined_threads (party_id, thread_id, business_id) VALUES (unclaimed, thread, business) ON CONFLICT DO NOTHING;

  INSERT INTO contacts AS c (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)
  SELECT business, e.counterparty_id, new_uuid(min(e.at)), min(e.at), max(e.at), (array_agg(e.box ORDER BY e.position DESC))[1],
         count(*) FILTER (WHERE e.box = 'in'), count(*) FILTER (WHERE e.box = 'out')
    FROM (SELECT *, to_timestamp(position / 4096 / 1000.0) AS at FROM ledger_entries WHERE party_id = unclaimed AND thread_id = thread) e
   WHERE e.message_id = ANY (moving) GROUP BY e.counterparty_id
  ON CONFLICT (party_id, other_id) DO UPDATE
    SET first_seen_at = least(c.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at),
        last_direction = CASE WHEN c.last_seen_at > excluded.last_seen_at THEN c.last_direction ELSE excluded.last_direction END,
        messages_in = c.messages_in + excluded.messages_in, messages_out = c.messages_out + excluded.messages_out;

  INSERT INTO contact_types (party_id, other_id, type)
  SELECT DISTINCT business, e.counterparty_id, e.type FROM ledger_entries e
   WHERE e.party_id = unclaimed AND e.thread_id = thread AND e.message_id = ANY (moving) AND e.type IS NOT NULL
  ON CONFLICT DO NOTHING;

  INSERT INTO contact_actors (party_id, other_id, actor_id, kind, name, email)
  SELECT DISTINCT ON (a.other_id, a.actor ->> 'id') business, a.other_id, a.actor ->> 'id', a.actor ->> 'kind', a.actor ->> 'name', a.actor ->> 'email'
    FROM (SELECT e.counterparty_id AS other_id, e.position, m.sender::json -> 'actor' AS actor
            FROM ledger_entries e JOIN messages m ON m.sender_id = e.counterparty_id AND m.id = e.message_id
           WHERE e.party_id = unclaimed AND e.thread_id = thread AND e.box = 'in' AND e.message_id = ANY (moving)) a
   ORDER BY a.other_id, a.actor ->> 'id', a.position DESC
  ON CONFLICT DO NOTHING;

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
