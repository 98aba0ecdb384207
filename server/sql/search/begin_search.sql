-- From its first search on, the messages of a business have documents: most businesses never search, and documents take as much space and
-- time as the messages themselves. Returns whether those of all messages have been written.
CREATE OR REPLACE FUNCTION begin_search(party bigint) RETURNS boolean LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  newest CONSTANT integer := 20;
  began  timestamptz;
BEGIN
  -- Every transaction that adds entries or comments locks the row, so that each of them is either queued there or found by what is queued here.
  UPDATE thread_index i SET searched_at = now() WHERE i.party_id = party AND i.searched_at IS NULL;
  IF FOUND THEN
    INSERT INTO search_queue (is_rebuild, id, party_id, thread_id, after)
    VALUES (true, new_uuid(clock_timestamp()), party, 'ffffffff-ffff-ffff-ffff-ffffffffffff', -1);
  END IF;
  IF EXISTS (SELECT 1 FROM search_queue q WHERE q.is_rebuild AND q.party_id = party) THEN
    RETURN false;
  END IF;
  SELECT i.searched_at INTO began FROM thread_index i WHERE i.party_id = party;
  IF began < now() - interval '5 seconds' THEN
    RETURN true;
  END IF;
  -- The thread index may not have read the messages that came just before the first search, and so have queued nothing for them.
  RETURN NOT EXISTS (
    SELECT 1 FROM ((SELECT l.position, l.message_id FROM ledger_entries l
                     WHERE l.party_id = party AND l.box = 'out' ORDER BY l.position DESC LIMIT newest)
                   UNION ALL
                   (SELECT l.position, l.message_id FROM ledger_entries l
                     WHERE l.party_id = party AND l.box = 'in' AND l.counterparty_id <> party ORDER BY l.position DESC LIMIT newest)) e
     WHERE NOT EXISTS (SELECT 1 FROM search_documents d WHERE d.party_id = party AND d.position = e.position AND d.id = e.message_id));
END
$$;
