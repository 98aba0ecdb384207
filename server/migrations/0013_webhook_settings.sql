-- Which of the webhook's URLs the attempt was posted to.
ALTER TYPE made_attempt ADD ATTRIBUTE url_version integer;

-- In each shard:

ALTER TABLE webhooks
  ADD COLUMN description    text,
  -- Only messages whose type is LIKE one of these patterns; null means all.
  ADD COLUMN types          text[],
  -- Sent with each attempt, as a JSON object.
  ADD COLUMN headers        text,
  -- Attempts that begin per second, in all processes together; null means no limit.
  ADD COLUMN max_per_second integer,
  -- Counts changes of the URL: a 2xx of the former endpoint proves nothing about the present one.
  ADD COLUMN url_version    integer NOT NULL DEFAULT 0;

-- The token buckets of webhooks with max_per_second: how many attempts could be leased at a time.
CREATE TABLE webhook_rates (
  party_id   bigint      NOT NULL,
  webhook_id uuid        NOT NULL,
  tokens     float8      NOT NULL,
  counted_at timestamptz NOT NULL,
  PRIMARY KEY (party_id, webhook_id)
) WITH (fillfactor = 50);
