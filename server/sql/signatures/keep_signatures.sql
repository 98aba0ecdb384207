-- A follower of messages: keeps the signatures of those of a batch that were committed.
CREATE OR REPLACE FUNCTION keep_signatures(messages committed_message[], signatures prepared_signature[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  -- Most batches have none.
  IF cardinality(signatures) = 0 THEN
    RETURN;
  END IF;
  INSERT INTO message_signatures (sender_id, message_id, key_id, signature_input, signature, components, body_before, body_after)
  SELECT s.* FROM unnest(signatures) AS s WHERE s.message_id IN (SELECT m.id FROM unnest(messages) AS m);
END
$$;
