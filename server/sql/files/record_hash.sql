-- Records the hash of a large file that was delivered without, logs it for each message that carries the file, and queues an event for each
-- webhook that wants to be told of it: in one transaction, so that a job that runs twice tells of it once.
CREATE OR REPLACE FUNCTION record_hash(object uuid, hash bytea) RETURNS void LANGUAGE plpgsql
-- Without this option, a plan made while tables were small read 10,000 rows in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  is_new   boolean;
  sent     record;
  logged   uuid;
  of_party record;
BEGIN
  UPDATE objects SET sha256 = hash WHERE id = object AND sha256 IS NULL;
  is_new := FOUND;

  -- The text is canonical JSON (RFC 8785), as modules/log/statements.ts writes it. A message may have been sent since the last time.
  FOR sent IN SELECT f.party_id, f.id, f.message_id, (SELECT o.size_bytes FROM objects o WHERE o.party_id = f.party_id AND o.id = f.object_id) AS size_bytes
                FROM files f WHERE f.object_id = object AND f.party_id = f.owner_id AND f.log_batch IS NULL LOOP
    logged := log_leaves('\x02'::bytea || sha256(convert_to(format('{"file":"%s","message":"%s","sha256":"sha256:%s","size_bytes":%s}',
      public_id('file', sent.id), public_id('msg', sent.message_id), encode(hash, 'hex'), sent.size_bytes), 'UTF8')), clock_timestamp());
    UPDATE files SET log_batch = logged WHERE party_id = sent.party_id AND id = sent.id;
  END LOOP;

  IF NOT is_new THEN
    RETURN;
  END IF;
  FOR of_party IN SELECT f.party_id, array_agg(DISTINCT f.message_id) AS messages FROM files f WHERE f.object_id = object GROUP BY f.party_id LOOP
    PERFORM queue_webhook_events(of_party.party_id, 'file.hashed', of_party.messages);
  END LOOP;
END
$$;
