-- Chooses which of these messages, received from one time to another, a recovery delivers. First attempts are
-- queued in the millisecond of their entry: the log is read for the same time, and a minute more, in case clocks differ.
CREATE OR REPLACE FUNCTION messages_to_recover(party bigint, webhook uuid, selection text, messages uuid[], from_ms bigint, to_ms bigint)
RETURNS uuid[] LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  slack_ms CONSTANT bigint := 60000;
  known    uuid[];
BEGIN
  IF selection = 'all' THEN
    RETURN messages;
  END IF;
  known := ARRAY(SELECT a.message_id FROM webhook_attempts a
                  WHERE a.party_id = party AND a.webhook_id = webhook
                    AND a.id >= (SELECT new_uuid(to_timestamp((from_ms - slack_ms) / 1000.0)))
                    AND a.id <= (SELECT new_uuid(to_timestamp((to_ms + slack_ms) / 1000.0)))
                    AND (a.message_id IN (SELECT unnest(messages))) IS TRUE);
  RETURN ARRAY(
    SELECT m.id FROM (SELECT k.id, k.id IN (SELECT unnest(known)) AS is_known FROM unnest(messages) AS k (id)) m
     CROSS JOIN LATERAL (
       SELECT count(*) > 0 AS is_known, coalesce(bool_or(a.status IN ('dropped', 'failed')), false) AS is_given_up,
              coalesce(bool_or(a.event = 'message.replay' AND a.status IN ('pending', 'delivered')), false) AS is_replayed
         FROM (SELECT l.event, l.status FROM webhook_attempts l
                WHERE l.party_id = party AND l.webhook_id = webhook AND l.message_id >= m.id AND l.message_id <= m.id
                  AND (l.event = 'message.replay' OR l.status IN ('dropped', 'failed'))
                ORDER BY l.party_id, l.webhook_id, l.message_id LIMIT 1000) a) AS later
     WHERE (selection IN ('missing', 'undelivered') AND NOT m.is_known AND NOT later.is_known)
        OR (selection IN ('failed', 'undelivered') AND later.is_given_up AND NOT later.is_replayed));
END
$$;
