-- The files of a batch's messages: an object for the bytes, a file for each party of the message in this shard, and a job for each object
-- whose hash is not known yet. The job is part of the transaction, so that no crash can come between.
CREATE OR REPLACE FUNCTION insert_files(messages prepared_message[], files prepared_file[]) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO objects (party_id, id, size_bytes, sha256)
  SELECT DISTINCT ON (f.object_id) (b.m).sender_id, f.object_id, f.size_bytes, f.sha256
    FROM (SELECT unnest(messages) AS m) b JOIN unnest(files) f ON f.message_id = (b.m).id
  ON CONFLICT (party_id, id) DO NOTHING;

  INSERT INTO files (party_id, id, message_id, ordinal, owner_id, object_id, filename, content_type)
  SELECT party.id, f.id, f.message_id, f.ordinal, (b.m).sender_id, f.object_id, f.filename, f.content_type
    FROM (SELECT unnest(messages) AS m) b JOIN unnest(files) f ON f.message_id = (b.m).id,
         LATERAL (SELECT (b.m).sender_id WHERE (b.m).sender_ledger > 0 UNION SELECT (b.m).recipient_id WHERE (b.m).recipient_ledger > 0) AS party (id);

  PERFORM queue_job('hash-object', json_build_object('id', f.object_id), 'hash-object ' || f.object_id)
     FROM (SELECT unnest(messages) AS m) b JOIN unnest(files) f ON f.message_id = (b.m).id
    WHERE f.sha256 IS NULL AND (b.m).sender_ledger > 0;
END
$$;
