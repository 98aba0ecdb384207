-- Stores the tokens left in the bucket of a webhook with max_per_second (webhook_tokens). The caller has the lock of the webhook's leases.
CREATE OR REPLACE FUNCTION set_webhook_tokens(party bigint, webhook uuid, left_tokens float8, clock timestamptz) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO webhook_rates (party_id, webhook_id, tokens, counted_at) VALUES (party, webhook, left_tokens, clock)
  ON CONFLICT (party_id, webhook_id) DO UPDATE SET tokens = excluded.tokens, counted_at = excluded.counted_at;
END
$$;
