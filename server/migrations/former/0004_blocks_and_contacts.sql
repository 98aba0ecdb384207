-- What 0004_blocks_and_contacts.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE parties
  ALTER COLUMN handle DROP NOT NULL,
  ADD COLUMN domain text COLLATE "C" UNIQUE,
  ADD COLUMN email text COLLATE "C" UNIQUE,
  ADD COLUMN folded_name text NOT NULL DEFAULT '',
  ADD CHECK (num_nonnulls(handle, domain, email) = 1);
UPDATE parties SET folded_name = replace(replace(lower(upper(normalize(display_name, NFC))), 'ß', 'ss'), 'ς', 'σ');
CREATE TABLE verified_domains (
  domain      text        COLLATE "C" PRIMARY KEY,
  party_id    bigint      NOT NULL,
  verified_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verified_domains_of_party ON verified_domains (party_id);
CREATE TABLE blocks (
  party_id     bigint      NOT NULL,
  id           uuid        NOT NULL,
  user_id      text        COLLATE "C",
  email_domain text        COLLATE "C",
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, id),
  UNIQUE (party_id, user_id),
  UNIQUE (party_id, email_domain),
  CHECK (num_nonnulls(user_id, email_domain) = 1)
);
CREATE TABLE contacts (
  party_id       bigint      NOT NULL,
  other_id       bigint      NOT NULL,
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
