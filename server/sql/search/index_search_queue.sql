-- Writes the documents of what is queued, about `entries_max` of them, in the transaction that takes it from the queue. Senders of new
-- entries take turns, beginning with the one after `after_sender`, so that none waits for all messages of another one. Threads that are
-- read again wait for new entries; of a long one, a part is taken. Returns how many entries were read, and the sender that had the last
-- turn; no row while another process does this in the shard.
CREATE OR REPLACE FUNCTION index_search_queue(entries_max integer, after_sender bigint) RETURNS TABLE (entries integer, last_sender bigint)
LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 4 rows in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  rows_max CONSTANT integer := 200;
  sender   bigint := after_sender;
  part     indexed_entry[] := '{}';
  taken    record;
  done     integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('search index ' || shard_name(), 0)) THEN
    RETURN;
  END IF;
  WHILE cardinality(part) < entries_max LOOP
    SELECT q.id, q.party_id, q.entries INTO taken FROM search_queue q
     WHERE NOT q.is_rebuild AND q.party_id > sender ORDER BY q.party_id, q.id LIMIT 1;
    IF FOUND THEN
      DELETE FROM search_queue q WHERE NOT q.is_rebuild AND q.id = taken.id;
      part := part || taken.entries;
      sender := taken.party_id;
    ELSE
      EXIT WHEN sender < 0;
      sender := -1;
    END IF;
  END LOOP;
  PERFORM write_search_documents(part) WHERE part <> '{}';
  done := cardinality(part);

  FOR taken IN SELECT * FROM search_queue q WHERE q.is_rebuild AND done < entries_max ORDER BY q.id LIMIT rows_max LOOP
    EXIT WHEN done >= entries_max;
    IF taken.after < 0 THEN
      done := done + queue_older_threads(taken.id, taken.party_id, taken.thread_id);
    ELSE
      done := done + greatest(1, index_queued_thread(taken.id, taken.party_id, taken.thread_id, taken.after, entries_max));
    END IF;
  END LOOP;
  RETURN QUERY SELECT done, sender;
END
$$;
