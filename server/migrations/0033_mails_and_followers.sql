-- Identifies the mail that a message is made of, among those to its business.
ALTER TYPE prepared_message ADD ATTRIBUTE mail_digest bytea;
-- The texts of the sender stand last, so that a new one is added behind them.
ALTER TYPE prepared_message DROP ATTRIBUTE type, DROP ATTRIBUTE subject, DROP ATTRIBUTE note;
ALTER TYPE prepared_message ADD ATTRIBUTE type text, ADD ATTRIBUTE subject text, ADD ATTRIBUTE note text;
-- What the log needs of a message: the batch of leaves that has one for it, unless its sender is in another shard.
ALTER TYPE committed_message ADD ATTRIBUTE content_hash bytea, ADD ATTRIBUTE log_batch uuid;

-- In each shard:

-- A key has the end of its window, and what a mail was stands in a column. Keys of clients contain no space; those made of mails did.
ALTER TABLE idempotency_keys ADD COLUMN mail_digest bytea;
ALTER TABLE idempotency_keys RENAME COLUMN created_at TO expires_at;
UPDATE idempotency_keys
   SET expires_at = expires_at + CASE WHEN strpos(key, ' ') > 0 THEN interval '96 hours' ELSE interval '24 hours' END,
       mail_digest = CASE WHEN key ~ '^mail-[0-9a-f]{64} ' THEN decode(substr(key, 6, 64), 'hex') END;
ALTER INDEX idempotency_keys_by_age RENAME TO idempotency_keys_by_end;
CREATE INDEX idempotency_keys_by_mail ON idempotency_keys (party_id, mail_digest) WHERE mail_digest IS NOT NULL;

-- An envelope shows the key that its client has chosen, no other.
UPDATE messages SET idempotency_key = NULL WHERE strpos(idempotency_key, ' ') > 0;
