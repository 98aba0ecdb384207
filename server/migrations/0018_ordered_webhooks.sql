-- Whether the attempt is one of an ordered webhook, and others of its thread may wait for it.
ALTER TYPE made_attempt ADD ATTRIBUTE is_ordered boolean;

-- In each shard:

ALTER TABLE webhooks
  -- One attempt of a thread at a time, in order of delivery.
  ADD COLUMN ordered boolean NOT NULL DEFAULT false;
-- Of attempts that were queued for an ordered webhook. While an attempt waits for another one of its thread, it is due at infinity.
ALTER TABLE webhook_attempts
  ADD COLUMN thread_id uuid,
  ADD COLUMN position  bigint;
CREATE INDEX webhook_attempts_of_thread ON webhook_attempts (party_id, webhook_id, thread_id, position, id)
  WHERE status = 'pending' AND thread_id IS NOT NULL;
