-- Queues the first attempt of an event for each webhook of a business that wants to be told of it, and for each of these subjects. The sweep of
-- workers finds the attempts within a second.
CREATE OR REPLACE FUNCTION queue_webhook_events(party bigint, happened text, subjects uuid[]) RETURNS void LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  clock CONSTANT timestamptz := clock_timestamp();
BEGIN
  INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, subject_id, attempt, due_at, created_at, next_attempt_at)
  SELECT w.party_id, w.id, new_uuid(clock), new_uuid(clock), happened, s.id, 1, clock, clock, clock
    FROM unnest(subjects) AS s (id) JOIN webhooks w ON w.party_id = party AND w.active AND happened = ANY (w.events);
END
$$;
