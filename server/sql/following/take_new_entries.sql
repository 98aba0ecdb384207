-- Takes committed batches, the oldest first, and returns the entries of their businesses that no follower has read yet; for the
-- followers behind the commit, in the same transaction. Of a ledger with many new entries, a part is taken and the rest queued again.
-- Parties without a handle have nobody who works from a list.
--
-- Returns no row while another worker does this in the shard: several would only wait for each other.
CREATE OR REPLACE FUNCTION take_new_entries(batches_max integer, entries_max integer)
RETURNS TABLE (entries indexed_entry[], joined_parties bigint[], joined_threads uuid[], has_more boolean)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  taken       record;
  businesses  bigint[];
  part_max    integer;
  cut         bigint[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('following ' || shard_name(), 0)) THEN
    RETURN;
  END IF;

  WITH gone AS (
    DELETE FROM committed_batches WHERE id = ANY (ARRAY(SELECT b.id FROM committed_batches b ORDER BY b.id LIMIT batches_max))
    RETURNING id, party_ids, thread_id
  )
  SELECT count(*) AS batches, min(g.id::text)::uuid AS oldest, ARRAY(SELECT DISTINCT unnest(g.party_ids) FROM gone g) AS party_ids,
         array_agg(g.party_ids[1]) FILTER (WHERE g.thread_id IS NOT NULL) AS joined_parties,
         array_agg(g.thread_id) FILTER (WHERE g.thread_id IS NOT NULL) AS joined_threads
    INTO taken FROM gone g;
  IF taken.batches = 0 THEN
    RETURN QUERY SELECT '{}'::indexed_entry[], '{}'::bigint[], '{}'::uuid[], false;
    RETURN;
  END IF;

  businesses := ARRAY(SELECT p.id FROM unnest(taken.party_ids) AS k (id) JOIN parties p ON p.id = k.id AND (p.handle IS NOT NULL) IS TRUE);
  part_max := greatest(1, entries_max / greatest(1, cardinality(businesses)));
  entries := read_new_entries(businesses, part_max);

  SELECT array_agg(c.party_id) INTO cut FROM (SELECT e.party_id FROM unnest(entries) AS e GROUP BY e.party_id HAVING count(*) = part_max) c;
  IF cut IS NOT NULL THEN
    -- The row keeps the id of the oldest batch that was taken: the metric of the lag reads the age from the id.
    INSERT INTO committed_batches (id, party_ids) VALUES (taken.oldest, cut);
  END IF;

  RETURN QUERY SELECT entries, coalesce(taken.joined_parties, '{}'), coalesce(taken.joined_threads, '{}'),
                      cut IS NOT NULL OR taken.batches = batches_max;
END
$$;
