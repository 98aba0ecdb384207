-- Evaluates the attempts that are about to be recorded for endpoints that have never responded 2xx. A webhook with too many
-- failures is paused, and a job in the same transaction notifies its business. Rows are locked in one order, so that workers
-- never deadlock. An attempt to a URL that the webhook no longer has counts for nothing.
CREATE OR REPLACE FUNCTION judge_unproven_webhooks(made made_attempt[], failures_max integer) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  hook  record;
  clock CONSTANT timestamptz := now();
BEGIN
  FOR hook IN
    SELECT m.party_id, m.webhook_id, m.url_version, count(*) FILTER (WHERE NOT m.succeeded) AS failed, bool_or(m.succeeded) AS succeeded
      FROM unnest(made) AS m
      JOIN webhook_attempts a ON a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE
     WHERE NOT m.is_proven
     GROUP BY m.party_id, m.webhook_id, m.url_version ORDER BY m.party_id, m.webhook_id
  LOOP
    UPDATE webhooks w SET first_success_at = CASE WHEN hook.succeeded THEN clock END, failures = w.failures + hook.failed
     WHERE w.party_id = hook.party_id AND w.id = hook.webhook_id AND w.url_version = hook.url_version AND w.first_success_at IS NULL;

    UPDATE webhooks w SET active = false, pause_reason = 'never_succeeded', paused_at = now()
     WHERE w.party_id = hook.party_id AND w.id = hook.webhook_id AND w.active AND w.first_success_at IS NULL AND w.failures >= failures_max;
    IF FOUND THEN
      PERFORM queue_job('tell-of-paused-webhook', json_build_object('partyId', hook.party_id::text, 'webhookId', hook.webhook_id::text),
                        'tell-of-paused-webhook ' || hook.webhook_id);
    END IF;
  END LOOP;
END
$$;
