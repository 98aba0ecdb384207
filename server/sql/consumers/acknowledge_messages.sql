-- Forgets messages that a worker has dealt with: those of `ids`, or all up to the position `through`. A worker whose lease has lapsed can still
-- acknowledge until another worker leases the message. Anybody can acknowledge what is parked, by its id.
--
-- Returns no row if there is no such consumer. has_news: there may be something to lease that could not be leased before.
CREATE OR REPLACE FUNCTION acknowledge_messages(party bigint, consumer text, worker text, ids uuid[], through bigint, kept_max integer)
RETURNS TABLE (done uuid[], has_news boolean) LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 6 rows of consumers, all of them, in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  its     record;
  threads uuid[];
  taken   uuid[];
BEGIN
  SELECT c.id, c.kept INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF ids IS NULL THEN
    WITH gone AS (
      DELETE FROM consumer_messages
       WHERE party_id = party AND consumer_id = its.id AND state = 'leased' AND holder = worker AND position <= through
      RETURNING message_id, thread_id, state
    )
    SELECT coalesce(array_agg(g.message_id), '{}'), array_agg(g.thread_id), array_agg(g.message_id) FILTER (WHERE g.state = 'leased')
      INTO done, threads, taken FROM gone g;
  ELSE
    WITH gone AS (
      DELETE FROM consumer_messages
       WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (ids) AND (state = 'parked' OR (state = 'leased' AND holder = worker))
      RETURNING message_id, thread_id, state
    )
    SELECT coalesce(array_agg(g.message_id), '{}'), array_agg(g.thread_id), array_agg(g.message_id) FILTER (WHERE g.state = 'leased')
      INTO done, threads, taken FROM gone g;
  END IF;
  IF cardinality(done) > 0 THEN
    UPDATE consumers SET kept = kept - cardinality(done) WHERE party_id = party AND name = consumer;
  END IF;
  -- Only leased messages count as handed over: nobody has dealt with a parked one.
  IF taken IS NOT NULL THEN
    PERFORM note_hand_overs(array_fill(party, ARRAY[cardinality(taken)]), taken, 'consumer', clock_timestamp());
  END IF;
  has_news := free_threads(party, its.id, threads, clock_timestamp()) OR its.kept >= kept_max;
  RETURN NEXT;
END
$$;
