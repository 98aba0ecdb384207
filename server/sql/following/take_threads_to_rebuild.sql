-- Takes the next threads of a business whose threads are to be read again from the ledger, for rebuild_threads and the like, in the same
-- transaction. After the last one, the business is done.
--
-- Returns no row when nothing is to be rebuilt, and one without a party while another worker follows the ledgers of this shard.
CREATE OR REPLACE FUNCTION take_threads_to_rebuild(threads_max integer, entries_max integer) RETURNS TABLE (party_id bigint, thread_ids uuid[])
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  business    bigint;
  through     uuid;
  thread_ids  uuid[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('following ' || shard_name(), 0)) THEN
    RETURN QUERY SELECT NULL::bigint, '{}'::uuid[];
    RETURN;
  END IF;
  SELECT i.party_id, i.rebuilt_through INTO business, through FROM thread_index i WHERE i.rebuilt_through IS NOT NULL ORDER BY i.party_id LIMIT 1;
  IF business IS NULL THEN
    RETURN;
  END IF;
  PERFORM lock_position(business);

  -- Goes from thread to thread in the index. A thread with many entries is taken alone.
  WITH RECURSIVE next AS (
    SELECT f.thread_id, 1 AS n, c.entries
      FROM (SELECT e.thread_id FROM ledger_entries e WHERE e.party_id = business AND e.thread_id > through ORDER BY e.thread_id LIMIT 1) f
     CROSS JOIN LATERAL (
           SELECT count(*) AS entries FROM (SELECT 1 FROM ledger_entries e WHERE e.party_id = business AND e.thread_id = f.thread_id LIMIT entries_max) e) c
    UNION ALL
    SELECT f.thread_id, next.n + 1, next.entries + c.entries
      FROM next CROSS JOIN LATERAL (
           SELECT e.thread_id FROM ledger_entries e WHERE e.party_id = business AND e.thread_id > next.thread_id ORDER BY e.thread_id LIMIT 1) f
     CROSS JOIN LATERAL (
           SELECT count(*) AS entries FROM (SELECT 1 FROM ledger_entries e WHERE e.party_id = business AND e.thread_id = f.thread_id LIMIT entries_max) e) c
     WHERE next.n < threads_max AND next.entries < entries_max
  )
  SELECT array_agg(next.thread_id ORDER BY next.n) INTO thread_ids FROM next WHERE next.n = 1 OR next.entries <= entries_max;

  UPDATE thread_index i SET rebuilt_through = thread_ids[cardinality(thread_ids)] WHERE i.party_id = business;
  RETURN QUERY SELECT business, coalesce(thread_ids, '{}');
END
$$;
