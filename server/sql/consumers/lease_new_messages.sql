-- Takes what matches from the ledger after the consumer's position, and leases it. If the consumer is ordered, a message of a thread that has
-- an earlier message with a worker is taken too, but held. Positions grow in commit order, so that nothing appears behind the position.
-- To be called under the lock of the consumer, which then gets the position `through`, and `kept` more rows.
CREATE OR REPLACE FUNCTION lease_new_messages(
  party bigint, consumer uuid, wanted_target text, wanted_types text[], wanted_validation validation_status, ordered boolean, after bigint,
  worker text, until timestamptz, wanted integer, bytes_before integer, bytes_max integer, kept_max integer, entries_max integer,
  OUT leased json, OUT kept integer, OUT walked integer, OUT through bigint
) LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  entry     record;
  count     integer := 0;
  bytes     integer := bytes_before;
  is_free   boolean := true;
  ids       uuid[] := '{}';
  senders   bigint[] := '{}';
  positions bigint[] := '{}';
  threads   uuid[] := '{}';
  sizes     integer[] := '{}';
  free      boolean[] := '{}';
BEGIN
  SELECT 0, 0, after INTO kept, walked, through;
  FOR entry IN
    SELECT e.position, e.message_id, e.thread_id, e.matches, m.sender_id,
           1024 + coalesce(octet_length(m.json), 0) + coalesce(octet_length(m.note), 0) + octet_length(m.validation_errors) + 1024 * m.file_count AS bytes
      FROM (SELECT l.position, l.message_id, l.thread_id, coalesce(l.author_id, l.counterparty_id) AS sender_id,
                   (wanted_target IS NULL OR l.segment = wanted_target) IS TRUE AND (wanted_types IS NULL OR l.type LIKE ANY (wanted_types)) IS TRUE
                   AND (wanted_validation IS NULL OR l.validation = wanted_validation) AS matches
              FROM ledger_entries l WHERE l.party_id = party AND l.box = 'in' AND l.position > after ORDER BY l.position LIMIT entries_max) e
      -- With a null, the index is not even asked.
      LEFT JOIN messages m ON m.sender_id = CASE WHEN e.matches THEN e.sender_id END AND m.id = e.message_id
     ORDER BY e.position
  LOOP
    EXIT WHEN count >= wanted OR kept >= kept_max;
    IF entry.matches THEN
      IF ordered THEN
        is_free := entry.thread_id <> ALL (threads) AND NOT EXISTS (
          SELECT 1 FROM consumer_messages m WHERE m.party_id = party AND m.consumer_id = consumer AND m.thread_id = entry.thread_id AND m.state <> 'parked');
      END IF;
      EXIT WHEN is_free AND bytes + entry.bytes > bytes_max AND bytes > 0;
      count := count + is_free::integer;
      bytes := bytes + CASE WHEN is_free THEN entry.bytes ELSE 0 END;
      kept := kept + 1;
      ids := ids || entry.message_id;
      senders := senders || entry.sender_id;
      positions := positions || entry.position;
      sizes := sizes || entry.bytes;
      free := free || is_free;
      threads := threads || CASE WHEN ordered THEN entry.thread_id END;
    END IF;
    walked := walked + 1;
    through := entry.position;
  END LOOP;

  IF kept = 0 THEN
    RETURN;
  END IF;
  INSERT INTO consumer_messages (party_id, consumer_id, message_id, sender_id, position, thread_id, bytes, state, due_at, tries, holder)
  SELECT party, consumer, k.id, k.sender_id, k.position, k.thread_id, k.bytes,
         CASE WHEN k.is_free THEN 'leased'::consumer_message_state ELSE 'held'::consumer_message_state END, until,
         CASE WHEN k.is_free THEN 1 ELSE 0 END, CASE WHEN k.is_free THEN worker END
    FROM (SELECT unnest(ids) AS id, unnest(senders) AS sender_id, unnest(positions) AS position, unnest(threads) AS thread_id, unnest(sizes) AS bytes,
                 unnest(free) AS is_free) k;
  leased := CASE WHEN count > 0 THEN leased_json(ids, senders, positions, sizes, array_replace(free::integer[], 0, NULL)) END;
END
$$;
