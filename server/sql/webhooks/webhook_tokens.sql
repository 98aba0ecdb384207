-- How many attempts of a webhook with max_per_second can be leased now. Its bucket fills at that rate, and holds what comes in half a
-- second. An attempt takes its token with the lease, because it begins within two seconds of that or is leased again.
CREATE OR REPLACE FUNCTION webhook_tokens(party bigint, webhook uuid, per_second integer, clock timestamptz) RETURNS float8 LANGUAGE plpgsql
AS $$
DECLARE
  most   CONSTANT float8 := greatest(1, per_second / 2.0);
  bucket record;
BEGIN
  SELECT r.tokens, r.counted_at INTO bucket FROM webhook_rates r WHERE r.party_id = party AND r.webhook_id = webhook;
  RETURN least(most, coalesce(bucket.tokens + per_second * greatest(0, extract(epoch FROM clock - bucket.counted_at)), most));
END
$$;
