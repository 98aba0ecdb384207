-- Takes some threads from the queue, for a worker that reads their documents and deletes the rows in the same transaction. Businesses take turns, beginning with the one
-- after `after_party`, so that none waits for all threads of another one. Threads that are read again wait for new messages. Returns no row without any; a single
-- row without a party while another worker does this in the shard.
CREATE OR REPLACE FUNCTION take_queued_documents(rows_max integer, after_party bigint)
RETURNS TABLE (is_rebuild boolean, party_id bigint, id uuid, thread_id uuid, after bigint) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  part_max CONSTANT integer := 25;
  taken    integer := 0;
  rows     integer;
  party    bigint;
  older    record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('document facts ' || shard_name(), 0)) THEN
    RETURN QUERY SELECT NULL::boolean, NULL::bigint, NULL::uuid, NULL::uuid, NULL::bigint;
    RETURN;
  END IF;
  FOR again IN 0 .. 1 LOOP
    FOR round IN 0 .. 1 LOOP
      party := CASE round WHEN 0 THEN after_party ELSE -1 END;
      WHILE taken < rows_max LOOP
        SELECT q.party_id INTO party FROM document_queue q
         WHERE q.is_rebuild = (again = 1) AND q.party_id > party AND (round = 0 OR q.party_id <= after_party) ORDER BY q.party_id LIMIT 1;
        EXIT WHEN NOT FOUND;
        IF again = 1 THEN
          SELECT q.* INTO older FROM document_queue q WHERE q.is_rebuild AND q.party_id = party ORDER BY q.id LIMIT 1;
          PERFORM queue_older_documents(older.id, party, older.thread_id) WHERE older.after < 0;
        END IF;
        RETURN QUERY SELECT q.is_rebuild, q.party_id, q.id, q.thread_id, q.after FROM document_queue q
                      WHERE q.is_rebuild = (again = 1) AND q.party_id = party AND q.after >= 0
                         AND (again = 1 OR q.after < (SELECT i.indexed_through FROM thread_index i WHERE i.party_id = party)) ORDER BY q.id LIMIT least(part_max, rows_max - taken);
        GET DIAGNOSTICS rows = ROW_COUNT;
        taken := taken + rows;
      END LOOP;
    END LOOP;
    -- New messages first: threads are read again when there are none.
    EXIT WHEN taken > 0;
  END LOOP;
END
$$;
