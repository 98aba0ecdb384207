-- Locks how far the followers have read the ledger of a business, until the transaction ends: a transaction that reads the ledger by this position, or
-- writes entries below it, does so alone, and sees all that was done before. Rounds of other businesses go on; await_rounds waits for all of them.
CREATE OR REPLACE FUNCTION lock_position(party bigint) RETURNS bigint LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  through bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('rounds ' || shard_name(), 0));
  LOOP
    SELECT i.indexed_through INTO through FROM thread_index i WHERE i.party_id = party FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO thread_index (party_id, indexed_through) VALUES (party, 0) ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN through;
END
$$;
