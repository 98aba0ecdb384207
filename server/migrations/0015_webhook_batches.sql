-- As before, except that only the index of the webhook can serve it: had the webhook stood in an equation, the order would have
-- been that of due_at alone, and a plan made while one webhook had all attempts would read those of all others for ever after.
-- When an attempt was queued is of interest in test events alone.
CREATE OR REPLACE FUNCTION claim_webhook_attempts(worker uuid, party_ids bigint[], webhook_ids uuid[], rooms integer[], helds text[], lease interval)
RETURNS TABLE (webhook_id uuid, url text, secret text, ids text, message_ids text, events text, created_ms text, clock_ms bigint)
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
    SELECT w.party_id, w.id AS webhook_id, w.url, w.secret, k.room, k.held::uuid[] AS held
      FROM unnest(party_ids, webhook_ids, rooms, helds) AS k (party_id, webhook_id, room, held)
      JOIN webhooks w ON w.party_id = k.party_id AND w.id = k.webhook_id AND w.active
  LOOP
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(uuid_hash_extended(wanted.webhook_id, 0));

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
    RETURN NEXT;
  END LOOP;
END
$$;

-- As before, and what most often comes, successes alone, takes a short way: nothing follows from them.
CREATE OR REPLACE FUNCTION record_webhook_attempts(
  party_ids bigint[], webhook_ids uuid[], ids uuid[], successes integer[], status_codes integer[], errors text[],
  responses_ms integer[], ages_ms integer[], retry_afters_s integer[], retry_delays_s integer[]
) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
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
                                  THEN now() + make_interval(secs => greatest(retry_delays_s[a.attempt], m.retry_after_s)) END
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
