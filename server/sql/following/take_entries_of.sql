-- Takes new entries of one business, as take_new_entries does, for somebody who wants to read what follows from them. Its committed batches stay: a worker
-- finds nothing new behind them. Returns no row while another round reads the ledger of this business.
CREATE OR REPLACE FUNCTION take_entries_of(party bigint, entries_max integer) RETURNS TABLE (entries indexed_entry[])
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  -- Before the row, as everywhere: somebody who waits for all rounds (await_rounds) must not stand between two of them.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('rounds ' || shard_name(), 0));
  PERFORM FROM thread_index i WHERE i.party_id = party FOR UPDATE SKIP LOCKED;
  IF NOT FOUND AND EXISTS (SELECT 1 FROM thread_index i WHERE i.party_id = party) THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT read_new_entries(ARRAY[party], entries_max);
END
$$;
