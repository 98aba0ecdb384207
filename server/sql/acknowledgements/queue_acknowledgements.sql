-- A follower of messages: queues what replies acknowledge. A reply that contradicts what was said before fails its batch, with the verdict as the message of the error.
CREATE OR REPLACE FUNCTION queue_acknowledgements(messages committed_message[], acknowledgements prepared_acknowledgement[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  reply   record;
  verdict text;
BEGIN
  -- In the order of the messages, so that two batches which lock several entries lock them in the order of their ledgers' locks.
  FOR reply IN
    SELECT m.sender_id, m.in_reply_to, m.id, a.status, a.reason
      FROM unnest(messages) WITH ORDINALITY AS m JOIN unnest(acknowledgements) AS a ON a.reply_id = m.id ORDER BY m.ordinality
  LOOP
    verdict := judge_acknowledgement(reply.sender_id, reply.in_reply_to, reply.status, reply.reason, true);
    IF verdict = 'new' THEN
      INSERT INTO due_acknowledgements (party_id, message_id, status, reason, reply_id)
      VALUES (reply.sender_id, reply.in_reply_to, reply.status, reply.reason, reply.id);
      PERFORM queue_job('acknowledge-message', json_build_object('party_id', reply.sender_id::text, 'message_id', reply.in_reply_to),
                        'acknowledge-message ' || reply.sender_id || ' ' || reply.in_reply_to);
    ELSIF verdict <> 'same' THEN
      RAISE EXCEPTION '%', verdict USING ERRCODE = 'KR002';
    END IF;
  END LOOP;
END
$$;
