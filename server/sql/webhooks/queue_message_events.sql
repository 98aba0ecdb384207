-- Queues the first attempt for each webhook that wants to be told of a message that its business sent, or of one that failed its schema. A
-- webhook's target is a segment of its business, and so concerns received messages alone. Returns these webhooks as queue_webhook_attempts does.
CREATE OR REPLACE FUNCTION queue_message_events(messages committed_message[], clock timestamptz) RETURNS text LANGUAGE plpgsql
-- Without sorting, only the index of messages serves the order in which the entry of a message is looked up.
-- Without these options, a plan made while tables were small read 3 rows of webhooks, all of them, in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
#variable_conflict use_column
DECLARE
  names text;
BEGIN
  WITH queued AS (
    INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, subject_id, attempt, due_at, created_at, next_attempt_at, thread_id, position)
    SELECT w.party_id, w.id, new_uuid(clock), new_uuid(clock), k.event, m.id, 1, clock, clock, clock,
           CASE WHEN w.ordered THEN e.thread_id END, CASE WHEN w.ordered THEN e.position END
      FROM unnest(messages) AS m
     CROSS JOIN LATERAL (VALUES (m.sender_id, 'message.sent', 'out'::ledger_box), (m.recipient_id, 'schema.failed', 'in'::ledger_box)) AS k (party_id, event, box)
      JOIN webhooks w ON w.party_id = k.party_id AND w.active AND ('message.sent' = ANY (w.events) OR 'schema.failed' = ANY (w.events))
                     AND k.event = ANY (w.events) AND (w.types IS NULL OR m.type LIKE ANY (w.types))
                     AND (k.box = 'out' OR w.target IS NULL OR w.target = m.segment)
     CROSS JOIN LATERAL (SELECT l.thread_id, l.position FROM ledger_entries l
                          WHERE l.party_id = k.party_id AND l.message_id >= m.id AND l.message_id <= m.id AND l.box = k.box
                            AND (k.box = 'out' OR l.validation = 'failed')
                          ORDER BY l.party_id, l.message_id LIMIT 1) e
    RETURNING party_id, webhook_id
  )
  SELECT string_agg(DISTINCT party_id || ':' || webhook_id, ',') INTO names FROM queued;
  RETURN names;
END
$$;
