-- A follower behind the commit: queues new entries of businesses that search, for the search index, which takes much longer than that
-- of threads. A row has entries of one sender, so that senders can take turns, and both entries of a message, whose words are then found
-- once.
CREATE OR REPLACE FUNCTION queue_search_entries(entries indexed_entry[]) RETURNS void LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 40 rows in place of 33 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  -- What a sender gets written when it is its turn.
  part      CONSTANT integer := 50;
  searching bigint[];
BEGIN
  searching := ARRAY(SELECT i.party_id FROM thread_index i
                      WHERE i.party_id = ANY (ARRAY(SELECT DISTINCT e.party_id FROM unnest(entries) AS e)) AND i.searched_at IS NOT NULL);
  IF searching = '{}' THEN
    RETURN;
  END IF;
  INSERT INTO search_queue (is_rebuild, id, party_id, entries)
  SELECT false, new_uuid(clock_timestamp()), s.sender_id, s.entries[n : n + part - 1]
    FROM (SELECT e.sender_id, array_agg(e ORDER BY e.message_id, e.position) AS entries FROM unnest(entries) AS e
           WHERE e.party_id = ANY (searching) GROUP BY e.sender_id) s
   CROSS JOIN LATERAL generate_series(1, cardinality(s.entries), part) AS n ORDER BY n;
END
$$;
