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

-- Secrets that all processes share, such as the one that signs cursors.
CREATE TABLE service_secrets (
  name  text  PRIMARY KEY,
  value bytea NOT NULL
);

-- Commits a batch of prepared messages, in one transaction that is a single round trip. What is judged here is judged
-- under the lock of the sender's ledger, so that it holds however many batches and processes there are: repeats of an
-- idempotency key, and quotas. A refused message refuses no other. A limit of 0 means none.
--
-- `party_ids` are the parties that the batch touches, in ascending order, with the number of entries each gets. All other
-- arrays run in parallel, an element a message: a slot is an index into `party_ids`, and the nth says which of that
-- party's new entries it is. `firsts` names the first message of the batch with the same sender and key, mostly itself.
CREATE FUNCTION commit_messages(
  party_ids bigint[], entry_counts bigint[],
  sender_slots integer[], sender_nths integer[], recipient_slots integer[], recipient_nths integer[],
  message_ids uuid[], thread_ids uuid[], parent_ids uuid[], segments text[],
  senders text[], recipients text[], types text[], subjects text[], notes text[], jsons text[], json_hashes bytea[],
  validations text[], validation_error_lists text[], from_emails text[], from_domains text[], receipt_tokens bytea[],
  keys text[], firsts integer[],
  -- The canonical form that content_hash covers, without the one thing known only here: received_at.
  hashed_before_time text[], hashed_after_time text[],
  month_limit bigint, new_account_day_limit bigint, new_account_days integer, key_window interval
) RETURNS TABLE (outcome text, message_id uuid, received_ms bigint, content_hash bytea)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  clock       timestamptz := clock_timestamp();
  clock_ms    bigint := floor(extract(epoch FROM clock) * 1000);
  today       date := (clock AT TIME ZONE 'UTC')::date;
  delivery_ms bigint := clock_ms;
  delivered   timestamptz;
  time_text   text;
  new_head    bigint;
  bases       bigint[] := array_fill(0::bigint, ARRAY[cardinality(party_ids)]);
  outcomes    text[];
  answers     uuid[];
  fresh       boolean[];
  hashes      bytea[];
BEGIN
  -- One row at a time and in sorted order, so that two batches never wait for each other in a circle.
  FOR i IN 1 .. cardinality(party_ids) LOOP
    UPDATE ledgers SET head = greatest(head, clock_ms * 4096) + entry_counts[i] WHERE party_id = party_ids[i] RETURNING head INTO STRICT new_head;
    bases[i] := new_head - entry_counts[i];
    delivery_ms := greatest(delivery_ms, new_head / 4096);
  END LOOP;

  -- A ledger may be ahead of the clock (it was set back, or another batch began later and locked first). Then the whole
  -- batch is delivered at that later time, so that time and position agree in each ledger it enters.
  FOR i IN 1 .. cardinality(party_ids) LOOP
    IF (bases[i] + 1) / 4096 < delivery_ms THEN
      bases[i] := delivery_ms * 4096;
      UPDATE ledgers SET head = bases[i] + entry_counts[i] WHERE party_id = party_ids[i];
    END IF;
  END LOOP;
  delivered := to_timestamp(delivery_ms / 1000.0);
  time_text := to_char(delivered AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

  WITH repeats AS (
    SELECT b.n, b.first_n, party_ids[b.sender_slot] AS sender_id, b.message_id, k.message_id AS original_id
      FROM unnest(sender_slots, keys, message_ids, firsts) WITH ORDINALITY AS b (sender_slot, key, message_id, first_n, n)
      LEFT JOIN idempotency_keys k ON k.party_id = party_ids[b.sender_slot] AND k.key = b.key AND k.created_at > clock - key_window
  ), ranked AS (
    SELECT *, count(*) FILTER (WHERE original_id IS NULL AND first_n = n) OVER (PARTITION BY sender_id ORDER BY n) AS rank FROM repeats
  ), usage AS (
    SELECT p.id AS sender_id, p.claimed_at > clock - make_interval(days => new_account_days) AS is_new,
           coalesce(sum(u.messages), 0) AS month_used, coalesce(sum(u.messages) FILTER (WHERE u.day = today), 0) AS day_used
      FROM parties p LEFT JOIN daily_usage u ON u.party_id = p.id AND u.day >= date_trunc('month', today)::date AND u.day <= today
     WHERE p.id IN (SELECT sender_id FROM repeats) GROUP BY p.id
  ), judged AS (
    SELECT r.n, r.first_n, coalesce(r.original_id, r.message_id) AS answer,
           CASE WHEN r.original_id IS NOT NULL THEN 'replayed'
                WHEN month_limit > 0 AND u.month_used + r.rank > month_limit THEN 'monthly_messages'
                WHEN new_account_day_limit > 0 AND u.is_new AND u.day_used + r.rank > new_account_day_limit THEN 'new_account_daily_messages'
                ELSE 'accepted' END AS verdict
      FROM ranked r JOIN usage u USING (sender_id)
  ), settled AS (
    SELECT n, first_n, first_value(verdict) OVER firsts AS verdict, first_value(answer) OVER firsts AS answer
      FROM judged WINDOW firsts AS (PARTITION BY first_n ORDER BY n)
  )
  SELECT array_agg(CASE WHEN verdict = 'accepted' AND n <> first_n THEN 'replayed' ELSE verdict END ORDER BY n),
         array_agg(answer ORDER BY n),
         array_agg(verdict = 'accepted' AND n = first_n ORDER BY n)
    INTO outcomes, answers, fresh FROM settled;

  SELECT array_agg(sha256(convert_to(b.before || time_text || b.after, 'UTF8')) ORDER BY b.n) INTO hashes
    FROM unnest(hashed_before_time, hashed_after_time) WITH ORDINALITY AS b (before, after, n);

  INSERT INTO messages (sender_id, id, recipient_id, segment, thread_id, in_reply_to, sender, recipient, type, subject, note,
                        json, json_sha256, validation, validation_errors, received_at, content_hash, receipt_token, idempotency_key)
  SELECT party_ids[b.sender_slot], b.id, party_ids[b.recipient_slot], b.segment, b.thread_id, b.parent_id, b.sender, b.recipient, b.type, b.subject, b.note,
         b.json, b.json_hash, b.validation::validation_status, b.errors, delivered, b.hash, b.receipt_token, b.key
    FROM unnest(fresh, sender_slots, message_ids, recipient_slots, segments, thread_ids, parent_ids, senders, recipients, types, subjects, notes,
                jsons, json_hashes, validations, validation_error_lists, hashes, receipt_tokens, keys)
      AS b (fresh, sender_slot, id, recipient_slot, segment, thread_id, parent_id, sender, recipient, type, subject, note,
            json, json_hash, validation, errors, hash, receipt_token, key)
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
  SELECT party_ids[slot], box, bases[slot] + nth, message_id, party_ids[other_slot], thread_id, validation::validation_status, type, segment, from_email, from_domain
    FROM sides;

  INSERT INTO idempotency_keys (party_id, key, message_id, created_at)
  SELECT party_ids[b.sender_slot], b.key, b.message_id, clock
    FROM unnest(fresh, sender_slots, keys, message_ids) AS b (fresh, sender_slot, key, message_id) WHERE b.fresh AND b.key IS NOT NULL
  ON CONFLICT (party_id, key) DO UPDATE SET message_id = excluded.message_id, created_at = excluded.created_at;

  INSERT INTO daily_usage (party_id, day, messages)
  SELECT party_ids[b.sender_slot], today, count(*) FROM unnest(fresh, sender_slots) AS b (fresh, sender_slot) WHERE b.fresh GROUP BY b.sender_slot
  ON CONFLICT (party_id, day) DO UPDATE SET messages = daily_usage.messages + excluded.messages;

  RETURN QUERY SELECT b.outcome, b.answer, delivery_ms, b.hash FROM unnest(outcomes, answers, hashes) AS b (outcome, answer, hash);
END
$$;

INSERT INTO parties (handle, display_name, accepting_drops, takes_replies) VALUES ('demo', 'Demo inbox', false, false);
INSERT INTO ledgers (party_id) SELECT id FROM parties;
