-- Queues the next threads of a business that has begun to search, the newest first: those below the given one. Returns how many.
CREATE OR REPLACE FUNCTION queue_older_threads(queued uuid, party bigint, below uuid) RETURNS integer LANGUAGE plpgsql
AS $$
DECLARE
  threads_max CONSTANT integer := 100;
  older       uuid[];
BEGIN
  older := ARRAY(SELECT t.thread_id FROM threads t WHERE t.party_id = party AND t.thread_id < below ORDER BY t.thread_id DESC LIMIT threads_max);
  PERFORM queue_search_threads(party, older);
  DELETE FROM search_queue q WHERE q.is_rebuild AND q.id = queued;
  -- Behind those, so that they are written before more are queued.
  IF cardinality(older) = threads_max THEN
    INSERT INTO search_queue (is_rebuild, id, party_id, thread_id, after) VALUES (true, new_uuid(clock_timestamp()), party, older[threads_max], -1);
  END IF;
  RETURN greatest(1, cardinality(older));
END
$$;
