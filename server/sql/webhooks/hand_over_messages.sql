-- Notes which messages were handed over by those attempts that succeeded, where others failed (record_deliveries does it otherwise).
CREATE OR REPLACE FUNCTION hand_over_messages(made made_attempt[], clock timestamptz) RETURNS void LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  party_ids   bigint[];
  message_ids uuid[];
BEGIN
  SELECT array_agg(a.party_id), array_agg(a.message_id) INTO party_ids, message_ids
    FROM unnest(made) AS m JOIN webhook_attempts a ON a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id
   WHERE m.succeeded AND a.event IN ('message.received', 'message.replay');
  IF party_ids IS NOT NULL THEN
    PERFORM note_hand_overs(party_ids, message_ids, 'webhook', clock);
  END IF;
END
$$;
