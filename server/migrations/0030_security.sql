-- Who has allowed the login of a program: the login ends when this person may no longer create keys. Logins last for minutes; those of
-- before begin again.
DELETE FROM device_logins;
ALTER TABLE device_logins
  ADD COLUMN allowed_by uuid,
  -- The IPv6 /48 of the program, whose networks have a limit together.
  ADD COLUMN site text COLLATE "C",
  DROP CONSTRAINT device_logins_check,
  ADD CONSTRAINT device_logins_check CHECK (num_nonnulls(party_id, agent_id, scope, allowed_by) IN (0, 4));
CREATE INDEX device_logins_of_site ON device_logins (site) WHERE site IS NOT NULL;
CREATE INDEX device_logins_of_party ON device_logins (party_id) WHERE party_id IS NOT NULL;

-- In each shard:

-- Whether the operator's client certificate is shown to the endpoint. Webhooks of before keep it, because their endpoints may ask for it; others have to want it.
ALTER TABLE webhooks ADD COLUMN client_certificate boolean NOT NULL DEFAULT true;
ALTER TABLE webhooks ALTER COLUMN client_certificate SET DEFAULT false;

-- What recoveries of webhooks have used on a day (UTC). It outlives recoveries and webhooks, so that deleting them is no way around the limits. The row of the
-- whole business has the nil UUID as its webhook.
CREATE TABLE webhook_recovery_usage (
  party_id   bigint  NOT NULL,
  webhook_id uuid    NOT NULL,
  day        date    NOT NULL,
  recoveries integer NOT NULL,
  queued     integer NOT NULL DEFAULT 0,
  PRIMARY KEY (party_id, webhook_id, day)
);
