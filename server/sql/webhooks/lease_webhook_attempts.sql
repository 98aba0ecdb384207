-- Leases the attempts longest due, for each wanted webhook as many as the worker has room for, until `lease` from now, and renews
-- the worker's earlier leases of these webhooks. A lease is a row of webhook_leases. The attempts themselves are not updated,
-- which would cost three index entries each. A lease lost in a crash of the database costs one repetition, so nothing here waits
-- for the disk. A webhook from which another process is leasing at this moment is skipped. Where max_per_second allows fewer attempts than there is room for, or there is more to look through for an ordered webhook, retry_ms says when to lease again.
-- Returns one row for each webhook that has attempts due, with the attempts as JSON: a row for each attempt would cost the reader more.
CREATE OR REPLACE FUNCTION lease_webhook_attempts(worker uuid, wanted wanted_attempts[], lease interval)
RETURNS TABLE (webhook_id uuid, url text, url_version integer, secret text, previous_secret text, headers text, client_certificate boolean, is_proven boolean, clock_ms bigint, attempts json,
               retry_ms integer) LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 6 rows of webhooks, all of them, in place of 5 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  clock   timestamptz := clock_timestamp();
  hook    record;
  leased  uuid[];
  tokens  float8;
  more_ms integer;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  clock_ms := floor(extract(epoch FROM clock) * 1000);
  FOR hook IN
    SELECT w.party_id, w.id, w.url, w.url_version, w.secret, w.headers, w.client_certificate, w.max_per_second, w.ordered, w.first_success_at IS NOT NULL AS is_proven,
           CASE WHEN w.previous_secret_until > clock THEN w.previous_secret END AS previous_secret, k.room, k.held
      FROM unnest(wanted) AS k JOIN webhooks w ON w.party_id = k.party_id AND w.id = k.webhook_id AND w.active
  LOOP
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(uuid_hash_extended(hook.id, 0));
    -- An endpoint that has never responded 2xx gets one attempt, and only while no worker holds another.
    IF NOT hook.is_proven THEN
      CONTINUE WHEN cardinality(hook.held) > 0 OR is_held_elsewhere(hook.party_id, hook.id, worker, clock);
      hook.room := 1;
    END IF;
    SELECT hook.id, hook.url, hook.url_version, hook.secret, hook.previous_secret, hook.headers, hook.client_certificate, hook.is_proven, NULL, NULL
      INTO webhook_id, url, url_version, secret, previous_secret, headers, client_certificate, is_proven, retry_ms, more_ms;
    IF hook.max_per_second IS NOT NULL THEN
      tokens := webhook_tokens(hook.party_id, hook.id, hook.max_per_second, clock);
      retry_ms := CASE WHEN tokens < hook.room THEN greatest(200, 1000 / hook.max_per_second) END;
      hook.room := least(hook.room, floor(tokens));
    END IF;
    IF hook.ordered THEN
      SELECT n.attempt_ids, n.attempts, n.more_ms INTO leased, attempts, more_ms
        FROM next_ordered_attempts(hook.party_id, hook.id, hook.room, hook.held, worker, clock) AS n;
    ELSE
      -- Only the index of the webhook can serve this order, as the webhook stands in no equation: otherwise a plan made while one webhook had all
      -- attempts would read those of all others. NOT IN with a subquery uses a hash table. Test events alone say when their attempt was queued.
      SELECT array_agg(d.id),
             coalesce(json_agg(json_build_object('id', d.id, 'messageId', d.message_id, 'event', d.event, 'subjectId', d.subject_id,
                                        'createdMs', CASE d.event WHEN 'message.test' THEN floor(extract(epoch FROM d.created_at) * 1000)::bigint ELSE 0 END)), '[]')
        INTO leased, attempts
        FROM (SELECT a.id, a.message_id, a.event, a.subject_id, a.created_at FROM webhook_attempts a
               WHERE a.party_id = hook.party_id AND a.webhook_id >= hook.id AND a.webhook_id <= hook.id
                 AND a.status = 'pending' AND a.due_at <= clock AND a.id NOT IN (SELECT unnest(hook.held))
                 AND a.id NOT IN (SELECT unnest(l.attempt_ids) FROM webhook_leases l
                                   WHERE l.party_id = hook.party_id AND l.webhook_id = hook.id AND l.worker_id <> worker AND l.until > clock)
               ORDER BY a.party_id, a.webhook_id, a.due_at LIMIT hook.room) d;
    END IF;
    CONTINUE WHEN leased IS NULL AND hook.room > 0;

    INSERT INTO webhook_leases (party_id, webhook_id, worker_id, attempt_ids, until)
    VALUES (hook.party_id, hook.id, worker, hook.held || leased, clock + lease)
    ON CONFLICT (party_id, webhook_id, worker_id) DO UPDATE SET attempt_ids = excluded.attempt_ids, until = excluded.until;
    IF hook.max_per_second IS NOT NULL THEN
      PERFORM set_webhook_tokens(hook.party_id, hook.id, tokens - coalesce(cardinality(leased), 0), clock);
      retry_ms := CASE WHEN cardinality(leased) < hook.room THEN NULL ELSE retry_ms END;
    END IF;
    retry_ms := coalesce(retry_ms, more_ms);
    RETURN NEXT;
  END LOOP;
END
$$;
