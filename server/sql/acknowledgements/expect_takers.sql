-- A follower of messages: notes with their senders by when those of a batch should have been taken. The other half of a message between two shards has no sender.
CREATE OR REPLACE FUNCTION expect_takers(messages committed_message[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  INSERT INTO expiries (sender_id, message_id, due_at)
  SELECT s.sender_id, s.id, s.expires_at::timestamptz
    FROM unnest(messages) AS m JOIN messages s ON s.sender_id = m.sender_id AND s.id = m.id
   WHERE s.expires_at IS NOT NULL AND m.half IS DISTINCT FROM 'in';
END
$$;
