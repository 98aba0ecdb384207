-- Locks what is said of these received messages, in the order of their positions, until the end of the transaction, and takes their hand-overs that were noted and have no
-- number yet. A message that is not in the inbox of the party is left out. `way` and `handed_over_at` are null if nothing was noted, or not for the first time.
--
-- Everybody locks the entry of a message before what was noted of it: so two who number the same message do not deadlock. filter_entries updates the same
-- entries through the index of positions, hence the order.
CREATE OR REPLACE FUNCTION lock_chains(party_ids bigint[], message_ids uuid[])
RETURNS TABLE (party_id bigint, message_id uuid, content_hash bytea, recipient text, received_at timestamptz, expires_at text, message_batch uuid,
               way hand_over_way, handed_over_at timestamptz, clock timestamptz) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  noted record;
  ways  hand_over_way[] := '{}';
  times timestamptz[]   := '{}';
BEGIN
  PERFORM FROM (SELECT e.message_id FROM unnest(party_ids, message_ids) AS k (party_id, message_id)
                  JOIN ledger_entries e ON e.party_id = k.party_id AND e.message_id = k.message_id AND e.box = 'in'
                 ORDER BY e.party_id, e.position FOR UPDATE OF e) locked;

  FOR noted IN
    DELETE FROM noted_hand_overs n USING unnest(party_ids, message_ids) WITH ORDINALITY AS k (party_id, message_id, place)
     WHERE n.party_id = k.party_id AND n.message_id = k.message_id RETURNING k.place, n.way, n.handed_over_at
  LOOP
    ways[noted.place] := noted.way;
    times[noted.place] := noted.handed_over_at;
  END LOOP;

  RETURN QUERY
  SELECT e.party_id, e.message_id, m.content_hash, m.recipient, m.received_at, m.expires_at, m.log_batch,
         CASE WHEN h.message_id IS NULL THEN ways[k.place] END, CASE WHEN h.message_id IS NULL THEN times[k.place] END, clock_timestamp()
    FROM unnest(party_ids, message_ids) WITH ORDINALITY AS k (party_id, message_id, place)
    JOIN ledger_entries e ON e.party_id = k.party_id AND e.message_id = k.message_id AND e.box = 'in'
    JOIN messages m ON m.sender_id = coalesce(e.author_id, e.counterparty_id) AND m.id = e.message_id
    LEFT JOIN hand_overs h ON h.party_id = k.party_id AND h.message_id = k.message_id;
END
$$;
