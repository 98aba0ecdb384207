-- Queues the next threads of a business whose threads are older than the table of documents, the newest first: those below the given one.
CREATE OR REPLACE FUNCTION queue_older_documents(queued uuid, party bigint, below uuid) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  threads_max CONSTANT integer := 200;
  older       uuid[];
BEGIN
  older := ARRAY(SELECT t.thread_id FROM threads t WHERE t.party_id = party AND t.thread_id < below ORDER BY t.thread_id DESC LIMIT threads_max);
  PERFORM queue_document_threads(party, older);
  DELETE FROM document_queue q WHERE q.is_rebuild AND q.party_id = party AND q.id = queued;
  -- Behind those, so that they are read before more are queued.
  IF cardinality(older) = threads_max THEN
    INSERT INTO document_queue (is_rebuild, party_id, id, thread_id, after) VALUES (true, party, new_uuid(clock_timestamp()), older[threads_max], -1);
  END IF;
END
$$;
