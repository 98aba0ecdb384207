-- What 0021_webhook_health.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE webhooks
  ADD COLUMN first_success_at timestamptz,
  ADD COLUMN failures         integer NOT NULL DEFAULT 0,
  ADD COLUMN pause_reason     text,
  ADD COLUMN paused_at        timestamptz,
  ADD CONSTRAINT webhooks_pause CHECK (active = (pause_reason IS NULL) AND active = (paused_at IS NULL));
UPDATE webhooks w SET first_success_at = w.created_at
 WHERE EXISTS (SELECT FROM webhook_attempts a WHERE a.party_id = w.party_id AND a.webhook_id = w.id AND a.status = 'delivered');
