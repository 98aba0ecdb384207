-- The SHA-256 of `json` as it was sent. What JSON readers make of a text can differ: of repeated keys, and of numbers with many digits.
ALTER TYPE prepared_message ADD ATTRIBUTE json_bytes_sha256 bytea;

-- In each shard:

-- Null without JSON, and for messages from before this hash was recorded, whose content_hash does not cover it.
ALTER TABLE messages ADD COLUMN json_bytes_sha256 bytea;
