-- The registrable domain of an organisation that is known by a mail domain: of eu.acme.co.uk, acme.co.uk. Null where the
-- service has not told, as of those that were there before; such a domain stands for itself.
ALTER TABLE parties ADD COLUMN organisation text COLLATE "C";

-- What organisations without a handle sent on a day, all their domains together.
CREATE TABLE daily_organisation_usage (
  organisation text   COLLATE "C" NOT NULL,
  day          date   NOT NULL,
  messages     bigint NOT NULL,
  PRIMARY KEY (organisation, day)
);

-- Who may send for the business from a mailbox of the domain.
ALTER TABLE verified_domains ADD COLUMN senders text NOT NULL DEFAULT 'everybody' CHECK (senders IN ('everybody', 'members'));

-- So that all keys that begin alike are found by the index, whatever the locale of the database.
ALTER TABLE idempotency_keys ALTER COLUMN key TYPE text COLLATE "C";

-- For how long a key stands for its message. Keys made of mails, which have a space, outlive the time in which a signed
-- mail is taken (MAIL_REPEAT_WINDOW_HOURS).
CREATE FUNCTION window_of_key(key text, usual interval) RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN key LIKE 'mail-% %' THEN interval '96 hours' ELSE usual END;

-- Organisations without a handle are limited by the day over all their domains, and keys of mails are kept for longer. The
-- arrays run in parallel, an element a message: a slot is an index into `party_ids`, and the nth says which of that
-- party's new entries it is. `firsts` names the first message of the batch with the same sender and key, mostly itself.
-- The `file_` arrays have an element a file, with the number of its message.
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
  -- Whose count of the day a sender shares, mostly its own.
  day_slots    integer[] := array_fill(0, ARRAY[party_count]);
  organisations text[] := array_fill(NULL::text, ARRAY[party_count]);
  organisation text;
  organisation_slot integer;
  organisation_used bigint;
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
    SELECT s.slot, CASE WHEN p.handle IS NULL THEN true WHEN p.claimed_at > clock - make_interval(days => new_account_days)
           THEN NOT EXISTS (SELECT FROM verified_domains d WHERE d.party_id = party_ids[s.slot]) END AS is_new,
           coalesce(p.organisation, p.domain) AS organisation, coalesce(sum(u.messages), 0) AS month,
           coalesce(sum(u.messages) FILTER (WHERE u.day = today), 0) AS day, coalesce(sum(u.upload_bytes) FILTER (WHERE u.day = today), 0) AS bytes
      FROM (SELECT DISTINCT unnest(sender_slots) AS slot) s
      JOIN parties p ON p.id = party_ids[s.slot]
      LEFT JOIN daily_usage u ON u.party_id = p.id AND u.day >= date_trunc('month', today)::date AND u.day <= today
     GROUP BY s.slot, p.claimed_at, p.handle, p.organisation, p.domain ORDER BY coalesce(p.organisation, p.domain)
  LOOP
    day_slots[used.slot] := used.slot;
    IF used.organisation IS NOT NULL THEN
      -- Domains of one organisation share a day's limit. The row is locked, in sorted order, until the batch is done.
      IF used.organisation IS DISTINCT FROM organisation THEN
        organisation := used.organisation;
        organisation_slot := used.slot;
        INSERT INTO daily_organisation_usage AS u (organisation, day, messages) VALUES (used.organisation, today, 0)
        ON CONFLICT (organisation, day) DO UPDATE SET messages = u.messages RETURNING u.messages INTO organisation_used;
      END IF;
      used.day := organisation_used;
      day_slots[used.slot] := organisation_slot;
      organisations[used.slot] := used.organisation;
    END IF;
    month_used[used.slot] := used.month;
    day_used[used.slot] := used.day;
    bytes_used[used.slot] := used.bytes;
    is_new[used.slot] := coalesce(used.is_new, false);
  END LOOP;

  FOR used IN
    SELECT b.n, k.message_id AS original
      FROM unnest(sender_slots, keys) WITH ORDINALITY AS b (slot, key, n)
      JOIN idempotency_keys k ON k.party_id = party_ids[b.slot] AND k.key = b.key AND k.created_at > clock - window_of_key(k.key, key_window)
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
    ELSIF new_account_day_limit > 0 AND is_new[slot] AND day_used[day_slots[slot]] >= new_account_day_limit THEN
      outcomes[n] := 'new_account_daily_messages';
    ELSE
      fresh[n] := true;
      month_used[slot] := month_used[slot] + 1;
      day_used[day_slots[slot]] := day_used[day_slots[slot]] + 1;
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

  UPDATE daily_organisation_usage u SET messages = u.messages + b.sent
    FROM (SELECT organisations[b.slot] AS organisation, count(*) AS sent
            FROM unnest(fresh, sender_slots) AS b (fresh, slot) WHERE b.fresh AND organisations[b.slot] IS NOT NULL GROUP BY 1) b
   WHERE u.organisation = b.organisation AND u.day = today;

  RETURN QUERY SELECT b.outcome, b.answer, delivery_ms, b.hash FROM unnest(outcomes, answers, hashes) AS b (outcome, answer, hash);
END
$$;
