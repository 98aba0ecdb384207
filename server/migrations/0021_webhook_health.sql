-- An endpoint that has never responded 2xx may be a stranger's who never agreed to be one. It gets one attempt at a time, and is
-- paused when too many have failed. A success is for ever: afterwards nothing here is counted or written any more.
ALTER TABLE webhooks
  ADD COLUMN first_success_at timestamptz,
  -- Attempts that failed before the first success, since the webhook was created or last resumed.
  ADD COLUMN failures         integer NOT NULL DEFAULT 0,
  -- Why and since when it is not active.
  ADD COLUMN pause_reason     text,
  ADD COLUMN paused_at        timestamptz,
  ADD CONSTRAINT webhooks_pause CHECK (active = (pause_reason IS NULL) AND active = (paused_at IS NULL));

UPDATE webhooks w SET first_success_at = w.created_at
 WHERE EXISTS (SELECT FROM webhook_attempts a WHERE a.party_id = w.party_id AND a.webhook_id = w.id AND a.status = 'delivered');

-- As before, and says whether the endpoint has ever responded 2xx. If not, one attempt is given out, and only while no worker
-- holds another: a lease outlives its attempt, so what counts is whether the attempt is still pending.
DROP FUNCTION claim_webhook_attempts(uuid, bigint[], uuid[], integer[], text[], interval);
CREATE FUNCTION claim_webhook_attempts(worker uuid, party_ids bigint[], webhook_ids uuid[], rooms integer[], helds text[], lease interval)
RETURNS TABLE (webhook_id uuid, url text, secret text, ids text, message_ids text, events text, created_ms text, clock_ms bigint, is_proven boolean)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  clock   timestamptz := clock_timestamp();
  wanted  record;
  claimed uuid[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  clock_ms := floor(extract(epoch FROM clock) * 1000);
  FOR wanted IN
    SELECT w.party_id, w.id AS webhook_id, w.url, w.secret, w.first_success_at IS NOT NULL AS is_proven, k.room, k.held::uuid[] AS held
      FROM unnest(party_ids, webhook_ids, rooms, helds) AS k (party_id, webhook_id, room, held)
      JOIN webhooks w ON w.party_id = k.party_id AND w.id = k.webhook_id AND w.active
  LOOP
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(uuid_hash_extended(wanted.webhook_id, 0));

    IF NOT wanted.is_proven THEN
      CONTINUE WHEN cardinality(wanted.held) > 0 OR EXISTS (
        SELECT FROM webhook_claims c CROSS JOIN LATERAL unnest(c.attempt_ids) AS held (id)
          JOIN webhook_attempts a ON a.party_id = c.party_id AND a.webhook_id = c.webhook_id AND a.id = held.id AND (a.status = 'pending') IS TRUE
         WHERE c.party_id = wanted.party_id AND c.webhook_id = wanted.webhook_id AND c.worker_id <> worker AND c.until > clock);
      wanted.room := 1;
    END IF;

    SELECT array_agg(d.id), string_agg(d.id::text, ','), string_agg(d.message_id::text, ','), string_agg(d.event, ','),
           string_agg(CASE d.event WHEN 'message.test' THEN floor(extract(epoch FROM d.created_at) * 1000)::bigint::text ELSE '' END, ',')
      INTO claimed, ids, message_ids, events, created_ms
      FROM (SELECT a.id, a.message_id, a.event, a.created_at FROM webhook_attempts a
             WHERE a.party_id = wanted.party_id AND a.webhook_id >= wanted.webhook_id AND a.webhook_id <= wanted.webhook_id
               AND a.status = 'pending' AND a.due_at <= clock
               AND a.id NOT IN (SELECT unnest(wanted.held))
               AND a.id NOT IN (SELECT unnest(c.attempt_ids) FROM webhook_claims c
                                 WHERE c.party_id = wanted.party_id AND c.webhook_id = wanted.webhook_id AND c.worker_id <> worker AND c.until > clock)
             ORDER BY a.party_id, a.webhook_id, a.due_at LIMIT wanted.room) d;
    CONTINUE WHEN claimed IS NULL;

    INSERT INTO webhook_claims (party_id, webhook_id, worker_id, attempt_ids, until)
    VALUES (wanted.party_id, wanted.webhook_id, worker, wanted.held || claimed, clock + lease)
    ON CONFLICT (party_id, webhook_id, worker_id) DO UPDATE SET attempt_ids = excluded.attempt_ids, until = excluded.until;
    webhook_id := wanted.webhook_id;
    url := wanted.url;
    secret := wanted.secret;
    is_proven := wanted.is_proven;
    RETURN NEXT;
  END LOOP;
END
$$;

-- What attempts that are about to be recorded say of endpoints that had never responded 2xx. A webhook with too many failures is
-- paused, and its business told of it by a job of the same transaction. Rows are locked in one order, so that workers never deadlock.
CREATE FUNCTION judge_unproven_webhooks(
  party_ids bigint[], webhook_ids uuid[], ids uuid[], successes integer[], unproven integer[], failures_max integer
) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  made record;
BEGIN
  FOR made IN
    SELECT m.party_id, m.webhook_id, count(*) FILTER (WHERE m.succeeded = 0) AS failed, bool_or(m.succeeded = 1) AS succeeded
      FROM unnest(party_ids, webhook_ids, ids, successes, unproven) AS m (party_id, webhook_id, id, succeeded, unproven)
      JOIN webhook_attempts a ON a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE
     WHERE m.unproven = 1
     GROUP BY m.party_id, m.webhook_id ORDER BY m.party_id, m.webhook_id
  LOOP
    UPDATE webhooks w SET first_success_at = CASE WHEN made.succeeded THEN now() END, failures = w.failures + made.failed
     WHERE w.party_id = made.party_id AND w.id = made.webhook_id AND w.first_success_at IS NULL;

    UPDATE webhooks w SET active = false, pause_reason = 'never_succeeded', paused_at = now()
     WHERE w.party_id = made.party_id AND w.id = made.webhook_id AND w.active AND w.first_success_at IS NULL AND w.failures >= failures_max;
    IF FOUND THEN
      PERFORM graphile_worker.add_job('tell-of-paused-webhook', json_build_object('partyId', made.party_id::text, 'webhookId', made.webhook_id::text),
                                      job_key => 'tell-of-paused-webhook ' || made.webhook_id);
    END IF;
  END LOOP;
END
$$;

-- As before, and tells apart the attempts of endpoints that had never responded 2xx: `unproven` has a 1 for each of them, and is
-- empty where there is none. A receiver can put the next attempt off to twice its delay at most.
DROP FUNCTION record_webhook_attempts(bigint[], uuid[], uuid[], integer[], integer[], text[], integer[], integer[], integer[], integer[]);
CREATE FUNCTION record_webhook_attempts(
  party_ids bigint[], webhook_ids uuid[], ids uuid[], successes integer[], status_codes integer[], errors text[],
  responses_ms integer[], ages_ms integer[], retry_afters_s integer[], retry_delays_s integer[],
  unproven integer[] DEFAULT '{}', failures_max integer DEFAULT 2147483647
) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  IF unproven <> '{}' THEN
    PERFORM judge_unproven_webhooks(party_ids, webhook_ids, ids, successes, unproven, failures_max);
  END IF;

  IF 0 <> ALL (successes) THEN
    UPDATE webhook_attempts a
       SET status = 'delivered', status_code = m.status_code, response_ms = m.response_ms,
           attempted_at = now() - m.age_ms * interval '1 millisecond', next_attempt_at = NULL
      FROM unnest(party_ids, webhook_ids, ids, status_codes, responses_ms, ages_ms)
        AS m (party_id, webhook_id, id, status_code, response_ms, age_ms)
     WHERE a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE;
    RETURN;
  END IF;

  WITH recorded AS (
    UPDATE webhook_attempts a
       SET status = CASE WHEN m.succeeded = 1 THEN 'delivered' WHEN a.event = 'message.test' THEN 'failed'
                         WHEN a.attempt > cardinality(retry_delays_s) THEN 'dropped' ELSE 'retrying' END::attempt_status,
           status_code = nullif(m.status_code, 0), error = m.error, response_ms = m.response_ms,
           attempted_at = now() - m.age_ms * interval '1 millisecond',
           next_attempt_at = CASE WHEN m.succeeded = 0 AND a.event <> 'message.test' AND a.attempt <= cardinality(retry_delays_s)
                                  THEN now() + make_interval(secs => greatest(retry_delays_s[a.attempt],
                                                                              least(m.retry_after_s, 2.0 * retry_delays_s[a.attempt]))) END
      FROM unnest(party_ids, webhook_ids, ids, successes, status_codes, errors, responses_ms, ages_ms, retry_afters_s)
        AS m (party_id, webhook_id, id, succeeded, status_code, error, response_ms, age_ms, retry_after_s)
     WHERE a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE
    RETURNING a.party_id, a.webhook_id, a.message_id, a.event, a.attempt, a.status, a.next_attempt_at
  )
  INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, next_attempt_at)
  SELECT r.party_id, r.webhook_id, new_uuid(now()), r.message_id, r.event, r.attempt + 1, r.next_attempt_at, now(), r.next_attempt_at
    FROM recorded r JOIN webhooks w ON w.party_id = r.party_id AND w.id = r.webhook_id
   WHERE r.status = 'retrying';
END
$$;
