-- Records the hash of a large file that was delivered without, and queues an event for each webhook that wants to be told of it: in one
-- transaction, so that a job that runs twice tells of it once.
CREATE OR REPLACE FUNCTION record_hash(object uuid, hash bytea) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  of_party record;
BEGIN
  UPDATE objects SET sha256 = hash WHERE id = object AND sha256 IS NULL;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  FOR of_party IN SELECT f.party_id, array_agg(DISTINCT f.message_id) AS messages FROM files f WHERE f.object_id = object GROUP BY f.party_id LOOP
    PERFORM queue_webhook_events(of_party.party_id, 'file.hashed', of_party.messages);
  END LOOP;
END
$$;
