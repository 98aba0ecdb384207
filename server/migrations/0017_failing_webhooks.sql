-- In each shard:

ALTER TABLE webhooks
  -- When the first attempt failed after the last success; null after a success.
  ADD COLUMN failing_since   timestamptz,
  -- When the business was notified of it.
  ADD COLUMN failing_told_at timestamptz;
CREATE INDEX webhooks_failing ON webhooks (party_id, id) WHERE failing_since IS NOT NULL;
