-- Types, tables, indexes and constraints as of release 0.1, grouped by module. Functions are in server/sql/.
--
-- Tables of a tenant's data have the owning party's id as the first column of their primary key and of every unique
-- constraint, so that they can be distributed by it. `parties` and what identifies people are shared directories.


-- ── parties ─────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Everybody who has a ledger. A party is known by exactly one of these: a business by its handle, an organisation without a
-- handle by its mail domain, a consumer by the mailbox.
CREATE TABLE parties (
  id               bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  handle           text        COLLATE "C" UNIQUE,
  display_name     text        NOT NULL,
  accepting_drops  boolean     NOT NULL DEFAULT true,
  takes_replies    boolean     NOT NULL DEFAULT true,
  -- When a person claimed the handle. Null for a business that the operator created: the limit for new accounts does not apply to it.
  claimed_at       timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now(),
  domain           text        COLLATE "C" UNIQUE,
  email            text        COLLATE "C" UNIQUE,
  -- The display name in lower case, folded by the service, so that the locale of the database does not matter.
  folded_name      text        NOT NULL DEFAULT '',
  -- The registrable domain behind `domain`: acme.co.uk for eu.acme.co.uk. Null means that `domain` stands for itself.
  organisation     text        COLLATE "C",
  -- Whether public receipts of sent messages show parties, time and hashes only.
  minimal_receipts boolean     NOT NULL DEFAULT false,
  -- The person who claimed the handle, even if another person owns the business now. Limits how many businesses one person claims.
  claimed_by       uuid,
  -- The display name without what the eye passes over, to find look-alikes (contract/look-alikes.ts). Null until computed.
  name_key         text        COLLATE "C",
  CHECK (num_nonnulls(handle, domain, email) = 1)
);
CREATE INDEX parties_claimed_by ON parties (claimed_by, claimed_at) WHERE claimed_by IS NOT NULL;
CREATE INDEX parties_by_name_key ON parties (name_key) WHERE handle IS NOT NULL;
CREATE INDEX parties_without_name_key ON parties (id) WHERE handle IS NOT NULL AND name_key IS NULL;


-- ── agents ──────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Programs that act for a business.
CREATE TABLE agents (
  party_id    bigint      NOT NULL,
  id          uuid        NOT NULL,
  name        text        NOT NULL,
  description text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, id)
);
CREATE INDEX agents_by_id ON agents (id);

-- API keys of agents. The secret itself is not stored.
CREATE TYPE key_scope AS ENUM ('read', 'read_write');
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
CREATE INDEX api_keys_of_agent ON api_keys (party_id, agent_id, id);

-- The names that can be addressed inside a business, `<handle>/<segment>`. A segment is an agent's or a person's.
CREATE TABLE segments (
  party_id  bigint NOT NULL,
  segment   text   NOT NULL,
  agent_id  uuid,
  person_id uuid,
  PRIMARY KEY (party_id, segment),
  UNIQUE (party_id, agent_id),
  UNIQUE (party_id, person_id),
  CHECK (num_nonnulls(agent_id, person_id) = 1)
);


-- ── accounts ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- How a session was opened, and what that showed about the mailbox in people.email.
CREATE TYPE sign_in_provider AS ENUM ('email', 'google', 'microsoft', 'oidc');
CREATE TYPE sign_in_proof AS ENUM ('mailbox', 'domain', 'nothing');

-- People who have signed in. Names of tables and columns of this module are those that better-auth is configured with.
CREATE TABLE people (
  id             uuid        PRIMARY KEY,
  -- A mailbox that was shown to be theirs; otherwise a name below .invalid that nobody can have.
  email          text        COLLATE "C" NOT NULL UNIQUE,
  email_verified boolean     NOT NULL,
  name           text        NOT NULL,
  -- better-auth selects this column; nothing is stored in it.
  image          text        CHECK (image IS NULL),
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now(),
  -- When the person last opened a session. Sessions themselves are deleted at sign-out.
  signed_in_at   timestamptz
);

-- Open sessions of people.
CREATE TABLE sessions (
  id         uuid             PRIMARY KEY,
  person_id  uuid             NOT NULL REFERENCES people ON DELETE CASCADE,
  -- SHA-256 of the cookie.
  token      text             COLLATE "C" NOT NULL UNIQUE,
  provider   sign_in_provider NOT NULL,
  proves     sign_in_proof    NOT NULL,
  expires_at timestamptz      NOT NULL,
  address    text,
  user_agent text,
  created_at timestamptz      NOT NULL DEFAULT now(),
  updated_at timestamptz      NOT NULL DEFAULT now()
);
CREATE INDEX sessions_of_person ON sessions (person_id, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- A person's accounts at identity providers. better-auth selects the columns for tokens and passwords; nothing is stored in them.
CREATE TABLE sign_in_accounts (
  id                       uuid             PRIMARY KEY,
  person_id                uuid             NOT NULL REFERENCES people ON DELETE CASCADE,
  provider                 sign_in_provider NOT NULL,
  -- The issuer together with the issuer's name for the person.
  account_id               text             COLLATE "C" NOT NULL,
  access_token             text             CHECK (access_token IS NULL),
  refresh_token            text             CHECK (refresh_token IS NULL),
  id_token                 text             CHECK (id_token IS NULL),
  access_token_expires_at  timestamptz,
  refresh_token_expires_at timestamptz,
  scope                    text,
  password                 text             CHECK (password IS NULL),
  created_at               timestamptz      NOT NULL DEFAULT now(),
  updated_at               timestamptz      NOT NULL DEFAULT now(),
  UNIQUE (provider, account_id)
);
CREATE INDEX sign_in_accounts_of_person ON sign_in_accounts (person_id);

-- Values that a person must come back with: one-time codes (hashed), states of redirects, challenges of passkeys.
CREATE TABLE verifications (
  id         text        COLLATE "C" PRIMARY KEY,
  identifier text        COLLATE "C" NOT NULL,
  value      text        NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verifications_by_identifier ON verifications (identifier, created_at);
CREATE INDEX verifications_by_expiry ON verifications (expires_at);

-- Passkeys of people.
CREATE TABLE passkeys (
  id            uuid        PRIMARY KEY,
  person_id     uuid        NOT NULL REFERENCES people ON DELETE CASCADE,
  name          text,
  credential_id text        COLLATE "C" NOT NULL UNIQUE,
  public_key    text        NOT NULL,
  counter       bigint      NOT NULL,
  device_type   text        NOT NULL,
  backed_up     boolean     NOT NULL,
  transports    text,
  aaguid        text,
  -- Of the session that added the passkey, and so of the sessions that it opens. Without both it opens none.
  provider      sign_in_provider,
  proves        sign_in_proof,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX passkeys_of_person ON passkeys (person_id, id);

-- Rate limits of sign-in: uses since `window_start`, by a hash of the subject, so that typed mailboxes are not stored.
CREATE TABLE sign_in_counts (
  subject      bytea       PRIMARY KEY,
  window_start timestamptz NOT NULL,
  uses         integer     NOT NULL
);
CREATE INDEX sign_in_counts_by_age ON sign_in_counts (window_start);

-- Browsers and networks in which a mailbox was signed in with a code, by a hash of both. A flood of other people's requests
-- for codes does not lock these out.
CREATE TABLE known_sign_ins (
  subject bytea       PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
CREATE INDEX known_sign_ins_by_age ON known_sign_ins (seen_at);


-- ── members ─────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TYPE member_role AS ENUM ('owner', 'admin', 'member');

-- The people of a business. A business that the operator created may have none.
CREATE TABLE members (
  party_id  bigint      NOT NULL,
  person_id uuid        NOT NULL,
  role      member_role NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, person_id)
);
CREATE INDEX members_of_person ON members (person_id, party_id);

-- Invitations to become a member, one per mailbox.
CREATE TABLE invitations (
  party_id   bigint      NOT NULL,
  id         uuid        NOT NULL,
  email      text        COLLATE "C" NOT NULL,
  role       member_role NOT NULL,
  segment    text,
  -- Hash of the token in the mail. The token itself is not stored.
  token_hash bytea       NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  -- The inviting person. The invitation ends with that person's right to invite.
  invited_by uuid,
  PRIMARY KEY (party_id, id),
  UNIQUE (party_id, email)
);
CREATE INDEX invitations_by_token ON invitations (token_hash);


-- ── domains ─────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Mail domains that a business has shown to be its own. A domain belongs to one business.
CREATE TABLE verified_domains (
  domain      text        COLLATE "C" PRIMARY KEY,
  party_id    bigint      NOT NULL,
  verified_at timestamptz NOT NULL DEFAULT now(),
  -- Who may send for the business from a mailbox of the domain.
  senders     text        NOT NULL DEFAULT 'everybody' CHECK (senders IN ('everybody', 'members'))
);
CREATE INDEX verified_domains_of_party ON verified_domains (party_id);

-- Domains that a business says are its own, with the token that its DNS must show. A verified domain without a row here was
-- vouched for by the operator and is not looked up again.
CREATE TABLE domain_requests (
  party_id      bigint      NOT NULL,
  domain        text        COLLATE "C" NOT NULL,
  token         text        NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  checked_at    timestamptz,
  -- Since when the DNS of a verified domain has lacked the token.
  missing_since timestamptz,
  PRIMARY KEY (party_id, domain)
);


-- ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TYPE ledger_box AS ENUM ('in', 'out');
CREATE TYPE validation_status AS ENUM ('passed', 'failed', 'not_applicable');

-- A message as delivered. `sender` and `recipient` are JSON snapshots: a receipt stays true when a party or actor is renamed.
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

-- One row per party, whose lock puts the commits of the party into an order. `head` is the position of the newest entry.
CREATE TABLE ledgers (
  party_id bigint PRIMARY KEY,
  head     bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- A message has one entry in its sender's ledger (out) and one in its recipient's (in). A position is the millisecond of
-- delivery times 4096 plus a counter: positions grow in commit order, and a range of time is a range of positions.
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
  -- The party under which the message is stored, when that party has become part of another one since.
  author_id       bigint,
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

-- The message that an idempotency key of a sender stands for. Collation C finds all keys with one prefix by the index.
CREATE TABLE idempotency_keys (
  party_id   bigint      NOT NULL,
  key        text        COLLATE "C" NOT NULL,
  message_id uuid        NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (party_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- What a party sent and uploaded, by UTC day. A month's use is the sum of its days.
CREATE TABLE daily_usage (
  party_id     bigint NOT NULL,
  day          date   NOT NULL,
  messages     bigint NOT NULL DEFAULT 0,
  upload_bytes bigint NOT NULL DEFAULT 0,
  -- Messages received on a day that is over. Null until somebody asks: deliveries do not pay for this count.
  received     bigint,
  PRIMARY KEY (party_id, day)
) WITH (fillfactor = 50);

-- What an organisation without a handle sent by UTC day, all its domains together.
CREATE TABLE daily_organisation_usage (
  organisation text   COLLATE "C" NOT NULL,
  day          date   NOT NULL,
  messages     bigint NOT NULL,
  PRIMARY KEY (organisation, day)
);

-- Threads of a party without a handle, with the businesses that have them now, or a part of them: one mailbox of a domain may
-- have taken its part along before the domain's other mailboxes joined another business.
CREATE TABLE joined_threads (
  party_id    bigint NOT NULL,
  thread_id   uuid   NOT NULL,
  business_id bigint NOT NULL,
  PRIMARY KEY (party_id, thread_id, business_id)
);
CREATE INDEX joined_threads_of_business ON joined_threads (business_id, thread_id);


-- ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Uploads that a business has announced. The bytes are in the object store under the same id.
CREATE TABLE uploads (
  party_id      bigint      NOT NULL,
  id            uuid        NOT NULL,
  filename      text        NOT NULL,
  content_type  text        NOT NULL,
  size_bytes    bigint      NOT NULL,
  -- How many bytes there were when the first message referred to the upload. From then on they can't change.
  sealed_bytes  bigint,
  -- Until when a message may refer to the upload.
  expires_at    timestamptz NOT NULL,
  -- Bytes of an upload part, and the object store's name for the multipart upload. Null in an upload that comes in one piece.
  part_bytes    integer,
  parts_ref     text,
  -- Found while sealing; kept when the message that wanted the upload is refused.
  sha256        bytea,
  -- The lease of the process that is sealing. A bucket may take minutes to copy, so no connection is held meanwhile.
  sealing_until timestamptz,
  PRIMARY KEY (party_id, id),
  CONSTRAINT uploads_parts_check CHECK ((part_bytes IS NULL) = (parts_ref IS NULL))
);
CREATE INDEX uploads_by_age ON uploads (expires_at);

-- Bytes that at least one message refers to, of the party that sent them. The hash of a large object comes after delivery.
CREATE TABLE objects (
  party_id   bigint NOT NULL,
  id         uuid   NOT NULL,
  size_bytes bigint NOT NULL,
  sha256     bytea,
  PRIMARY KEY (party_id, id)
);
CREATE INDEX objects_by_id ON objects (id);

-- A file of a message, once for each party of the message.
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

-- Bytes that count toward a person's limit of a day, over all businesses that the person owns.
CREATE TABLE person_usage (
  person_id    uuid   NOT NULL,
  day          date   NOT NULL,
  upload_bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (person_id, day)
) WITH (fillfactor = 50);
CREATE INDEX person_usage_by_day ON person_usage (day);


-- ── inbox-schema ────────────────────────────────────────────────────────────────────────────────────────────────────

-- The JSON Schema of a business's inbox, as the text that was sent.
CREATE TABLE inbox_schemas (
  party_id   bigint      NOT NULL PRIMARY KEY,
  schema     text        NOT NULL,
  -- Names the version as well: no two versions of one business share it.
  updated_at timestamptz NOT NULL
);


-- ── contacts ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Parties that a business has exchanged messages with, or has saved, or both. Counted by the transaction that delivers a
-- message, under the locks of both ledgers.
CREATE TABLE contacts (
  party_id       bigint      NOT NULL,
  other_id       bigint      NOT NULL,
  -- Ascends with the time of the first message or save. Lists are in this order, which never changes.
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
CREATE INDEX contacts_by_other ON contacts (other_id);

-- The types of messages exchanged with a contact.
CREATE TABLE contact_types (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  type     text   NOT NULL,
  PRIMARY KEY (party_id, other_id, type)
);
CREATE INDEX contact_types_by_type ON contact_types (party_id, type, other_id);

-- The agents, people and mailboxes that have written for a contact.
CREATE TABLE contact_actors (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  actor_id text   COLLATE "C" NOT NULL,
  kind     text   NOT NULL,
  name     text   NOT NULL,
  email    text,
  PRIMARY KEY (party_id, other_id, actor_id)
);

-- How many contacts a business has saved, so that the limit costs no count.
CREATE TABLE saved_contacts (
  party_id bigint  PRIMARY KEY,
  count    integer NOT NULL
);


-- ── blocks ──────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Senders that a business does not take messages from: a person or mailbox, a mail domain, or a business with all its actors.
CREATE TABLE blocks (
  party_id     bigint      NOT NULL,
  id           uuid        NOT NULL,
  -- The id of a person or mailbox, as envelopes show it.
  user_id      text        COLLATE "C",
  email_domain text        COLLATE "C",
  created_at   timestamptz NOT NULL DEFAULT now(),
  business_id  bigint,
  PRIMARY KEY (party_id, id),
  UNIQUE (party_id, user_id),
  UNIQUE (party_id, email_domain),
  UNIQUE (party_id, business_id),
  CHECK (num_nonnulls(user_id, email_domain, business_id) = 1)
);

-- Mailboxes that have sent mail, with the id by which envelopes and blocks name them.
CREATE TABLE mailboxes (
  id    uuid PRIMARY KEY,
  email text COLLATE "C" NOT NULL UNIQUE
);


-- ── webhooks ────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TYPE attempt_status AS ENUM ('pending', 'delivered', 'retrying', 'dropped', 'failed');

-- Endpoints that messages of a business are posted to. An endpoint that has never responded 2xx may belong to a stranger: it
-- gets one attempt at a time and is paused after too many failures.
CREATE TABLE webhooks (
  party_id         bigint      NOT NULL,
  id               uuid        NOT NULL,
  url              text        NOT NULL,
  -- Only messages addressed to this segment; null means all.
  target           text,
  secret           text        NOT NULL,
  active           boolean     NOT NULL DEFAULT true,
  created_at       timestamptz NOT NULL DEFAULT now(),
  first_success_at timestamptz,
  -- Attempts that failed before the first success, since the webhook was created or last resumed.
  failures         integer     NOT NULL DEFAULT 0,
  pause_reason     text,
  paused_at        timestamptz,
  PRIMARY KEY (party_id, id),
  CONSTRAINT webhooks_pause CHECK (active = (pause_reason IS NULL) AND active = (paused_at IS NULL))
);

-- The delivery log and the queue in one: a row per attempt, pending ones still to be made. A deleted webhook's attempts are
-- never leased; a chore removes them.
CREATE TABLE webhook_attempts (
  party_id        bigint         NOT NULL,
  webhook_id      uuid           NOT NULL,
  -- Ascends with time, so that the log is read and cleaned up by the primary key.
  id              uuid           NOT NULL,
  message_id      uuid           NOT NULL,
  event           text           NOT NULL,
  attempt         smallint       NOT NULL,
  status          attempt_status NOT NULL DEFAULT 'pending',
  -- From when on a worker may lease the attempt.
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

-- The attempts that a worker holds a lease on, a row per worker and webhook, renewed when the worker leases more. A row past
-- `until` is that of a worker that died or has nothing left to do. Unlogged: losing leases in a crash costs repetitions at most.
CREATE UNLOGGED TABLE webhook_claims (
  party_id    bigint      NOT NULL,
  webhook_id  uuid        NOT NULL,
  worker_id   uuid        NOT NULL,
  attempt_ids uuid[]      NOT NULL,
  until       timestamptz NOT NULL,
  PRIMARY KEY (party_id, webhook_id, worker_id)
);
-- Random ids do not compress.
ALTER TABLE webhook_claims ALTER COLUMN attempt_ids SET STORAGE EXTERNAL;


-- ── mail ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Mailboxes that want no notifications. Mail that a person asked for, such as a one-time code, is sent to them all the same.
CREATE TABLE unsubscribed_mailboxes (
  email           text        COLLATE "C" PRIMARY KEY,
  unsubscribed_at timestamptz NOT NULL DEFAULT now()
);

-- Mails of a service without a mail server, for the person at its machine to read.
CREATE TABLE kept_mails (
  id      uuid        PRIMARY KEY,
  kept_at timestamptz NOT NULL DEFAULT now(),
  mail    json        NOT NULL
);
CREATE INDEX kept_mails_by_time ON kept_mails (kept_at);

-- The newest reply in a thread that a mailbox without access to the thread was notified of.
CREATE TABLE thread_notices (
  party_id    bigint      NOT NULL,
  thread_id   uuid        NOT NULL,
  email       text        COLLATE "C" NOT NULL,
  -- Of the reply, in the ledger of the party.
  position    bigint      NOT NULL,
  notified_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, thread_id, email)
);


-- ── platform ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Secrets that all processes share, such as the key that signs cursors.
CREATE TABLE service_secrets (
  name  text  PRIMARY KEY,
  value bytea NOT NULL
);


-- The one business that every service has: an inbox to send a first message to.
INSERT INTO parties (handle, display_name, folded_name, accepting_drops, takes_replies) VALUES ('demo', 'Demo inbox', 'demo inbox', false, false);
INSERT INTO ledgers (party_id) SELECT id FROM parties;
