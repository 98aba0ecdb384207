-- A follower of messages: keeps the signatures of those of a batch that were committed.
CREATE OR REPLACE FUNCTION keep_signatures(messages committed_message[], signatures prepared_signature[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  signer record;
BEGIN
  -- Most batches have none.
  IF cardinality(signatures) = 0 THEN
    RETURN;
  END IF;
  FOR signer IN SELECT DISTINCT s.sender_id, s.key_id FROM unnest(signatures) AS s ORDER BY s.sender_id, s.key_id LOOP
    IF NOT hold_valid_key(signer.sender_id, signer.key_id) THEN
      RAISE EXCEPTION 'the signing key % is revoked', signer.key_id USING ERRCODE = 'KR001';
    END IF;
  END LOOP;
  INSERT INTO message_signatures (sender_id, message_id, key_id, signature_input, signature, components, body_before, body_after)
  SELECT s.* FROM unnest(signatures) AS s WHERE s.message_id IN (SELECT m.id FROM unnest(messages) AS m);
END
$$;
