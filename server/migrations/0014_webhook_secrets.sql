-- In each shard:

-- After a rotation, the secret before also signs until the grace is over. Secrets and the values of headers are encrypted if the service has a key.
ALTER TABLE webhooks
  ADD COLUMN previous_secret       text,
  ADD COLUMN previous_secret_until timestamptz,
  ADD CONSTRAINT webhooks_previous_secret CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL));
