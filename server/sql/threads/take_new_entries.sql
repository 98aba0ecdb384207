-- Takes committed batches, the oldest first, and returns the entries of their businesses that the index has not read yet; for the
-- followers of the index, in the same transaction. Of a ledger with many new entries, a part is taken and the rest queued again.
-- Parties without a handle have nobody who works from a list.
--
-- Returns no row while another process indexes this shard: only one at a time may, so that every entry is counted once.
CREATE OR REPLACE FUNCTION take_new_entries(batches_max integer, entries_max integer)
RETURNS TABLE (entries indexed_entry[], joined_parties bigint[], joined_threads uuid[], has_more boolean)
LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 205 rows in place of 35 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  taken       record;
  businesses  bigint[];
  part_max    integer;
  cut         bigint[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('thread index ' || shard_name(), 0)) THEN
    RETURN;
  END IF;

  WITH gone AS (
    DELETE FROM committed_batches WHERE id = ANY (ARRAY(SELECT b.id FROM committed_batches b ORDER BY b.id LIMIT batches_max))
    RETURNING party_ids, thread_id
  )
  SELECT count(*) AS batches, ARRAY(SELECT DISTINCT unnest(g.party_ids) FROM gone g) AS party_ids,
         array_agg(g.party_ids[1]) FILTER (WHERE g.thread_id IS NOT NULL) AS joined_parties,
         array_agg(g.thread_id) FILTER (WHERE g.thread_id IS NOT NULL) AS joined_threads
    INTO taken FROM gone g;
  IF taken.batches = 0 THEN
    RETURN QUERY SELECT '{}'::indexed_entry[], '{}'::bigint[], '{}'::uuid[], false;
    RETURN;
  END IF;

  businesses := ARRAY(SELECT p.id FROM unnest(taken.party_ids) AS k (id) JOIN parties p ON p.id = k.id WHERE p.handle IS NOT NULL);
  part_max := greatest(1, entries_max / greatest(1, cardinality(businesses)));

  SELECT array_agg(ROW (e.party_id, e.box, e.position, e.message_id,
                        coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END),
                        e.counterparty_id, e.thread_id, e.validation, e.type, e.segment, e.from_email)::indexed_entry)
    INTO entries
    FROM unnest(businesses) AS k (party_id) LEFT JOIN thread_index i ON i.party_id = k.party_id
   CROSS JOIN LATERAL (
      (SELECT l.* FROM ledger_entries l WHERE l.party_id = k.party_id AND l.box = 'in' AND l.position > coalesce(i.indexed_through, 0)
        ORDER BY l.position LIMIT part_max)
      UNION ALL
      (SELECT l.* FROM ledger_entries l WHERE l.party_id = k.party_id AND l.box = 'out' AND l.position > coalesce(i.indexed_through, 0)
        ORDER BY l.position LIMIT part_max)
      ORDER BY position LIMIT part_max) e;

  WITH read AS (
    INSERT INTO thread_index AS i (party_id, indexed_through)
    SELECT e.party_id, max(e.position) FROM unnest(entries) AS e GROUP BY e.party_id
    ON CONFLICT (party_id) DO UPDATE SET indexed_through = excluded.indexed_through
  )
  SELECT array_agg(c.party_id) INTO cut FROM (SELECT e.party_id FROM unnest(entries) AS e GROUP BY e.party_id HAVING count(*) = part_max) c;
  IF cut IS NOT NULL THEN
    INSERT INTO committed_batches (id, party_ids) VALUES (new_uuid(clock_timestamp()), cut);
  END IF;

  RETURN QUERY SELECT coalesce(entries, '{}'), coalesce(taken.joined_parties, '{}'), coalesce(taken.joined_threads, '{}'),
                      cut IS NOT NULL OR taken.batches = batches_max;
END
$$;
