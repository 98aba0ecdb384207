-- Lets a worker hold messages for `lease` from now, also those whose lease has lapsed, unless another worker has leased them since.
-- Returns no row if there is no such consumer.
CREATE OR REPLACE FUNCTION extend_leases(party bigint, consumer text, worker text, ids uuid[], lease interval)
RETURNS TABLE (done uuid[], lease_until timestamptz) LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 4 rows of consumers, all of them, in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  its record;
BEGIN
  SELECT c.id INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  lease_until := clock_timestamp() + lease;
  WITH held AS (
    UPDATE consumer_messages SET due_at = lease_until
     WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (ids) AND (state = 'leased') IS TRUE AND holder = worker
    RETURNING message_id
  )
  SELECT coalesce(array_agg(h.message_id), '{}') INTO done FROM held h;
  RETURN NEXT;
END
$$;
