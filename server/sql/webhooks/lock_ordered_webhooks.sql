-- Takes the locks of the leases of ordered webhooks, before attempts of theirs are recorded: so no lease sees a thread between the end of an
-- attempt and the release of the next one. Locks are taken in one order, so that workers never deadlock. Leases only try to take them.
CREATE OR REPLACE FUNCTION lock_ordered_webhooks(made made_attempt[]) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  webhook uuid;
BEGIN
  FOR webhook IN SELECT DISTINCT m.webhook_id FROM unnest(made) AS m WHERE m.is_ordered ORDER BY m.webhook_id LOOP
    PERFORM pg_advisory_xact_lock(uuid_hash_extended(webhook, 0));
  END LOOP;
END
$$;
