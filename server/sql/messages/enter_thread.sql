-- Puts into the ledger of a business what leave_thread has taken out of that of a party without a handle.
CREATE OR REPLACE FUNCTION enter_thread(business bigint, unclaimed bigint, thread uuid, moving uuid[], taken json) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  entry   ledger_entries;
  place   bigint;
  last    bigint := 0;
  through bigint;
  sent    messages;
  joined  indexed_entry[] := '{}';
BEGIN
  -- The followers read entries above this position later, like new ones. What is placed below it, contacts get here.
  PERFORM lock_position(business);
  SELECT greatest(i.indexed_through, i.counted_through) INTO through FROM thread_index i WHERE i.party_id = business;

  -- What it wrote to the business itself stands in both boxes from now on, as with anybody who writes to themselves.
  UPDATE ledger_entries SET counterparty_id = business, author_id = unclaimed
   WHERE party_id = business AND thread_id = thread AND box = 'in' AND counterparty_id = unclaimed AND message_id = ANY (moving);

  FOR entry IN SELECT * FROM json_populate_recordset(NULL::ledger_entries, taken -> 'entries') LOOP
    place := entry.position;
    WHILE EXISTS (SELECT 1 FROM ledger_entries e WHERE e.party_id = business AND e.box = entry.box AND e.position = place) LOOP
      place := place + 1;
    END LOOP;
    last := greatest(last, place);
    INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment, from_email, from_domain, author_id,
                                is_filtered)
    VALUES (business, entry.box, place, entry.message_id, entry.counterparty_id, thread, entry.validation, entry.type, entry.segment,
            entry.from_email, entry.from_domain, CASE WHEN entry.box = 'out' THEN unclaimed END, true);
    IF place <= through THEN
      SELECT * INTO sent FROM messages m
       WHERE m.sender_id = CASE entry.box WHEN 'in' THEN entry.counterparty_id ELSE unclaimed END AND m.id = entry.message_id LIMIT 1;
      joined := array_append(joined, ROW (business, entry.box, place, entry.message_id, sent.sender_id, entry.counterparty_id, thread,
        entry.validation, entry.type, entry.segment, entry.from_email, NULL, NULL, sent.received_at, CASE entry.box WHEN 'in' THEN sent.sender END, false, NULL)::indexed_entry);
    END IF;
  END LOOP;
  PERFORM follow_contacts(joined) WHERE joined <> '{}';

  -- The entries are not where new ones are: followers read the whole thread again.
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
