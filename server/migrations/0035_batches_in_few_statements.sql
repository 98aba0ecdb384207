-- What a batch sends from each ledger is added up by the service.
ALTER TYPE touched_ledger ADD ATTRIBUTE sent integer, ADD ATTRIBUTE sent_bytes bigint;
-- The leaves of the log are written with the messages, and no longer by a follower.
ALTER TYPE committed_message DROP ATTRIBUTE content_hash, DROP ATTRIBUTE log_batch;
