-- Lets parked messages be leased again, with all their tries. In an ordered consumer, each waits for what workers have of its thread.
-- Returns no row if there is no such consumer.
CREATE OR REPLACE FUNCTION unpark_messages(party bigint, consumer text, ids uuid[]) RETURNS TABLE (done uuid[]) LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 4 rows of consumers, all of them, in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  its     record;
  clock   timestamptz;
  threads uuid[];
BEGIN
  SELECT c.id, c.is_ordered INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  clock := clock_timestamp();
  WITH back AS (
    UPDATE consumer_messages
       SET state = CASE WHEN its.is_ordered THEN 'held'::consumer_message_state ELSE 'waiting'::consumer_message_state END,
           due_at = clock, tries = 0, holder = NULL
     WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (ids) AND state = 'parked'
    RETURNING message_id, thread_id
  )
  SELECT coalesce(array_agg(b.message_id), '{}'), array_agg(b.thread_id) INTO done, threads FROM back b;
  IF its.is_ordered THEN
    PERFORM free_threads(party, its.id, threads, clock);
  END IF;
  RETURN NEXT;
END
$$;
