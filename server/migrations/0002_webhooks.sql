CREATE TYPE attempt_status AS ENUM ('pending', 'delivered', 'retrying', 'dropped', 'failed');

CREATE TABLE webhooks (
  party_id   bigint      NOT NULL,
  id         uuid        NOT NULL,
  url        text        NOT NULL,
  -- Only messages addressed to this segment; all when null.
  target     text,
  secret     text        NOT NULL,
  active     boolean     NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, id)
);

-- The delivery log, which is the queue too: a row an attempt, the pending ones being those that are yet to be made.
-- Their webhook may be gone; then nobody takes them, and a chore removes them.
CREATE TABLE webhook_attempts (
  party_id        bigint         NOT NULL,
  webhook_id      uuid           NOT NULL,
  -- Ascends with time, so that the log is read and cleaned up by the primary key.
  id              uuid           NOT NULL,
  message_id      uuid           NOT NULL,
  event           text           NOT NULL,
  attempt         smallint       NOT NULL,
  status          attempt_status NOT NULL DEFAULT 'pending',
  -- From when on a worker may take it. The worker that took it has put it off by so long that it needs no other mark:
  -- should that worker die, the attempt becomes due again.
  due_at          timestamptz    NOT NULL,
  status_code     smallint,
  response_ms     integer,
  error           text,
  created_at      timestamptz    NOT NULL,
  attempted_at    timestamptz,
  next_attempt_at timestamptz,
  PRIMARY KEY (party_id, webhook_id, id)
);
CREATE INDEX webhook_attempts_of_webhook ON webhook_attempts (party_id, webhook_id, due_at) WHERE status = 'pending';
CREATE INDEX webhook_attempts_by_time ON webhook_attempts (due_at) WHERE status = 'pending';

-- A UUIDv7 by the database's clock.
CREATE FUNCTION new_uuid(clock timestamptz) RETURNS uuid LANGUAGE sql VOLATILE
RETURN encode(set_bit(set_bit(
         overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(floor(extract(epoch FROM clock) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
         52, 1), 53, 1), 'hex')::uuid;

-- Writes down all that follows from messages, in the transaction that delivers them.
CREATE FUNCTION follow_messages(
  delivered timestamptz, sender_ids bigint[], recipient_ids bigint[], message_ids uuid[], segments text[], types text[], senders text[]
) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  PERFORM queue_webhook_attempts(recipient_ids, message_ids, segments);
END
$$;

-- The first attempt for each webhook that matches, and the word to the workers which webhooks have something to do. A
-- word has room for 8,000 bytes; an empty one makes them look for themselves.
CREATE FUNCTION queue_webhook_attempts(recipient_ids bigint[], message_ids uuid[], segments text[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := clock_timestamp();
  names text;
BEGIN
  WITH queued AS (
    INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, next_attempt_at)
    SELECT w.party_id, w.id, new_uuid(clock), m.id, 'message.received', 1, clock, clock, clock
      FROM unnest(recipient_ids, message_ids, segments) AS m (recipient_id, id, segment)
      JOIN webhooks w ON w.party_id = m.recipient_id AND w.active AND (w.target IS NULL OR w.target = m.segment)
    RETURNING party_id, webhook_id
  )
  SELECT string_agg(DISTINCT party_id || ':' || webhook_id, ',') INTO names FROM queued;
  IF names IS NOT NULL THEN
    PERFORM pg_notify('waybill_webhooks', CASE WHEN length(names) < 8000 THEN names ELSE '' END);
  END IF;
END
$$;

-- Takes the attempts longest due, of each of these webhooks as many as there is room for. Taking means putting off: what is
-- not recorded until `lease` from now is due again. A claim that a crash of the database undoes costs a repetition, so it
-- does not wait for the disk. Webhooks of which another process is taking at this moment are left to it.
--
-- Here and below, few rows of a large table are found by their keys, whatever its statistics say at the moment: the order
-- names all columns of the one index that serves it, and IS TRUE keeps that index, which has no ids, from serving the rest.
CREATE FUNCTION claim_webhook_attempts(party_ids bigint[], webhook_ids uuid[], rooms integer[], lease interval)
RETURNS TABLE (party_id bigint, webhook_id uuid, id uuid, message_id uuid, event text, created_at timestamptz, url text, secret text)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := clock_timestamp();
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT array_agg(CASE WHEN pg_try_advisory_xact_lock(uuid_hash_extended(k.webhook_id, 0)) THEN k.room ELSE 0 END ORDER BY k.n) INTO rooms
    FROM unnest(webhook_ids, rooms) WITH ORDINALITY AS k (webhook_id, room, n);
  RETURN QUERY
  WITH due AS MATERIALIZED (
    SELECT a.party_id, a.webhook_id, a.id, w.url, w.secret
      FROM unnest(party_ids, webhook_ids, rooms) AS k (party_id, webhook_id, room)
      JOIN webhooks w ON w.party_id = k.party_id AND w.id = k.webhook_id AND w.active,
           LATERAL (SELECT a.party_id, a.webhook_id, a.id FROM webhook_attempts a
                     WHERE a.party_id = k.party_id AND a.webhook_id = k.webhook_id AND a.status = 'pending' AND a.due_at <= clock
                     ORDER BY a.party_id, a.webhook_id, a.due_at LIMIT k.room) a
  )
  UPDATE webhook_attempts a SET due_at = clock + lease
    FROM due WHERE a.party_id = due.party_id AND a.webhook_id = due.webhook_id AND a.id = due.id AND (a.status = 'pending') IS TRUE
  RETURNING a.party_id, a.webhook_id, a.id, a.message_id, a.event, a.created_at, due.url, due.secret;
END
$$;

-- Writes down how attempts ended and queues the next one of those that failed, unless it was the last. What another worker
-- has written down meanwhile stays. The delays count from now, which is after the failure.
CREATE FUNCTION record_webhook_attempts(
  party_ids bigint[], webhook_ids uuid[], ids uuid[], successes integer[], status_codes integer[], errors text[],
  responses_ms integer[], ages_ms integer[], retry_afters_s integer[], retry_delays_s integer[]
) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  WITH recorded AS (
    UPDATE webhook_attempts a
       SET status = CASE WHEN m.succeeded = 1 THEN 'delivered' WHEN a.event = 'message.test' THEN 'failed'
                         WHEN a.attempt > cardinality(retry_delays_s) THEN 'dropped' ELSE 'retrying' END::attempt_status,
           status_code = nullif(m.status_code, 0), error = m.error, response_ms = m.response_ms,
           attempted_at = now() - make_interval(secs => m.age_ms / 1000.0),
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

-- Commits a batch of prepared messages, in one transaction that is a single round trip. What is judged here is judged
-- under the lock of the sender's ledger, so that it holds however many batches and processes there are: repeats of an
-- idempotency key, and quotas. A refused message refuses no other. A limit of 0 means none.
--
-- `party_ids` are the parties that the batch touches, in ascending order, with the number of entries each gets. The other
-- arrays run in parallel, an element a message: a slot is an index into `party_ids`, and the nth says which of that
-- party's new entries it is. `firsts` names the first message of the batch with the same sender and key, mostly itself.
-- The `file_` arrays have an element a file, with the number of its message.
--
-- What other capabilities make of a delivered message is theirs to say, in follow_messages.
CREATE OR REPLACE FUNCTION commit_messages(
  party_ids bigint[], entry_counts bigint[],
  sender_slots integer[], sender_nths integer[], recipient_slots integer[], recipient_nths integer[],
  message_ids uuid[], thread_ids uuid[], parent_ids uuid[], segments text[],
  senders text[], recipients text[], types text[], subjects text[], notes text[], jsons text[], json_hashes bytea[],
  validations text[], validation_error_lists text[], from_emails text[], from_domains text[], receipt_tokens bytea[],
  keys text[], firsts integer[],
  -- The canonical form that content_hash covers, without the one thing known only here: received_at.
  hashed_before_time text[], hashed_after_time text[],
  file_counts integer[], inline_bytes bigint[],
  file_ns integer[], file_ordinals integer[], file_ids uuid[], file_object_ids uuid[], file_names text[], file_types text[], file_sizes bigint[], file_hashes bytea[],
  month_limit bigint, new_account_day_limit bigint, new_account_days integer, day_bytes_limit bigint, key_window interval
) RETURNS TABLE (outcome text, message_id uuid, received_ms bigint, content_hash bytea)
LANGUAGE plpgsql
-- Plans made for the values at hand would copy all arrays into each plan, each time.
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  clock        timestamptz := clock_timestamp();
  clock_ms     bigint := floor(extract(epoch FROM clock) * 1000);
  today        date := (clock AT TIME ZONE 'UTC')::date;
  delivery_ms  bigint := clock_ms;
  delivered    timestamptz;
  time_text    text;
  new_head     bigint;
  party_count  integer := cardinality(party_ids);
  batch_size   integer := cardinality(message_ids);
  slot         integer;
  used         record;
  bases        bigint[] := array_fill(0::bigint, ARRAY[party_count]);
  month_used   bigint[] := bases;
  day_used     bigint[] := bases;
  bytes_used   bigint[] := bases;
  is_new       boolean[] := array_fill(false, ARRAY[party_count]);
  outcomes     text[] := array_fill('accepted'::text, ARRAY[batch_size]);
  answers      uuid[] := message_ids;
  fresh        boolean[] := array_fill(false, ARRAY[batch_size]);
  hashes       bytea[];
BEGIN
  -- One row at a time and in sorted order, so that two batches never wait for each other in a circle.
  FOR i IN 1 .. party_count LOOP
    UPDATE ledgers SET head = greatest(head, clock_ms * 4096) + entry_counts[i] WHERE party_id = party_ids[i] RETURNING head INTO STRICT new_head;
    bases[i] := new_head - entry_counts[i];
    delivery_ms := greatest(delivery_ms, new_head / 4096);
  END LOOP;

  -- A ledger may be ahead of the clock (it was set back, or another batch began later and locked first). Then the whole
  -- batch is delivered at that later time, so that time and position agree in each ledger it enters.
  FOR i IN 1 .. party_count LOOP
    IF (bases[i] + 1) / 4096 < delivery_ms THEN
      bases[i] := delivery_ms * 4096;
      UPDATE ledgers SET head = bases[i] + entry_counts[i] WHERE party_id = party_ids[i];
    END IF;
  END LOOP;
  delivered := to_timestamp(delivery_ms / 1000.0);
  time_text := to_char(delivered AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

  FOR used IN
    SELECT s.slot, p.claimed_at > clock - make_interval(days => new_account_days) AS is_new, coalesce(sum(u.messages), 0) AS month,
           coalesce(sum(u.messages) FILTER (WHERE u.day = today), 0) AS day, coalesce(sum(u.upload_bytes) FILTER (WHERE u.day = today), 0) AS bytes
      FROM (SELECT DISTINCT unnest(sender_slots) AS slot) s
      JOIN parties p ON p.id = party_ids[s.slot]
      LEFT JOIN daily_usage u ON u.party_id = p.id AND u.day >= date_trunc('month', today)::date AND u.day <= today
     GROUP BY s.slot, p.claimed_at
  LOOP
    month_used[used.slot] := used.month;
    day_used[used.slot] := used.day;
    bytes_used[used.slot] := used.bytes;
    is_new[used.slot] := coalesce(used.is_new, false);
  END LOOP;

  FOR used IN
    SELECT b.n, k.message_id AS original
      FROM unnest(sender_slots, keys) WITH ORDINALITY AS b (slot, key, n)
      JOIN idempotency_keys k ON k.party_id = party_ids[b.slot] AND k.key = b.key AND k.created_at > clock - key_window
     WHERE b.key IS NOT NULL
  LOOP
    outcomes[used.n] := 'replayed';
    answers[used.n] := used.original;
  END LOOP;

  FOR n IN 1 .. batch_size LOOP
    slot := sender_slots[n];
    IF outcomes[n] = 'replayed' THEN
      CONTINUE;
    ELSIF firsts[n] <> n THEN
      outcomes[n] := CASE outcomes[firsts[n]] WHEN 'accepted' THEN 'replayed' ELSE outcomes[firsts[n]] END;
      answers[n] := answers[firsts[n]];
    ELSIF inline_bytes[n] > 0 AND day_bytes_limit > 0 AND bytes_used[slot] + inline_bytes[n] > day_bytes_limit THEN
      outcomes[n] := 'daily_upload_bytes';
    ELSIF month_limit > 0 AND month_used[slot] >= month_limit THEN
      outcomes[n] := 'monthly_messages';
    ELSIF new_account_day_limit > 0 AND is_new[slot] AND day_used[slot] >= new_account_day_limit THEN
      outcomes[n] := 'new_account_daily_messages';
    ELSE
      fresh[n] := true;
      month_used[slot] := month_used[slot] + 1;
      day_used[slot] := day_used[slot] + 1;
      bytes_used[slot] := bytes_used[slot] + inline_bytes[n];
    END IF;
  END LOOP;

  SELECT array_agg(sha256(convert_to(b.before || time_text || b.after, 'UTF8')) ORDER BY b.n) INTO hashes
    FROM unnest(hashed_before_time, hashed_after_time) WITH ORDINALITY AS b (before, after, n);

  INSERT INTO messages (sender_id, id, recipient_id, segment, thread_id, in_reply_to, sender, recipient, type, subject, note,
                        json, json_sha256, validation, validation_errors, received_at, content_hash, receipt_token, idempotency_key, file_count)
  SELECT party_ids[b.sender_slot], b.id, party_ids[b.recipient_slot], b.segment, b.thread_id, b.parent_id, b.sender, b.recipient, b.type, b.subject, b.note,
         b.json, b.json_hash, b.validation::validation_status, b.errors, delivered, b.hash, b.receipt_token, b.key, b.file_count
    FROM unnest(fresh, sender_slots, message_ids, recipient_slots, segments, thread_ids, parent_ids, senders, recipients, types, subjects, notes,
                jsons, json_hashes, validations, validation_error_lists, hashes, receipt_tokens, keys, file_counts)
      AS b (fresh, sender_slot, id, recipient_slot, segment, thread_id, parent_id, sender, recipient, type, subject, note,
            json, json_hash, validation, errors, hash, receipt_token, key, file_count)
   WHERE b.fresh;

  WITH batch AS (
    SELECT *
      FROM unnest(fresh, sender_slots, sender_nths, recipient_slots, recipient_nths, message_ids, thread_ids, types, segments, validations, from_emails, from_domains)
        AS b (fresh, sender_slot, sender_nth, recipient_slot, recipient_nth, message_id, thread_id, type, segment, validation, from_email, from_domain)
     WHERE b.fresh
  ), sides AS (
    SELECT 'out'::ledger_box AS box, sender_slot AS slot, sender_nth AS nth, recipient_slot AS other_slot, message_id, thread_id, type, segment, validation, from_email, from_domain FROM batch
    UNION ALL
    SELECT 'in', recipient_slot, recipient_nth, sender_slot, message_id, thread_id, type, segment, validation, from_email, from_domain FROM batch
  )
  INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment, from_email, from_domain)
  SELECT party_ids[b.slot], b.box, bases[b.slot] + b.nth, b.message_id, party_ids[b.other_slot], b.thread_id, b.validation::validation_status, b.type, b.segment, b.from_email, b.from_domain
    FROM sides b;

  IF cardinality(file_ids) > 0 THEN
    INSERT INTO objects (party_id, id, size_bytes, sha256)
    SELECT DISTINCT ON (b.object_id) party_ids[sender_slots[b.n]], b.object_id, b.size_bytes, b.hash
      FROM unnest(file_ns, file_object_ids, file_sizes, file_hashes) AS b (n, object_id, size_bytes, hash) WHERE fresh[b.n]
    ON CONFLICT (party_id, id) DO NOTHING;

    INSERT INTO files (party_id, id, message_id, ordinal, owner_id, object_id, filename, content_type)
    SELECT party_ids[side.slot], b.id, message_ids[b.n], b.ordinal, party_ids[sender_slots[b.n]], b.object_id, b.filename, b.content_type
      FROM unnest(file_ns, file_ordinals, file_ids, file_object_ids, file_names, file_types) AS b (n, ordinal, id, object_id, filename, content_type),
           LATERAL (SELECT sender_slots[b.n] UNION SELECT recipient_slots[b.n]) AS side (slot)
     WHERE fresh[b.n];

    -- With the message itself, so that no crash can come between.
    PERFORM graphile_worker.add_job('hash-object', json_build_object('id', b.object_id), job_key => 'hash-object ' || b.object_id)
       FROM unnest(file_ns, file_object_ids, file_hashes) AS b (n, object_id, hash) WHERE fresh[b.n] AND b.hash IS NULL;
  END IF;

  PERFORM follow_messages(
            delivered, array_agg(party_ids[b.sender_slot]), array_agg(party_ids[b.recipient_slot]), array_agg(b.message_id),
            array_agg(b.segment), array_agg(b.type), array_agg(b.sender))
     FROM unnest(fresh, sender_slots, recipient_slots, message_ids, segments, types, senders)
       AS b (fresh, sender_slot, recipient_slot, message_id, segment, type, sender)
    WHERE b.fresh HAVING count(*) > 0;

  INSERT INTO idempotency_keys (party_id, key, message_id, created_at)
  SELECT party_ids[b.slot], b.key, b.message_id, clock
    FROM unnest(fresh, sender_slots, keys, message_ids) AS b (fresh, slot, key, message_id) WHERE b.fresh AND b.key IS NOT NULL
  ON CONFLICT (party_id, key) DO UPDATE SET message_id = excluded.message_id, created_at = excluded.created_at;

  INSERT INTO daily_usage (party_id, day, messages, upload_bytes)
  SELECT party_ids[b.slot], today, count(*), sum(b.bytes)
    FROM unnest(fresh, sender_slots, inline_bytes) AS b (fresh, slot, bytes) WHERE b.fresh GROUP BY b.slot
  ON CONFLICT (party_id, day) DO UPDATE
    SET messages = daily_usage.messages + excluded.messages, upload_bytes = daily_usage.upload_bytes + excluded.upload_bytes;

  RETURN QUERY SELECT b.outcome, b.answer, delivery_ms, b.hash FROM unnest(outcomes, answers, hashes) AS b (outcome, answer, hash);
END
$$;
