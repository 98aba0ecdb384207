-- Gives back messages that a worker holds, to be leased again after `delay`. A message that has had all its tries is parked. If `is_undone`, the worker
-- never got them, and the try does not count.
--
-- Returns no row if there is no such consumer. has_news: as in acknowledge_messages.
CREATE OR REPLACE FUNCTION release_messages(party bigint, consumer text, worker text, ids uuid[], delay interval, why text, is_undone boolean)
RETURNS TABLE (done uuid[], has_news boolean) LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 4 rows of consumers, all of them, in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  its     record;
  clock   timestamptz;
  due     timestamptz;
  back    uuid[];
  poison  uuid[];
  threads uuid[];
BEGIN
  SELECT c.id, c.max_tries INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  clock := clock_timestamp();
  due := clock + delay;
  SELECT coalesce(array_agg(m.message_id) FILTER (WHERE is_undone OR m.tries < its.max_tries), '{}'),
         coalesce(array_agg(m.message_id) FILTER (WHERE NOT is_undone AND m.tries >= its.max_tries), '{}'),
         array_agg(m.thread_id) FILTER (WHERE NOT is_undone AND m.tries >= its.max_tries)
    INTO back, poison, threads FROM consumer_messages m
   WHERE m.party_id = party AND m.consumer_id = its.id AND m.message_id = ANY (ids) AND (m.state = 'leased') IS TRUE AND m.holder = worker;
  UPDATE consumer_messages
     SET state = 'waiting', due_at = due, reason = coalesce(why, reason), tries = tries - CASE WHEN is_undone THEN 1 ELSE 0 END
   WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (back);
  UPDATE consumer_messages SET state = 'parked', due_at = clock, reason = coalesce(why, reason)
   WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (poison);
  done := back || poison;
  has_news := free_threads(party, its.id, threads, clock) OR cardinality(back) > 0;
  RETURN NEXT;
END
$$;
