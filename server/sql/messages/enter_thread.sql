-- Puts into the ledger of a business what leave_thread has taken out of that of a party without a handle. The label and notes of
-- contacts that the business has stay.
CREATE OR REPLACE FUNCTION enter_thread(business bigint, unclaimed bigint, thread uuid, moving uuid[], taken json) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  entry ledger_entries;
  place bigint;
  last  bigint := 0;
BEGIN
  INSERT INTO contacts AS c (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)
  SELECT business, n.other_id, new_uuid(n.first_seen_at), n.first_seen_at, n.last_seen_at, n.last_direction, n.messages_in, n.messages_out
    FROM json_populate_recordset(NULL::contacts, taken -> 'contacts') AS n
  ON CONFLICT (party_id, other_id) DO UPDATE
    SET first_seen_at = least(c.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at),
        last_direction = CASE WHEN c.last_seen_at > excluded.last_seen_at THEN c.last_direction ELSE excluded.last_direction END,
        messages_in = c.messages_in + excluded.messages_in, messages_out = c.messages_out + excluded.messages_out;

  INSERT INTO contact_types (party_id, other_id, type)
  SELECT business, n.other_id, n.type FROM json_populate_recordset(NULL::contact_types, taken -> 'types') AS n ON CONFLICT DO NOTHING;

  INSERT INTO contact_actors (party_id, other_id, actor_id, kind, name, email)
  SELECT business, n.other_id, n.actor_id, n.kind, n.name, n.email FROM json_populate_recordset(NULL::contact_actors, taken -> 'actors') AS n
  ON CONFLICT DO NOTHING;

  -- What it wrote to the business itself stands in both boxes from now on, as with anybody who writes to themselves.
  UPDATE ledger_entries SET counterparty_id = business, author_id = unclaimed
   WHERE party_id = business AND thread_id = thread AND box = 'in' AND counterparty_id = unclaimed AND message_id = ANY (moving);

  FOR entry IN SELECT * FROM json_populate_recordset(NULL::ledger_entries, taken -> 'entries') LOOP
    place := entry.position;
    WHILE EXISTS (SELECT 1 FROM ledger_entries e WHERE e.party_id = business AND e.box = entry.box AND e.position = place) LOOP
      place := place + 1;
    END LOOP;
    last := greatest(last, place);
    INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment, from_email, from_domain, author_id)
    VALUES (business, entry.box, place, entry.message_id, entry.counterparty_id, thread, entry.validation, entry.type, entry.segment,
            entry.from_email, entry.from_domain, CASE WHEN entry.box = 'out' THEN unclaimed END);
  END LOOP;

  -- The entries are not where new ones are: the thread index reads the whole thread again.
  INSERT INTO committed_batches (id, party_ids, thread_id) VALUES (new_uuid(clock_timestamp()), ARRAY[business], thread);

  -- The other ledger may have been ahead of this one's clock; what comes next comes after all that is there.
  UPDATE ledgers SET head = greatest(head, last) WHERE party_id = business;

  INSERT INTO objects SELECT o.* FROM json_populate_recordset(NULL::objects, taken -> 'objects') AS o ON CONFLICT DO NOTHING;
  INSERT INTO files (party_id, id, message_id, ordinal, owner_id, object_id, filename, content_type)
  SELECT business, f.id, f.message_id, f.ordinal, f.owner_id, f.object_id, f.filename, f.content_type
    FROM json_populate_recordset(NULL::files, taken -> 'files') AS f
  ON CONFLICT DO NOTHING;
END
$$;
