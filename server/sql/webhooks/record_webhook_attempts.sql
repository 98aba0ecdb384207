-- Records attempts that were made, which messages they handed over, the next attempt after each failure, and what failures mean for their webhooks. Attempts that are
-- no longer pending were recorded by another worker, and stay unchanged. A receiver can delay the next attempt to twice its usual
-- delay at most. A 410 from the URL that the webhook has now is final: judge_webhooks has paused the webhook.
CREATE OR REPLACE FUNCTION record_webhook_attempts(
  made made_attempt[], retry_delays_s integer[], failures_max integer, tell_after_s integer, pause_after_s integer
) RETURNS void LANGUAGE plpgsql
-- Here and below, IS TRUE keeps the index of pending attempts, which has no ids, from serving in place of the primary key.
-- Without these options, `record_deliveries` read 11,038 rows in place of 131 with a plan made while tables were small (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  batch        record;
  clock        CONSTANT timestamptz := now();
  -- Times are computed before the statements that write them: Citus refuses to compute one from a column in a write.
  begun_at     CONSTANT timestamptz[] := ARRAY(SELECT clock - m.age_ms * interval '1 millisecond' FROM unnest(made) WITH ORDINALITY AS m ORDER BY m.ordinality);
  asked_at     timestamptz[];
  earliest_at  timestamptz[];
  latest_at    timestamptz[];
  gone         uuid[];
BEGIN
  SELECT bool_and(m.is_proven) AS is_proven, bool_and(m.succeeded) AS succeeded, bool_or(m.is_ordered) AS is_ordered INTO batch FROM unnest(made) AS m;
  IF batch.is_ordered THEN
    PERFORM lock_ordered_webhooks(made);
  END IF;
  IF NOT batch.is_proven OR NOT batch.succeeded THEN
    PERFORM judge_webhooks(made, failures_max, tell_after_s, pause_after_s);
  ELSIF EXISTS (SELECT 1 FROM webhooks w WHERE w.failing_since IS NOT NULL) THEN
    PERFORM clear_failing_webhooks(made);
  END IF;

  -- Mostly all succeed, and nothing follows.
  IF batch.succeeded THEN
    PERFORM record_deliveries(made, begun_at, clock);
    IF batch.is_ordered THEN
      PERFORM release_threads(made);
    END IF;
    RETURN;
  END IF;

  asked_at := ARRAY(SELECT clock + make_interval(secs => m.retry_after_s) FROM unnest(made) WITH ORDINALITY AS m ORDER BY m.ordinality);
  earliest_at := ARRAY(SELECT clock + make_interval(secs => d.s) FROM unnest(retry_delays_s) WITH ORDINALITY AS d (s, place) ORDER BY d.place);
  latest_at := ARRAY(SELECT clock + make_interval(secs => 2.0 * d.s) FROM unnest(retry_delays_s) WITH ORDINALITY AS d (s, place) ORDER BY d.place);
  gone := ARRAY(SELECT m.id FROM unnest(made) AS m JOIN webhooks w ON w.party_id = m.party_id AND w.id = m.webhook_id AND w.url_version = m.url_version
                 WHERE m.status_code = 410);
  WITH recorded AS (
    UPDATE webhook_attempts a
       SET status = CASE WHEN m.succeeded THEN 'delivered'::attempt_status WHEN a.event = 'message.test' OR a.id = ANY (gone) THEN 'failed'::attempt_status
                         WHEN a.attempt > cardinality(retry_delays_s) THEN 'dropped'::attempt_status ELSE 'retrying'::attempt_status END,
           status_code = m.status_code, error = m.error, response_ms = m.response_ms, attempted_at = begun_at[m.ordinality],
           next_attempt_at = CASE WHEN NOT m.succeeded AND a.event <> 'message.test' AND a.id <> ALL (gone) AND a.attempt <= cardinality(retry_delays_s)
                                  THEN greatest(earliest_at[a.attempt], least(asked_at[m.ordinality], latest_at[a.attempt])) END
      FROM unnest(made) WITH ORDINALITY AS m
     WHERE a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE
    RETURNING a.party_id, a.webhook_id, a.message_id, a.event, a.subject_id, a.attempt, a.status, a.next_attempt_at, a.thread_id, a.position
  )
  INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, subject_id, attempt, due_at, created_at, next_attempt_at, thread_id, position)
  SELECT r.party_id, r.webhook_id, new_uuid(clock), r.message_id, r.event, r.subject_id, r.attempt + 1, r.next_attempt_at, clock, r.next_attempt_at,
         r.thread_id, r.position
    FROM recorded r JOIN webhooks w ON w.party_id = r.party_id AND w.id = r.webhook_id
   WHERE r.status = 'retrying';
  PERFORM hand_over_messages(made, clock);
  IF batch.is_ordered THEN
    PERFORM release_threads(made);
  END IF;
END
$$;
