-- Evaluates attempts that are about to be recorded, of which some failed or are to endpoints that have never responded 2xx. A webhook is
-- paused if its endpoint responded 410, has failed too often and never succeeded, or has failed for too long; jobs in the same transaction
-- notify its business, and once before that. Without an attempt, nothing happens to a webhook, however long ago the last one failed.
-- Rows are locked in one order, so that workers never deadlock. An attempt to a URL that the webhook no longer has counts for nothing.
CREATE OR REPLACE FUNCTION judge_webhooks(made made_attempt[], failures_max integer, tell_after_s integer, pause_after_s integer)
RETURNS void LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  clock       CONSTANT timestamptz := now();
  told_before CONSTANT timestamptz := clock - make_interval(secs => pause_after_s - least(tell_after_s, pause_after_s));
  outcome     record;
  hook        record;
  before      record;
  reason      text;
  is_told     boolean;
BEGIN
  FOR outcome IN
    SELECT m.party_id, m.webhook_id, m.url_version, count(*) FILTER (WHERE NOT m.succeeded) AS failed, bool_or(m.succeeded) AS succeeded,
           coalesce(bool_or(m.status_code = 410), false) AS is_gone
      FROM unnest(made) AS m
      JOIN webhook_attempts a ON a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE
     GROUP BY m.party_id, m.webhook_id, m.url_version ORDER BY m.party_id, m.webhook_id
  LOOP
    SELECT w.party_id, w.id, w.active, w.pause_reason, w.paused_at, w.first_success_at, w.failures, w.failing_since, w.failing_told_at INTO hook FROM webhooks w
     WHERE w.party_id = outcome.party_id AND w.id = outcome.webhook_id AND w.url_version = outcome.url_version FOR NO KEY UPDATE;
    CONTINUE WHEN NOT FOUND;
    before := hook;

    IF outcome.succeeded THEN
      hook.first_success_at := coalesce(hook.first_success_at, clock);
      hook.failing_since := NULL;
      hook.failing_told_at := NULL;
    ELSE
      hook.failing_since := coalesce(hook.failing_since, clock);
    END IF;
    hook.failures := hook.failures + CASE WHEN hook.first_success_at IS NULL THEN outcome.failed ELSE 0 END;
    reason := CASE WHEN NOT hook.active THEN NULL
                   WHEN outcome.is_gone THEN 'gone'
                   WHEN hook.first_success_at IS NULL AND hook.failures >= failures_max THEN 'never_succeeded'
                   WHEN pause_after_s > 0 AND hook.failing_told_at <= told_before THEN 'failing' END;
    is_told := reason IS NULL AND hook.active AND hook.failing_told_at IS NULL AND hook.failing_since <= clock - make_interval(secs => tell_after_s);

    CONTINUE WHEN hook IS NOT DISTINCT FROM before AND reason IS NULL AND NOT is_told;
    UPDATE webhooks w
       SET first_success_at = hook.first_success_at, failures = hook.failures, failing_since = hook.failing_since,
           failing_told_at = CASE WHEN is_told THEN clock ELSE hook.failing_told_at END,
           active = hook.active AND reason IS NULL, pause_reason = coalesce(reason, hook.pause_reason),
           paused_at = CASE WHEN reason IS NULL THEN hook.paused_at ELSE clock END
     WHERE w.party_id = hook.party_id AND w.id = hook.id;
    IF reason IS NOT NULL THEN
      PERFORM queue_job('tell-of-paused-webhook', json_build_object('partyId', hook.party_id::text, 'webhookId', hook.id::text),
                        'tell-of-paused-webhook ' || hook.id);
      PERFORM queue_webhook_events(hook.party_id, 'webhook.paused', ARRAY[hook.id]);
    ELSIF is_told THEN
      PERFORM queue_job('tell-of-failing-webhook', json_build_object('partyId', hook.party_id::text, 'webhookId', hook.id::text),
                        'tell-of-failing-webhook ' || hook.id);
    END IF;
  END LOOP;
END
$$;
