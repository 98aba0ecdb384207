-- A follower of messages: queues the first attempt for each webhook of the recipient that matches, and what queue_message_events adds.
-- Returns these webhooks as `party:webhook`, separated by commas, for the workers to be notified of after the commit. Returns null if there are none.
CREATE OR REPLACE FUNCTION queue_webhook_attempts(messages committed_message[]) RETURNS text LANGUAGE plpgsql
-- Without sorting, only the index of messages serves the order in which the entry of an ordered webhook's message is looked up.
-- Without these options, a plan made while tables were small read 8,743 rows in place of 13 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_sort = off
AS $$
#variable_conflict use_column
DECLARE
  clock  timestamptz := clock_timestamp();
  wanted record;
  names  text;
  others text;
BEGIN
  SELECT bool_or('message.received' = ANY (w.events)) AS received, bool_or(w.events && '{message.sent,schema.failed}') AS others INTO wanted
    FROM webhooks w
   WHERE w.active AND w.party_id = ANY (ARRAY(SELECT m.recipient_id FROM unnest(messages) AS m UNION SELECT m.sender_id FROM unnest(messages) AS m));

  IF wanted.received THEN
    WITH queued AS (
      INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, next_attempt_at, thread_id, position)
      SELECT w.party_id, w.id, new_uuid(clock), m.id, 'message.received', 1, clock, clock, clock, e.thread_id, e.position
        FROM unnest(messages) AS m
        JOIN webhooks w ON w.party_id = m.recipient_id AND w.active AND 'message.received' = ANY (w.events) AND (w.target IS NULL OR w.target = m.segment)
                       AND (w.types IS NULL OR m.type LIKE ANY (w.types))
        LEFT JOIN LATERAL (SELECT l.thread_id, l.position FROM ledger_entries l
                            WHERE w.ordered AND l.party_id = w.party_id AND l.message_id >= m.id AND l.message_id <= m.id AND l.box = 'in'
                            ORDER BY l.party_id, l.message_id LIMIT 1) e ON true
      RETURNING party_id, webhook_id
    )
    SELECT string_agg(DISTINCT party_id || ':' || webhook_id, ',') INTO names FROM queued;
  END IF;
  IF wanted.others THEN
    others := queue_message_events(messages, clock);
  END IF;
  RETURN nullif(concat_ws(',', names, others), '');
END
$$;
