-- In each shard:

ALTER TABLE webhooks
  -- What the webhook is told of.
  ADD COLUMN events text[] NOT NULL DEFAULT '{message.received}';
-- Each send looks for them, mostly in vain.
CREATE INDEX webhooks_of_sends ON webhooks (party_id) WHERE 'message.sent' = ANY (events) OR 'schema.failed' = ANY (events);

ALTER TABLE webhook_attempts
  -- What an event other than a received message is about: a message, a thread or a webhook. Then message_id is the id of the event.
  ADD COLUMN subject_id uuid;

-- From a large file that has been hashed to the messages that have it.
CREATE INDEX files_by_object ON files (object_id);
