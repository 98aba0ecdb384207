-- A follower of messages: queues the first attempt for each webhook that matches, and notifies the workers of these webhooks.
-- A payload of NOTIFY has room for 8,000 bytes; an empty one makes the workers look for themselves.
CREATE OR REPLACE FUNCTION queue_webhook_attempts(messages committed_message[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := clock_timestamp();
  names text;
BEGIN
  WITH queued AS (
    INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, next_attempt_at)
    SELECT w.party_id, w.id, new_uuid(clock), m.id, 'message.received', 1, clock, clock, clock
      FROM unnest(messages) AS m
      JOIN webhooks w ON w.party_id = m.recipient_id AND w.active AND (w.target IS NULL OR w.target = m.segment)
    RETURNING party_id, webhook_id
  )
  SELECT string_agg(DISTINCT party_id || ':' || webhook_id, ',') INTO names FROM queued;
  IF names IS NOT NULL THEN
    PERFORM pg_notify('waybill_webhooks', CASE WHEN length(names) < 8000 THEN names ELSE '' END);
  END IF;
END
$$;
