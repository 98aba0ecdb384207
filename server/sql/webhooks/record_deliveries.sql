-- Records attempts that have all succeeded, begun at these times, and that they handed messages over. Tests and other events hand no message
-- over.
CREATE OR REPLACE FUNCTION record_deliveries(made made_attempt[], begun_at timestamptz[], clock timestamptz) RETURNS void LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  party_ids   bigint[];
  message_ids uuid[];
BEGIN
  -- IS TRUE keeps the index of pending attempts, which has no ids, from serving in place of the primary key.
  WITH delivered AS (
    UPDATE webhook_attempts a
       SET status = 'delivered', status_code = m.status_code, response_ms = m.response_ms,
           attempted_at = begun_at[m.ordinality], next_attempt_at = NULL
      FROM unnest(made) WITH ORDINALITY AS m
     WHERE a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE
    RETURNING a.party_id, a.message_id, a.event
  )
  SELECT array_agg(d.party_id), array_agg(d.message_id) INTO party_ids, message_ids
    FROM delivered d WHERE d.event IN ('message.received', 'message.replay');
  IF party_ids IS NOT NULL THEN
    PERFORM note_hand_overs(party_ids, message_ids, 'webhook', clock);
  END IF;
END
$$;
