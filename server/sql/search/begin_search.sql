-- From its first search on, the messages of a business have documents: most businesses never search, and documents take as much space and
-- time as the messages themselves. Returns whether those of all messages have been written.
CREATE OR REPLACE FUNCTION begin_search(party bigint) RETURNS boolean LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
BEGIN
  -- Every transaction that adds entries or comments locks the row, so that each of them is either queued there or found by what is queued here.
  UPDATE thread_index i SET searched_at = now() WHERE i.party_id = party AND i.searched_at IS NULL;
  IF FOUND THEN
    INSERT INTO search_queue (is_rebuild, id, party_id, thread_id, after)
    VALUES (true, new_uuid(clock_timestamp()), party, 'ffffffff-ffff-ffff-ffff-ffffffffffff', -1);
  END IF;
  RETURN NOT EXISTS (SELECT 1 FROM search_queue q WHERE q.is_rebuild AND q.party_id = party);
END
$$;
