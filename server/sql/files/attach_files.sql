-- A follower of messages: the files of a batch. An object for the bytes, a file for each party of the message in this shard, and a job for each object
-- whose hash is not known yet. The job is part of the transaction, so that no crash can come between.
CREATE OR REPLACE FUNCTION attach_files(messages committed_message[], files prepared_file[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  -- Most batches have none.
  IF cardinality(files) = 0 THEN
    RETURN;
  END IF;
  INSERT INTO objects (party_id, id, size_bytes, sha256)
  SELECT DISTINCT ON (f.object_id) m.sender_id, f.object_id, f.size_bytes, f.sha256 FROM unnest(messages) AS m JOIN unnest(files) f ON f.message_id = m.id
  ON CONFLICT (party_id, id) DO NOTHING;

  INSERT INTO files (party_id, id, message_id, ordinal, owner_id, object_id, filename, content_type)
  SELECT party.id, f.id, f.message_id, f.ordinal, m.sender_id, f.object_id, f.filename, f.content_type
    FROM unnest(messages) AS m JOIN unnest(files) f ON f.message_id = m.id,
         LATERAL (SELECT m.sender_id WHERE m.half IS DISTINCT FROM 'in' UNION SELECT m.recipient_id WHERE m.half IS DISTINCT FROM 'out') AS party (id);

  PERFORM queue_job('hash-object', json_build_object('id', f.object_id), 'hash-object ' || f.object_id)
     FROM unnest(messages) AS m JOIN unnest(files) f ON f.message_id = m.id WHERE f.sha256 IS NULL AND m.half IS DISTINCT FROM 'in';
END
$$;
