-- Queues the first attempt of an event for each webhook of a business that wants to be told of it, and for each of these subjects. The sweep of
-- workers finds the attempts within a second. A webhook for which too many attempts wait is not told: changes of threads are not counted as
-- messages are, and an endpoint that is down must not fill the database (WEBHOOK_EVENTS_UP_TO_WAITING of contract/webhook-limits.ts).
CREATE OR REPLACE FUNCTION queue_webhook_events(party bigint, happened text, subjects uuid[]) RETURNS void LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  clock       CONSTANT timestamptz := clock_timestamp();
  waiting_max CONSTANT integer := 10000;
BEGIN
  INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, subject_id, attempt, due_at, created_at, next_attempt_at)
  SELECT w.party_id, w.id, new_uuid(clock), new_uuid(clock), happened, s.id, 1, clock, clock, clock
    FROM unnest(subjects) AS s (id) JOIN webhooks w ON w.party_id = party AND w.active AND happened = ANY (w.events)
   WHERE (SELECT a.id FROM webhook_attempts a WHERE a.party_id = w.party_id AND a.webhook_id = w.id AND a.status = 'pending'
           OFFSET waiting_max - 1 LIMIT 1) IS NULL;
END
$$;
