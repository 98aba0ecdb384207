-- Queues an attempt for each of the messages that a step of a recovery has chosen, and counts them for the limits of the day: of the webhook, and
-- of the whole business, whose row has the nil UUID as its webhook.
CREATE OR REPLACE FUNCTION queue_recovered(party bigint, webhook uuid, messages uuid[], is_ordered boolean, clock timestamptz)
RETURNS void LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  today  CONSTANT date := (clock AT TIME ZONE 'UTC')::date;
BEGIN
  IF cardinality(messages) = 0 THEN
    RETURN;
  END IF;
  INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, next_attempt_at, thread_id, position)
  SELECT party, webhook, new_uuid(clock), c.id, 'message.replay', 1, clock, clock, clock, e.thread_id, e.position
    FROM unnest(messages) AS c (id)
    LEFT JOIN LATERAL (SELECT l.thread_id, l.position FROM ledger_entries l
                        WHERE is_ordered AND l.party_id = party AND l.message_id >= c.id AND l.message_id <= c.id AND l.box = 'in'
                        ORDER BY l.party_id, l.message_id LIMIT 1) e ON true;
  INSERT INTO webhook_recovery_usage AS u (party_id, webhook_id, day, recoveries, queued)
  VALUES (party, nobody, today, 0, cardinality(messages)), (party, webhook, today, 0, cardinality(messages))
      ON CONFLICT (party_id, webhook_id, day) DO UPDATE SET queued = u.queued + excluded.queued;
END
$$;
