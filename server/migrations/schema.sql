-- The schema that the migrations add up to, read back from PostgreSQL's catalogue, for reviewers.
-- It is compared in tests and never run. To write it anew:
-- UPDATE_SCHEMA=1 npx vitest run server/test/faults/migrations.test.ts

CREATE TYPE attempt_status AS ENUM ('pending', 'delivered', 'retrying', 'dropped', 'failed');

CREATE TYPE key_scope AS ENUM ('read', 'read_write');

CREATE TYPE ledger_box AS ENUM ('in', 'out');

CREATE TYPE member_role AS ENUM ('owner', 'admin', 'member');

CREATE TYPE sign_in_proof AS ENUM ('mailbox', 'domain', 'nothing');

CREATE TYPE sign_in_provider AS ENUM ('email', 'google', 'microsoft', 'oidc');

CREATE TYPE validation_status AS ENUM ('passed', 'failed', 'not_applicable');

CREATE TABLE agents (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  description text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT agents_pkey PRIMARY KEY (party_id, id)
);

CREATE TABLE api_keys (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  agent_id uuid NOT NULL,
  scope key_scope NOT NULL,
  prefix text NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  CONSTRAINT api_keys_pkey PRIMARY KEY (party_id, id)
);

CREATE TABLE blocks (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  user_id text COLLATE "C",
  email_domain text COLLATE "C",
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  business_id bigint,
  CONSTRAINT blocks_check CHECK ((num_nonnulls(user_id, email_domain, business_id) = 1)),
  CONSTRAINT blocks_pkey PRIMARY KEY (party_id, id),
  CONSTRAINT blocks_party_id_business_id_key UNIQUE (party_id, business_id),
  CONSTRAINT blocks_party_id_email_domain_key UNIQUE (party_id, email_domain),
  CONSTRAINT blocks_party_id_user_id_key UNIQUE (party_id, user_id)
);

CREATE TABLE contact_actors (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  email text,
  CONSTRAINT contact_actors_pkey PRIMARY KEY (party_id, other_id, actor_id)
);

CREATE TABLE contact_types (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  type text NOT NULL,
  CONSTRAINT contact_types_pkey PRIMARY KEY (party_id, other_id, type)
);

CREATE TABLE contacts (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  id uuid NOT NULL,
  saved_at timestamp with time zone,
  archived boolean NOT NULL DEFAULT false,
  label text NOT NULL DEFAULT ''::text,
  folded_label text NOT NULL DEFAULT ''::text,
  notes text NOT NULL DEFAULT ''::text,
  first_seen_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  last_direction ledger_box,
  messages_in bigint NOT NULL DEFAULT 0,
  messages_out bigint NOT NULL DEFAULT 0,
  CONSTRAINT contacts_pkey PRIMARY KEY (party_id, other_id),
  CONSTRAINT contacts_party_id_id_key UNIQUE (party_id, id)
) WITH (fillfactor=50);

CREATE TABLE daily_organisation_usage (
  organisation text COLLATE "C" NOT NULL,
  day date NOT NULL,
  messages bigint NOT NULL,
  CONSTRAINT daily_organisation_usage_pkey PRIMARY KEY (organisation, day)
);

CREATE TABLE daily_usage (
  party_id bigint NOT NULL,
  day date NOT NULL,
  messages bigint NOT NULL DEFAULT 0,
  upload_bytes bigint NOT NULL DEFAULT 0,
  received bigint,
  CONSTRAINT daily_usage_pkey PRIMARY KEY (party_id, day)
) WITH (fillfactor=50);

CREATE TABLE domain_requests (
  party_id bigint NOT NULL,
  domain text COLLATE "C" NOT NULL,
  token text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  checked_at timestamp with time zone,
  missing_since timestamp with time zone,
  CONSTRAINT domain_requests_pkey PRIMARY KEY (party_id, domain)
);

CREATE TABLE files (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  message_id uuid NOT NULL,
  ordinal smallint NOT NULL,
  owner_id bigint NOT NULL,
  object_id uuid NOT NULL,
  filename text NOT NULL,
  content_type text NOT NULL,
  CONSTRAINT files_pkey PRIMARY KEY (party_id, id)
);

CREATE TABLE idempotency_keys (
  party_id bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (party_id, key)
);

CREATE TABLE inbox_schemas (
  party_id bigint NOT NULL,
  schema text NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT inbox_schemas_pkey PRIMARY KEY (party_id)
);

CREATE TABLE invitations (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  role member_role NOT NULL,
  segment text,
  token_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  invited_by uuid,
  CONSTRAINT invitations_pkey PRIMARY KEY (party_id, id),
  CONSTRAINT invitations_party_id_email_key UNIQUE (party_id, email)
);

CREATE TABLE joined_threads (
  party_id bigint NOT NULL,
  thread_id uuid NOT NULL,
  business_id bigint NOT NULL,
  CONSTRAINT joined_threads_pkey PRIMARY KEY (party_id, thread_id, business_id)
);

CREATE TABLE kept_mails (
  id uuid NOT NULL,
  kept_at timestamp with time zone NOT NULL DEFAULT now(),
  mail json NOT NULL,
  CONSTRAINT kept_mails_pkey PRIMARY KEY (id)
);

CREATE TABLE known_sign_ins (
  subject bytea NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT known_sign_ins_pkey PRIMARY KEY (subject)
);

CREATE TABLE ledger_entries (
  party_id bigint NOT NULL,
  box ledger_box NOT NULL,
  position bigint NOT NULL,
  message_id uuid NOT NULL,
  counterparty_id bigint NOT NULL,
  thread_id uuid NOT NULL,
  validation validation_status NOT NULL,
  type text,
  segment text,
  from_email text,
  from_domain text,
  author_id bigint,
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (party_id, box, "position")
);

CREATE TABLE ledgers (
  party_id bigint NOT NULL,
  head bigint NOT NULL DEFAULT 0,
  CONSTRAINT ledgers_pkey PRIMARY KEY (party_id)
) WITH (fillfactor=50);

CREATE TABLE mailboxes (
  id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  CONSTRAINT mailboxes_pkey PRIMARY KEY (id),
  CONSTRAINT mailboxes_email_key UNIQUE (email)
);

CREATE TABLE members (
  party_id bigint NOT NULL,
  person_id uuid NOT NULL,
  role member_role NOT NULL,
  joined_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT members_pkey PRIMARY KEY (party_id, person_id)
);

CREATE TABLE messages (
  sender_id bigint NOT NULL,
  id uuid NOT NULL,
  recipient_id bigint NOT NULL,
  segment text,
  thread_id uuid NOT NULL,
  in_reply_to uuid,
  sender text NOT NULL,
  recipient text NOT NULL,
  type text,
  subject text,
  note text,
  json text,
  json_sha256 bytea,
  validation validation_status NOT NULL,
  validation_errors text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  content_hash bytea NOT NULL,
  receipt_token bytea NOT NULL,
  idempotency_key text,
  file_count smallint NOT NULL,
  CONSTRAINT messages_pkey PRIMARY KEY (sender_id, id)
);

CREATE TABLE objects (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  size_bytes bigint NOT NULL,
  sha256 bytea,
  CONSTRAINT objects_pkey PRIMARY KEY (party_id, id)
);

CREATE TABLE parties (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  handle text COLLATE "C",
  display_name text NOT NULL,
  accepting_drops boolean NOT NULL DEFAULT true,
  takes_replies boolean NOT NULL DEFAULT true,
  claimed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  domain text COLLATE "C",
  email text COLLATE "C",
  folded_name text NOT NULL DEFAULT ''::text,
  organisation text COLLATE "C",
  minimal_receipts boolean NOT NULL DEFAULT false,
  claimed_by uuid,
  name_key text COLLATE "C",
  CONSTRAINT parties_check CHECK ((num_nonnulls(handle, domain, email) = 1)),
  CONSTRAINT parties_pkey PRIMARY KEY (id),
  CONSTRAINT parties_domain_key UNIQUE (domain),
  CONSTRAINT parties_email_key UNIQUE (email),
  CONSTRAINT parties_handle_key UNIQUE (handle)
);

CREATE TABLE passkeys (
  id uuid NOT NULL,
  person_id uuid NOT NULL,
  name text,
  credential_id text COLLATE "C" NOT NULL,
  public_key text NOT NULL,
  counter bigint NOT NULL,
  device_type text NOT NULL,
  backed_up boolean NOT NULL,
  transports text,
  aaguid text,
  provider sign_in_provider,
  proves sign_in_proof,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  CONSTRAINT passkeys_pkey PRIMARY KEY (id),
  CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id)
);

CREATE TABLE people (
  id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  email_verified boolean NOT NULL,
  name text NOT NULL,
  image text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  signed_in_at timestamp with time zone,
  CONSTRAINT people_image_check CHECK ((image IS NULL)),
  CONSTRAINT people_pkey PRIMARY KEY (id),
  CONSTRAINT people_email_key UNIQUE (email)
);

CREATE TABLE person_usage (
  person_id uuid NOT NULL,
  day date NOT NULL,
  upload_bytes bigint NOT NULL DEFAULT 0,
  CONSTRAINT person_usage_pkey PRIMARY KEY (person_id, day)
) WITH (fillfactor=50);

CREATE TABLE saved_contacts (
  party_id bigint NOT NULL,
  count integer NOT NULL,
  CONSTRAINT saved_contacts_pkey PRIMARY KEY (party_id)
);

CREATE TABLE schema_migrations (
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE segments (
  party_id bigint NOT NULL,
  segment text NOT NULL,
  agent_id uuid,
  person_id uuid,
  CONSTRAINT segments_check CHECK ((num_nonnulls(agent_id, person_id) = 1)),
  CONSTRAINT segments_pkey PRIMARY KEY (party_id, segment),
  CONSTRAINT segments_party_id_agent_id_key UNIQUE (party_id, agent_id),
  CONSTRAINT segments_party_id_person_id_key UNIQUE (party_id, person_id)
);

CREATE TABLE service_secrets (
  name text NOT NULL,
  value bytea NOT NULL,
  CONSTRAINT service_secrets_pkey PRIMARY KEY (name)
);

CREATE TABLE sessions (
  id uuid NOT NULL,
  person_id uuid NOT NULL,
  token text COLLATE "C" NOT NULL,
  provider sign_in_provider NOT NULL,
  proves sign_in_proof NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  address text,
  user_agent text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_token_key UNIQUE (token)
);

CREATE TABLE sign_in_accounts (
  id uuid NOT NULL,
  person_id uuid NOT NULL,
  provider sign_in_provider NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamp with time zone,
  refresh_token_expires_at timestamp with time zone,
  scope text,
  password text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT sign_in_accounts_access_token_check CHECK ((access_token IS NULL)),
  CONSTRAINT sign_in_accounts_id_token_check CHECK ((id_token IS NULL)),
  CONSTRAINT sign_in_accounts_password_check CHECK ((password IS NULL)),
  CONSTRAINT sign_in_accounts_refresh_token_check CHECK ((refresh_token IS NULL)),
  CONSTRAINT sign_in_accounts_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  CONSTRAINT sign_in_accounts_pkey PRIMARY KEY (id),
  CONSTRAINT sign_in_accounts_provider_account_id_key UNIQUE (provider, account_id)
);

CREATE TABLE sign_in_counts (
  subject bytea NOT NULL,
  window_start timestamp with time zone NOT NULL,
  uses integer NOT NULL,
  CONSTRAINT sign_in_counts_pkey PRIMARY KEY (subject)
);

CREATE TABLE thread_notices (
  party_id bigint NOT NULL,
  thread_id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  notified_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT thread_notices_pkey PRIMARY KEY (party_id, thread_id, email)
);

CREATE TABLE unsubscribed_mailboxes (
  email text COLLATE "C" NOT NULL,
  unsubscribed_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT unsubscribed_mailboxes_pkey PRIMARY KEY (email)
);

CREATE TABLE uploads (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  filename text NOT NULL,
  content_type text NOT NULL,
  size_bytes bigint NOT NULL,
  sealed_bytes bigint,
  expires_at timestamp with time zone NOT NULL,
  part_bytes integer,
  parts_ref text,
  sha256 bytea,
  sealing_until timestamp with time zone,
  CONSTRAINT uploads_parts_check CHECK (((part_bytes IS NULL) = (parts_ref IS NULL))),
  CONSTRAINT uploads_pkey PRIMARY KEY (party_id, id)
);

CREATE TABLE verifications (
  id text COLLATE "C" NOT NULL,
  identifier text COLLATE "C" NOT NULL,
  value text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT verifications_pkey PRIMARY KEY (id)
);

CREATE TABLE verified_domains (
  domain text COLLATE "C" NOT NULL,
  party_id bigint NOT NULL,
  verified_at timestamp with time zone NOT NULL DEFAULT now(),
  senders text NOT NULL DEFAULT 'everybody'::text,
  CONSTRAINT verified_domains_senders_check CHECK ((senders = ANY (ARRAY['everybody'::text, 'members'::text]))),
  CONSTRAINT verified_domains_pkey PRIMARY KEY (domain)
);

CREATE TABLE webhook_attempts (
  party_id bigint NOT NULL,
  webhook_id uuid NOT NULL,
  id uuid NOT NULL,
  message_id uuid NOT NULL,
  event text NOT NULL,
  attempt smallint NOT NULL,
  status attempt_status NOT NULL DEFAULT 'pending'::attempt_status,
  due_at timestamp with time zone NOT NULL,
  status_code smallint,
  response_ms integer,
  error text,
  created_at timestamp with time zone NOT NULL,
  attempted_at timestamp with time zone,
  next_attempt_at timestamp with time zone,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (party_id, webhook_id, id)
);

CREATE UNLOGGED TABLE webhook_claims (
  party_id bigint NOT NULL,
  webhook_id uuid NOT NULL,
  worker_id uuid NOT NULL,
  attempt_ids uuid[] NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT webhook_claims_pkey PRIMARY KEY (party_id, webhook_id, worker_id)
);

CREATE TABLE webhooks (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  url text NOT NULL,
  target text,
  secret text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  first_success_at timestamp with time zone,
  failures integer NOT NULL DEFAULT 0,
  pause_reason text,
  paused_at timestamp with time zone,
  CONSTRAINT webhooks_pause CHECK (((active = (pause_reason IS NULL)) AND (active = (paused_at IS NULL)))),
  CONSTRAINT webhooks_pkey PRIMARY KEY (party_id, id)
);

CREATE INDEX agents_by_id ON agents USING btree (id);
CREATE INDEX api_keys_by_id ON api_keys USING btree (id);
CREATE INDEX api_keys_by_secret ON api_keys USING btree (secret_hash);
CREATE INDEX api_keys_of_agent ON api_keys USING btree (party_id, agent_id, id);
CREATE INDEX contact_types_by_type ON contact_types USING btree (party_id, type, other_id);
CREATE INDEX contacts_by_other ON contacts USING btree (other_id);
CREATE INDEX files_by_message ON files USING btree (party_id, message_id, ordinal);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (created_at);
CREATE INDEX invitations_by_token ON invitations USING btree (token_hash);
CREATE INDEX joined_threads_of_business ON joined_threads USING btree (business_id, thread_id);
CREATE INDEX kept_mails_by_time ON kept_mails USING btree (kept_at);
CREATE INDEX known_sign_ins_by_age ON known_sign_ins USING btree (seen_at);
CREATE INDEX ledger_entries_by_domain ON ledger_entries USING btree (party_id, box, from_domain, "position") WHERE (from_domain IS NOT NULL);
CREATE INDEX ledger_entries_by_email ON ledger_entries USING btree (party_id, box, from_email, "position") WHERE (from_email IS NOT NULL);
CREATE INDEX ledger_entries_by_message ON ledger_entries USING btree (party_id, message_id);
CREATE INDEX ledger_entries_by_segment ON ledger_entries USING btree (party_id, segment, "position") WHERE ((box = 'in'::ledger_box) AND (segment IS NOT NULL));
CREATE INDEX ledger_entries_by_sender ON ledger_entries USING btree (party_id, counterparty_id, "position") WHERE (box = 'in'::ledger_box);
CREATE INDEX ledger_entries_by_thread ON ledger_entries USING btree (party_id, thread_id, box, "position");
CREATE INDEX ledger_entries_by_type ON ledger_entries USING btree (party_id, box, type, "position") WHERE (type IS NOT NULL);
CREATE INDEX ledger_entries_by_validation ON ledger_entries USING btree (party_id, box, validation, "position");
CREATE INDEX members_of_person ON members USING btree (person_id, party_id);
CREATE INDEX messages_by_receipt ON messages USING btree (receipt_token);
CREATE INDEX objects_by_id ON objects USING btree (id);
CREATE INDEX parties_by_name_key ON parties USING btree (name_key) WHERE (handle IS NOT NULL);
CREATE INDEX parties_claimed_by ON parties USING btree (claimed_by, claimed_at) WHERE (claimed_by IS NOT NULL);
CREATE INDEX parties_without_name_key ON parties USING btree (id) WHERE ((handle IS NOT NULL) AND (name_key IS NULL));
CREATE INDEX passkeys_of_person ON passkeys USING btree (person_id, id);
CREATE INDEX person_usage_by_day ON person_usage USING btree (day);
CREATE INDEX sessions_by_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_of_person ON sessions USING btree (person_id, id);
CREATE INDEX sign_in_accounts_of_person ON sign_in_accounts USING btree (person_id);
CREATE INDEX sign_in_counts_by_age ON sign_in_counts USING btree (window_start);
CREATE INDEX uploads_by_age ON uploads USING btree (expires_at);
CREATE INDEX verifications_by_expiry ON verifications USING btree (expires_at);
CREATE INDEX verifications_by_identifier ON verifications USING btree (identifier, created_at);
CREATE INDEX verified_domains_of_party ON verified_domains USING btree (party_id);
CREATE INDEX webhook_attempts_by_time ON webhook_attempts USING btree (due_at) WHERE (status = 'pending'::attempt_status);
CREATE INDEX webhook_attempts_of_webhook ON webhook_attempts USING btree (party_id, webhook_id, due_at) WHERE (status = 'pending'::attempt_status);

CREATE FUNCTION announce_upload(
  party bigint,
  upload uuid,
  name text,
  type text,
  bytes bigint,
  bytes_a_part integer,
  ref text,
  usable_s integer,
  business_limit bigint,
  owner_limit bigint
) RETURNS TABLE(refused_by text, clock timestamp with time zone) LANGUAGE plpgsql;

CREATE FUNCTION charge_owner(
  party bigint,
  bytes bigint,
  day_limit bigint
) RETURNS boolean LANGUAGE plpgsql;

CREATE FUNCTION claim_webhook_attempts(
  worker uuid,
  party_ids bigint[],
  webhook_ids uuid[],
  rooms integer[],
  helds text[],
  lease interval
) RETURNS TABLE(webhook_id uuid, url text, secret text, ids text, message_ids text, events text, created_ms text, clock_ms bigint, is_proven boolean) LANGUAGE plpgsql;

CREATE FUNCTION commit_messages(
  party_ids bigint[],
  entry_counts bigint[],
  sender_slots integer[],
  sender_nths integer[],
  recipient_slots integer[],
  recipient_nths integer[],
  message_ids uuid[],
  thread_ids uuid[],
  parent_ids uuid[],
  segments text[],
  senders text[],
  recipients text[],
  types text[],
  subjects text[],
  notes text[],
  jsons text[],
  json_hashes bytea[],
  validations text[],
  validation_error_lists text[],
  from_emails text[],
  from_domains text[],
  receipt_tokens bytea[],
  keys text[],
  firsts integer[],
  hashed_before_time text[],
  hashed_after_time text[],
  file_counts integer[],
  inline_bytes bigint[],
  file_ns integer[],
  file_ordinals integer[],
  file_ids uuid[],
  file_object_ids uuid[],
  file_names text[],
  file_types text[],
  file_sizes bigint[],
  file_hashes bytea[],
  month_limit bigint,
  new_account_day_limit bigint,
  new_account_days integer,
  day_bytes_limit bigint,
  key_window interval
) RETURNS TABLE(outcome text, message_id uuid, received_ms bigint, content_hash bytea) LANGUAGE plpgsql;

CREATE FUNCTION domain_with_parents(
  domain text
) RETURNS text[] LANGUAGE sql;

CREATE FUNCTION follow_messages(
  delivered timestamp with time zone,
  sender_ids bigint[],
  recipient_ids bigint[],
  message_ids uuid[],
  parent_ids uuid[],
  segments text[],
  types text[],
  senders text[]
) RETURNS void LANGUAGE plpgsql;

CREATE FUNCTION is_blocked(
  recipient bigint,
  sender bigint,
  actor text,
  mailbox text,
  mail_domain text
) RETURNS boolean LANGUAGE plpgsql;

CREATE FUNCTION join_thread(
  unclaimed bigint,
  thread uuid,
  business bigint,
  mailbox text
) RETURNS bigint LANGUAGE plpgsql;

CREATE FUNCTION judge_unproven_webhooks(
  party_ids bigint[],
  webhook_ids uuid[],
  ids uuid[],
  successes integer[],
  unproven integer[],
  failures_max integer
) RETURNS void LANGUAGE plpgsql;

CREATE FUNCTION merge_contact(
  owner bigint,
  unclaimed bigint,
  business bigint
) RETURNS void LANGUAGE plpgsql;

CREATE FUNCTION new_uuid(
  clock timestamp with time zone
) RETURNS uuid LANGUAGE sql;

CREATE FUNCTION note_contacts(
  delivered timestamp with time zone,
  sender_ids bigint[],
  recipient_ids bigint[],
  types text[],
  senders text[]
) RETURNS void LANGUAGE plpgsql;

CREATE FUNCTION public_id(
  prefix text,
  id uuid
) RETURNS text LANGUAGE sql;

CREATE FUNCTION queue_mail(
  mail json,
  priority integer DEFAULT 5
) RETURNS void LANGUAGE plpgsql;

CREATE FUNCTION queue_reply_notices(
  recipient_ids bigint[],
  message_ids uuid[],
  parent_ids uuid[]
) RETURNS void LANGUAGE plpgsql;

CREATE FUNCTION queue_webhook_attempts(
  recipient_ids bigint[],
  message_ids uuid[],
  segments text[]
) RETURNS void LANGUAGE plpgsql;

CREATE FUNCTION record_webhook_attempts(
  party_ids bigint[],
  webhook_ids uuid[],
  ids uuid[],
  successes integer[],
  status_codes integer[],
  errors text[],
  responses_ms integer[],
  ages_ms integer[],
  retry_afters_s integer[],
  retry_delays_s integer[],
  unproven integer[] DEFAULT '{}'::integer[],
  failures_max integer DEFAULT 2147483647
) RETURNS void LANGUAGE plpgsql;

CREATE FUNCTION uuid_in_id(
  id text
) RETURNS uuid LANGUAGE sql;

CREATE FUNCTION window_of_key(
  key text,
  usual interval
) RETURNS interval LANGUAGE sql;
