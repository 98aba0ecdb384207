-- Lets the next message of each of these threads be leased, if no worker has one of the thread and none is due. Returns whether there was any.
-- To be called under the lock of the consumer.
CREATE OR REPLACE FUNCTION free_threads(party bigint, consumer uuid, threads uuid[], clock timestamptz) RETURNS boolean LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  thread   uuid;
  next     uuid;
  is_freed boolean := false;
BEGIN
  FOR thread IN SELECT DISTINCT t FROM unnest(threads) AS t WHERE t IS NOT NULL LOOP
    SELECT m.message_id INTO next FROM consumer_messages m
     WHERE m.party_id = party AND m.consumer_id = consumer AND m.thread_id = thread AND m.state = 'held'
       AND NOT EXISTS (SELECT 1 FROM consumer_messages o
                        WHERE o.party_id = party AND o.consumer_id = consumer AND o.thread_id = thread AND o.state IN ('leased', 'waiting'))
     ORDER BY m.position LIMIT 1;
    IF FOUND THEN
      UPDATE consumer_messages SET state = 'waiting', due_at = clock WHERE party_id = party AND consumer_id = consumer AND message_id = next;
      is_freed := true;
    END IF;
  END LOOP;
  RETURN is_freed;
END
$$;
