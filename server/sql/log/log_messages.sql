-- A follower of messages: a leaf for each, in the order of the batch, so that a message finds its leaf by its slot.
CREATE OR REPLACE FUNCTION log_messages(messages committed_message[]) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  batch  uuid;
  leaves bytea;
BEGIN
  SELECT m.log_batch, string_agg('\x01'::bytea || m.content_hash, ''::bytea ORDER BY m.ordinality) INTO batch, leaves
    FROM unnest(messages) WITH ORDINALITY AS m WHERE m.log_batch IS NOT NULL GROUP BY m.log_batch;
  IF FOUND THEN
    PERFORM write_log_batch(batch, leaves);
  END IF;
END
$$;
