-- Waits until every round of followers has ended that is under way in this shard. Later ones see what was committed before, and what the earlier ones have
-- written can be read after this statement.
CREATE OR REPLACE FUNCTION await_rounds() RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('rounds ' || shard_name(), 0));
END
$$;
