-- Tables of a tenant's data have the owning party's id as the first column of their primary key and of every unique
-- constraint, so that they can be distributed by it. `parties` is the shared directory.

CREATE TYPE ledger_box AS ENUM ('in', 'out');
CREATE TYPE validation_status AS ENUM ('passed', 'failed', 'not_applicable');
CREATE TYPE key_scope AS ENUM ('read', 'read_write');

CREATE TABLE parties (
  id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  handle          text        COLLATE "C" NOT NULL UNIQUE,
  display_name    text        NOT NULL,
  accepting_drops boolean     NOT NULL DEFAULT true,
  takes_replies   boolean     NOT NULL DEFAULT true,
  -- When a person claimed the handle; null for a business that the operator made, to which the limit for new accounts does not apply.
  claimed_at      timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE agents (
  party_id    bigint      NOT NULL,
  id          uuid        NOT NULL,
  name        text        NOT NULL,
  description text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, id)
);
CREATE INDEX agents_by_id ON agents (id);

-- One name space for whoever can be addressed inside a business.
CREATE TABLE segments (
  party_id bigint NOT NULL,
  segment  text   NOT NULL,
  agent_id uuid   NOT NULL,
  PRIMARY KEY (party_id, segment),
  UNIQUE (party_id, agent_id)
);

CREATE TABLE api_keys (
  party_id     bigint      NOT NULL,
  id           uuid        NOT NULL,
  agent_id     uuid        NOT NULL,
  scope        key_scope   NOT NULL,
  prefix       text        NOT NULL,
  secret_hash  bytea       NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  revoked_at   timestamptz,
  PRIMARY KEY (party_id, id)
);
CREATE INDEX api_keys_by_secret ON api_keys (secret_hash);
CREATE INDEX api_keys_by_id ON api_keys (id);

-- A message as it was delivered. The parties and the actor are snapshots: a receipt must stay true when they are renamed.
CREATE TABLE messages (
  sender_id         bigint            NOT NULL,
  id                uuid              NOT NULL,
  recipient_id      bigint            NOT NULL,
  segment           text,
  thread_id         uuid              NOT NULL,
  in_reply_to       uuid,
  sender            text              NOT NULL,
  recipient         text              NOT NULL,
  type              text,
  subject           text,
  note              text,
  json              text,
  json_sha256       bytea,
  validation        validation_status NOT NULL,
  validation_errors text              NOT NULL,
  received_at       timestamptz       NOT NULL,
  content_hash      bytea             NOT NULL,
  receipt_token     bytea             NOT NULL,
  idempotency_key   text,
  file_count        smallint          NOT NULL,
  PRIMARY KEY (sender_id, id)
);
CREATE INDEX messages_by_receipt ON messages (receipt_token);

-- The row whose lock puts the commits of one party into an order. `head` is the position of its latest entry.
CREATE TABLE ledgers (
  party_id bigint PRIMARY KEY,
  head     bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- A message stands once in its sender's ledger (out) and once in its recipient's (in). A position is the millisecond of
-- delivery times 4096 plus a counter: it grows in commit order, and a range of time is a range of positions, whatever
-- the filter beside it.
CREATE TABLE ledger_entries (
  party_id        bigint            NOT NULL,
  box             ledger_box        NOT NULL,
  position        bigint            NOT NULL,
  message_id      uuid              NOT NULL,
  counterparty_id bigint            NOT NULL,
  thread_id       uuid              NOT NULL,
  validation      validation_status NOT NULL,
  type            text,
  segment         text,
  from_email      text,
  from_domain     text,
  PRIMARY KEY (party_id, box, position)
);
CREATE INDEX ledger_entries_by_message ON ledger_entries (party_id, message_id);
CREATE INDEX ledger_entries_by_thread ON ledger_entries (party_id, thread_id, box, position);
CREATE INDEX ledger_entries_by_validation ON ledger_entries (party_id, box, validation, position);
CREATE INDEX ledger_entries_by_type ON ledger_entries (party_id, box, type, position) WHERE type IS NOT NULL;
CREATE INDEX ledger_entries_by_sender ON ledger_entries (party_id, counterparty_id, position) WHERE box = 'in';
CREATE INDEX ledger_entries_by_segment ON ledger_entries (party_id, segment, position) WHERE box = 'in' AND segment IS NOT NULL;
CREATE INDEX ledger_entries_by_email ON ledger_entries (party_id, box, from_email, position) WHERE from_email IS NOT NULL;
CREATE INDEX ledger_entries_by_domain ON ledger_entries (party_id, box, from_domain, position) WHERE from_domain IS NOT NULL;

CREATE TABLE idempotency_keys (
  party_id   bigint      NOT NULL,
  key        text        NOT NULL,
  message_id uuid        NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (party_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Days are UTC. A month's use is the sum of its days.
CREATE TABLE daily_usage (
  party_id     bigint NOT NULL,
  day          date   NOT NULL,
  messages     bigint NOT NULL DEFAULT 0,
  upload_bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (party_id, day)
) WITH (fillfactor = 50);

-- What a business has announced to upload by itself. The bytes are in the object store under the same id.
CREATE TABLE uploads (
  party_id     bigint      NOT NULL,
  id           uuid        NOT NULL,
  filename     text        NOT NULL,
  content_type text        NOT NULL,
  size_bytes   bigint      NOT NULL,
  -- How many bytes were there when the first message referred to it; from then on they can't change.
  sealed_bytes bigint,
  -- Until then a message may refer to it.
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (party_id, id)
);
CREATE INDEX uploads_by_age ON uploads (expires_at);

-- Bytes that at least one message refers to, of the party that sent them. The hash of a large one comes after delivery.
CREATE TABLE objects (
  party_id   bigint NOT NULL,
  id         uuid   NOT NULL,
  size_bytes bigint NOT NULL,
  sha256     bytea,
  PRIMARY KEY (party_id, id)
);
CREATE INDEX objects_by_id ON objects (id);

-- A file of a message, once for each party that may have it.
CREATE TABLE files (
  party_id     bigint   NOT NULL,
  id           uuid     NOT NULL,
  message_id   uuid     NOT NULL,
  ordinal      smallint NOT NULL,
  owner_id     bigint   NOT NULL,
  object_id    uuid     NOT NULL,
  filename     text     NOT NULL,
  content_type text     NOT NULL,
  PRIMARY KEY (party_id, id)
);
CREATE INDEX files_by_message ON files (party_id, message_id, ordinal);

-- Secrets that all processes share, such as the one that signs cursors.
CREATE TABLE service_secrets (
  name  text  PRIMARY KEY,
  value bytea NOT NULL
);

-- Commits a batch of prepared messages, in one transaction that is a single round trip. What is judged here is judged
-- under the lock of the sender's ledger, so that it holds however many batches and processes there are: repeats of an
-- idempotency key, and quotas. A refused message refuses no other. A limit of 0 means none.
--
-- `party_ids` are the parties that the batch touches, in ascending order, with the number of entries each gets. The other
-- arrays run in parallel, an element a message: a slot is an index into `party_ids`, and the nth says which of that
-- party's new entries it is. `firsts` names the first message of the batch with the same sender and key, mostly itself.
-- The `file_` arrays have an element a file, with the number of its message.
CREATE FUNCTION commit_messages(
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

INSERT INTO parties (handle, display_name, accepting_drops, takes_replies) VALUES ('demo', 'Demo inbox', false, false);
INSERT INTO ledgers (party_id) SELECT id FROM parties;
