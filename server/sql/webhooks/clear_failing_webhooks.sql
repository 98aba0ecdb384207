-- Webhooks that were failing, and of which attempts have succeeded. Rows are locked in one order, so that workers never deadlock.
CREATE OR REPLACE FUNCTION clear_failing_webhooks(made made_attempt[]) RETURNS void LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  hook record;
BEGIN
  FOR hook IN
    SELECT w.party_id, w.id FROM (SELECT DISTINCT m.party_id, m.webhook_id, m.url_version FROM unnest(made) AS m) k
      JOIN webhooks w ON w.party_id = k.party_id AND w.id = k.webhook_id AND w.url_version = k.url_version AND w.failing_since IS NOT NULL
     ORDER BY w.party_id, w.id
  LOOP
    UPDATE webhooks w SET failing_since = NULL, failing_told_at = NULL WHERE w.party_id = hook.party_id AND w.id = hook.id;
  END LOOP;
END
$$;
