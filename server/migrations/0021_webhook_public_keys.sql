-- In each shard:

-- Of webhooks that also sign with Ed25519. The private key is stored with the secret, separated by a space and encrypted with it.
ALTER TABLE webhooks ADD COLUMN public_key text;
