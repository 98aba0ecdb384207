-- Of what the message request says, if it has an idempotency key.
ALTER TYPE prepared_message ADD ATTRIBUTE request_digest bytea;

-- In each shard:

-- The first bytes of a SHA-256, by which a repeat of an idempotency key with another request is noticed. Null if the first one is not known.
ALTER TABLE idempotency_keys ADD COLUMN request_digest bytea;

-- An attempt that got a 410 is not retried: a recovery looks for it, too.
DROP INDEX webhook_attempts_by_message;
CREATE INDEX webhook_attempts_by_message ON webhook_attempts (party_id, webhook_id, message_id)
  WHERE event = 'message.replay' OR status IN ('dropped', 'failed');
