-- Whether a worker other than this one holds an attempt of the webhook. A lease outlives its attempts, so what counts is whether
-- an attempt is still pending.
CREATE OR REPLACE FUNCTION is_held_elsewhere(party bigint, webhook uuid, worker uuid, clock timestamptz) RETURNS boolean LANGUAGE plpgsql
AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM webhook_leases l CROSS JOIN LATERAL unnest(l.attempt_ids) AS held (id)
      JOIN webhook_attempts a ON a.party_id = l.party_id AND a.webhook_id = l.webhook_id AND a.id = held.id AND (a.status = 'pending') IS TRUE
     WHERE l.party_id = party AND l.webhook_id = webhook AND l.worker_id <> worker AND l.until > clock);
END
$$;
