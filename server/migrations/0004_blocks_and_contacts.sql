-- A party is known by exactly one of these: a business by its handle, an organisation that has none by its mail domain,
-- a consumer by the mailbox.
ALTER TABLE parties
  ALTER COLUMN handle DROP NOT NULL,
  ADD COLUMN domain text COLLATE "C" UNIQUE,
  ADD COLUMN email text COLLATE "C" UNIQUE,
  -- The display name in lower case, folded by the service, whatever the locale of the database.
  ADD COLUMN folded_name text NOT NULL DEFAULT '',
  ADD CHECK (num_nonnulls(handle, domain, email) = 1);
-- As near to what the service does as SQL comes.
UPDATE parties SET folded_name = replace(replace(lower(upper(normalize(display_name, NFC))), 'ß', 'ss'), 'ς', 'σ');

-- Mail domains that a business has shown to be its own. A domain belongs to one business.
CREATE TABLE verified_domains (
  domain      text        COLLATE "C" PRIMARY KEY,
  party_id    bigint      NOT NULL,
  verified_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verified_domains_of_party ON verified_domains (party_id);

CREATE TABLE blocks (
  party_id     bigint      NOT NULL,
  id           uuid        NOT NULL,
  -- The id of a person or mailbox, as envelopes show it.
  user_id      text        COLLATE "C",
  email_domain text        COLLATE "C",
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, id),
  UNIQUE (party_id, user_id),
  UNIQUE (party_id, email_domain),
  CHECK (num_nonnulls(user_id, email_domain) = 1)
);

-- A party that a business has exchanged messages with, or has saved, or both. What is counted here is counted by the
-- transaction that delivers the message, under the locks of both ledgers.
CREATE TABLE contacts (
  party_id       bigint      NOT NULL,
  other_id       bigint      NOT NULL,
  -- Ascends with the time of the first message or save; lists are in its order, which never changes.
  id             uuid        NOT NULL,
  saved_at       timestamptz,
  archived       boolean     NOT NULL DEFAULT false,
  label          text        NOT NULL DEFAULT '',
  folded_label   text        NOT NULL DEFAULT '',
  notes          text        NOT NULL DEFAULT '',
  first_seen_at  timestamptz,
  last_seen_at   timestamptz,
  last_direction ledger_box,
  messages_in    bigint      NOT NULL DEFAULT 0,
  messages_out   bigint      NOT NULL DEFAULT 0,
  PRIMARY KEY (party_id, other_id),
  UNIQUE (party_id, id)
) WITH (fillfactor = 50);

CREATE TABLE contact_types (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  type     text   NOT NULL,
  PRIMARY KEY (party_id, other_id, type)
);
CREATE INDEX contact_types_by_type ON contact_types (party_id, type, other_id);

-- Who has written for the other party.
CREATE TABLE contact_actors (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  actor_id text   COLLATE "C" NOT NULL,
  kind     text   NOT NULL,
  name     text   NOT NULL,
  email    text,
  PRIMARY KEY (party_id, other_id, actor_id)
);

INSERT INTO contacts (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)
SELECT party_id, counterparty_id, new_uuid(to_timestamp(min(position) / 4096 / 1000.0)), to_timestamp(min(position) / 4096 / 1000.0),
       to_timestamp(max(position) / 4096 / 1000.0), (array_agg(box ORDER BY position DESC))[1],
       count(*) FILTER (WHERE box = 'in'), count(*) FILTER (WHERE box = 'out')
  FROM ledger_entries GROUP BY party_id, counterparty_id;

INSERT INTO contact_types (party_id, other_id, type)
SELECT DISTINCT party_id, counterparty_id, type FROM ledger_entries WHERE type IS NOT NULL;

INSERT INTO contact_actors (party_id, other_id, actor_id, kind, name, email)
SELECT DISTINCT ON (m.recipient_id, m.sender_id, a.actor ->> 'id') m.recipient_id, m.sender_id, a.actor ->> 'id', a.actor ->> 'kind', a.actor ->> 'name', a.actor ->> 'email'
  FROM messages m, LATERAL (SELECT m.sender::json -> 'actor' AS actor) a ORDER BY m.recipient_id, m.sender_id, a.actor ->> 'id', m.received_at DESC;

-- Brings the address books of both sides up to date.
CREATE FUNCTION note_contacts(delivered timestamptz, sender_ids bigint[], recipient_ids bigint[], types text[], senders text[]) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO contacts AS c (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)
  SELECT s.party_id, s.other_id, new_uuid(delivered), delivered, delivered, (array_agg(s.box ORDER BY s.n DESC, s.box))[1],
         count(*) FILTER (WHERE s.box = 'in'), count(*) FILTER (WHERE s.box = 'out')
    FROM (SELECT recipient_id AS party_id, sender_id AS other_id, 'in'::ledger_box AS box, n
            FROM unnest(sender_ids, recipient_ids) WITH ORDINALITY AS m (sender_id, recipient_id, n)
          UNION ALL
          SELECT sender_id, recipient_id, 'out', n FROM unnest(sender_ids, recipient_ids) WITH ORDINALITY AS m (sender_id, recipient_id, n)) s
   GROUP BY s.party_id, s.other_id ORDER BY s.party_id, s.other_id
  ON CONFLICT (party_id, other_id) DO UPDATE
    SET first_seen_at = coalesce(c.first_seen_at, excluded.first_seen_at), last_seen_at = excluded.last_seen_at,
        last_direction = excluded.last_direction, messages_in = c.messages_in + excluded.messages_in,
        messages_out = c.messages_out + excluded.messages_out;

  -- Mostly they are known already; then nothing is written, nor locked.
  INSERT INTO contact_types (party_id, other_id, type)
  SELECT DISTINCT s.party_id, s.other_id, s.type
    FROM (SELECT recipient_id AS party_id, sender_id AS other_id, type FROM unnest(sender_ids, recipient_ids, types) AS m (sender_id, recipient_id, type)
          UNION ALL
          SELECT sender_id, recipient_id, type FROM unnest(sender_ids, recipient_ids, types) AS m (sender_id, recipient_id, type)) s
   WHERE s.type IS NOT NULL
     AND NOT EXISTS (SELECT FROM contact_types t WHERE t.party_id = s.party_id AND t.other_id = s.other_id AND t.type = s.type)
  ON CONFLICT DO NOTHING;

  INSERT INTO contact_actors AS c (party_id, other_id, actor_id, kind, name, email)
  SELECT DISTINCT ON (s.recipient_id, s.sender_id, s.actor ->> 'id')
         s.recipient_id, s.sender_id, s.actor ->> 'id', s.actor ->> 'kind', s.actor ->> 'name', s.actor ->> 'email'
    FROM (SELECT m.recipient_id, m.sender_id, m.sender::json -> 'actor' AS actor, max(m.n) AS n
            FROM unnest(recipient_ids, sender_ids, senders) WITH ORDINALITY AS m (recipient_id, sender_id, sender, n)
           GROUP BY m.recipient_id, m.sender_id, m.sender) s
   WHERE NOT EXISTS (SELECT FROM contact_actors a
                      WHERE a.party_id = s.recipient_id AND a.other_id = s.sender_id AND a.actor_id = s.actor ->> 'id'
                        AND a.name = s.actor ->> 'name' AND a.email IS NOT DISTINCT FROM s.actor ->> 'email')
   ORDER BY s.recipient_id, s.sender_id, s.actor ->> 'id', s.n DESC
  ON CONFLICT (party_id, other_id, actor_id) DO UPDATE SET kind = excluded.kind, name = excluded.name, email = excluded.email;
END
$$;

CREATE OR REPLACE FUNCTION follow_messages(
  delivered timestamptz, sender_ids bigint[], recipient_ids bigint[], message_ids uuid[], segments text[], types text[], senders text[]
) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  PERFORM note_contacts(delivered, sender_ids, recipient_ids, types, senders);
  PERFORM queue_webhook_attempts(recipient_ids, message_ids, segments);
END
$$;

-- A business that has verified a domain does not count as new. Of commit_messages, one expression changes.
DO $$
DECLARE
  age_alone  text := 'p.claimed_at > clock - make_interval(days => new_account_days) AS is_new';
  domain_too text := 'CASE WHEN p.claimed_at > clock - make_interval(days => new_account_days)
           THEN NOT EXISTS (SELECT FROM verified_domains d WHERE d.party_id = party_ids[s.slot]) END AS is_new';
  definition text := pg_get_functiondef('commit_messages'::regproc);
BEGIN
  IF position(age_alone IN definition) = 0 THEN
    RAISE EXCEPTION 'commit_messages is not what this migration expects';
  END IF;
  EXECUTE replace(definition, age_alone, domain_too);
END
$$;
