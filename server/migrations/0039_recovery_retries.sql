-- In each shard:

-- Messages that a recovery has looked at, and left to the retry that is due for them.
ALTER TABLE webhook_recoveries ADD COLUMN retrying integer NOT NULL DEFAULT 0;
