-- In each shard:

-- The object that an upload is sealed into. In a bucket, each copy makes an object of its own; once sealed_bytes is set, the one that counts is recorded.
-- Null: the object has the id of the upload.
ALTER TABLE uploads ADD COLUMN object_id uuid;
