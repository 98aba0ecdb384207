-- The schema that the migrations add up to, read back from PostgreSQL's catalogue, for reviewers.
-- It is compared in tests and never run. To rewrite it:
-- UPDATE_SCHEMA=1 npx vitest run server/test/faults/migrations.test.ts

CREATE TYPE acknowledgement_status AS ENUM ('accepted', 'rejected', 'processed');

CREATE TYPE attempt_status AS ENUM ('pending', 'delivered', 'retrying', 'dropped', 'failed');

CREATE TYPE consumer_message_state AS ENUM ('leased', 'waiting', 'held', 'parked');

CREATE TYPE digest_frequency AS ENUM ('hourly', 'daily');

CREATE TYPE document_state AS ENUM ('none', 'requested', 'quoted', 'ordered', 'changed', 'confirmed', 'despatched', 'received', 'invoiced', 'disputed', 'credited', 'paid', 'rejected');

CREATE TYPE hand_over_way AS ENUM ('webhook', 'consumer');

CREATE TYPE key_scope AS ENUM ('read', 'read_write');

CREATE TYPE ledger_box AS ENUM ('in', 'out');

CREATE TYPE mail_frequency AS ENUM ('at_once', 'hourly', 'daily', 'never');

CREATE TYPE member_role AS ENUM ('owner', 'admin', 'member');

CREATE TYPE notification_kind AS ENUM ('mention', 'assignment');

CREATE TYPE sign_in_proof AS ENUM ('mailbox', 'domain', 'nothing');

CREATE TYPE sign_in_provider AS ENUM ('email', 'google', 'microsoft', 'oidc');

CREATE TYPE validation_status AS ENUM ('passed', 'failed', 'not_applicable');

CREATE TYPE worker_kind AS ENUM ('person', 'agent');

CREATE TYPE committed_message AS (
  sender_id bigint,
  recipient_id bigint,
  id uuid,
  segment text,
  in_reply_to uuid,
  sender text,
  type text,
  received_at timestamp with time zone,
  half ledger_box
);

CREATE TYPE indexed_entry AS (
  party_id bigint,
  box ledger_box,
  position bigint,
  message_id uuid,
  sender_id bigint,
  counterparty_id bigint,
  thread_id uuid,
  validation validation_status,
  type text,
  segment text,
  from_email text,
  subject text,
  has_files boolean,
  received_at timestamp with time zone,
  sender text,
  is_counted boolean,
  document text
);

CREATE TYPE made_attempt AS (
  party_id bigint,
  webhook_id uuid,
  id uuid,
  is_proven boolean,
  succeeded boolean,
  status_code smallint,
  error text,
  response_ms integer,
  age_ms integer,
  retry_after_s integer,
  url_version integer,
  is_ordered boolean
);

CREATE TYPE message_document AS (
  rank smallint,
  state document_state,
  keep document_state[],
  status text,
  number text,
  total numeric,
  currency text,
  due_date date
);

CREATE TYPE prepared_acknowledgement AS (
  reply_id uuid,
  status acknowledgement_status,
  reason text
);

CREATE TYPE prepared_file AS (
  message_id uuid,
  id uuid,
  ordinal smallint,
  object_id uuid,
  filename text,
  content_type text,
  size_bytes bigint,
  sha256 bytea
);

CREATE TYPE prepared_message AS (
  sender_ledger integer,
  sender_entry integer,
  recipient_ledger integer,
  recipient_entry integer,
  first_with_key integer,
  sender_id bigint,
  recipient_id bigint,
  id uuid,
  segment text,
  thread_id uuid,
  in_reply_to uuid,
  sender text,
  recipient text,
  json text,
  json_sha256 bytea,
  validation validation_status,
  validation_errors text,
  receipt_token bytea,
  idempotency_key text,
  file_count smallint,
  from_email text,
  from_domain text,
  hashed_before_time text,
  hashed_after_time text,
  inline_bytes bigint,
  json_bytes_sha256 bytea,
  request_digest bytea,
  mail_digest bytea,
  document text,
  type text,
  subject text,
  note text,
  expires_at text
);

CREATE TYPE prepared_signature AS (
  sender_id bigint,
  message_id uuid,
  key_id uuid,
  signature_input text,
  signature bytea,
  components text,
  body_before bytea,
  body_after bytea
);

CREATE TYPE thread_document AS (
  state document_state,
  type text,
  number text,
  total numeric,
  currency text,
  due_date date,
  rank smallint,
  through uuid
);

CREATE TYPE touched_ledger AS (
  party_id bigint,
  entries integer,
  sent integer,
  sent_bytes bigint
);

CREATE TYPE wanted_attempts AS (
  party_id bigint,
  webhook_id uuid,
  room integer,
  held uuid[]
);

CREATE TABLE acknowledgements (
  party_id bigint NOT NULL,
  message_id uuid NOT NULL,
  number smallint NOT NULL,
  recipient_id bigint NOT NULL,
  status acknowledgement_status NOT NULL,
  statement text NOT NULL,
  log_batch uuid NOT NULL,
  key_id uuid,
  signature_input text,
  signature bytea,
  components text,
  body bytea,
  chain_number smallint,
  CONSTRAINT acknowledgements_check CHECK ((num_nonnulls(key_id, signature_input, signature, components, body) = ANY (ARRAY[0, 5]))),
  CONSTRAINT acknowledgements_pkey PRIMARY KEY (party_id, message_id, number)
);

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

CREATE TABLE committed_batches (
  id uuid NOT NULL,
  party_ids bigint[] NOT NULL,
  thread_id uuid,
  CONSTRAINT committed_batches_pkey PRIMARY KEY (id)
);

CREATE TABLE consumer_messages (
  party_id bigint NOT NULL,
  consumer_id uuid NOT NULL,
  message_id uuid NOT NULL,
  sender_id bigint NOT NULL,
  position bigint NOT NULL,
  thread_id uuid,
  bytes integer NOT NULL,
  state consumer_message_state NOT NULL,
  due_at timestamp with time zone NOT NULL,
  tries integer NOT NULL,
  holder text,
  reason text,
  CONSTRAINT consumer_messages_pkey PRIMARY KEY (party_id, consumer_id, message_id)
) WITH (autovacuum_vacuum_insert_scale_factor=0.2, autovacuum_vacuum_scale_factor=0.02, fillfactor=80);

CREATE TABLE consumers (
  party_id bigint NOT NULL,
  name text NOT NULL,
  id uuid NOT NULL,
  target text,
  types text[],
  validation validation_status,
  is_ordered boolean NOT NULL,
  max_tries integer NOT NULL,
  taken_through bigint NOT NULL,
  kept integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT consumers_pkey PRIMARY KEY (party_id, name)
) WITH (fillfactor=50);

CREATE TABLE contact_activity (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  last_position bigint NOT NULL,
  CONSTRAINT contact_activity_pkey PRIMARY KEY (party_id, other_id)
) WITH (fillfactor=80);

CREATE TABLE contact_actors (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  email text,
  CONSTRAINT contact_actors_pkey PRIMARY KEY (party_id, other_id, actor_id)
);

CREATE TABLE contact_names (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  grams integer[],
  CONSTRAINT contact_names_pkey PRIMARY KEY (party_id, other_id)
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

CREATE TABLE device_logins (
  device_hash bytea NOT NULL,
  user_code text COLLATE "C" NOT NULL,
  name text NOT NULL,
  network text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  party_id bigint,
  agent_id uuid,
  scope key_scope,
  allowed_by uuid,
  site text COLLATE "C",
  CONSTRAINT device_logins_check CHECK ((num_nonnulls(party_id, agent_id, scope, allowed_by) = ANY (ARRAY[0, 4]))),
  CONSTRAINT device_logins_pkey PRIMARY KEY (device_hash),
  CONSTRAINT device_logins_user_code_key UNIQUE (user_code)
);

CREATE TABLE document_facts (
  party_id bigint NOT NULL,
  thread_id uuid NOT NULL,
  message_id uuid NOT NULL,
  type text,
  status text,
  number text COLLATE "C",
  total numeric,
  currency text,
  due_date date,
  is_filtered boolean NOT NULL,
  CONSTRAINT document_facts_pkey PRIMARY KEY (party_id, thread_id, message_id)
);

CREATE TABLE document_queue (
  is_rebuild boolean NOT NULL,
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  thread_id uuid NOT NULL,
  after bigint NOT NULL,
  CONSTRAINT document_queue_pkey PRIMARY KEY (is_rebuild, party_id, id)
);

CREATE TABLE document_types (
  party_id bigint NOT NULL,
  type text NOT NULL,
  title text NOT NULL,
  description text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  schema text NOT NULL,
  layout text NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  is_published boolean NOT NULL,
  CONSTRAINT document_types_pkey PRIMARY KEY (party_id, type)
);

CREATE TABLE domain_key_files (
  party_id bigint NOT NULL,
  domain text NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  checked_at timestamp with time zone NOT NULL,
  missing_since timestamp with time zone,
  problem text,
  holds integer,
  CONSTRAINT domain_key_files_pkey PRIMARY KEY (party_id, domain)
);

CREATE TABLE domain_key_spans (
  party_id bigint NOT NULL,
  key text NOT NULL,
  domain text NOT NULL,
  from_number integer NOT NULL,
  to_number integer,
  CONSTRAINT domain_key_spans_pkey PRIMARY KEY (party_id, key, domain, from_number)
);

CREATE TABLE domain_key_statements (
  party_id bigint NOT NULL,
  domain text NOT NULL,
  number integer NOT NULL,
  at timestamp with time zone NOT NULL,
  keys text[] NOT NULL,
  statement text NOT NULL,
  log_batch uuid NOT NULL,
  CONSTRAINT domain_key_statements_pkey PRIMARY KEY (party_id, domain, number)
);

CREATE TABLE domain_requests (
  party_id bigint NOT NULL,
  domain text COLLATE "C" NOT NULL,
  token text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  checked_at timestamp with time zone,
  missing_since timestamp with time zone,
  CONSTRAINT domain_requests_pkey PRIMARY KEY (party_id, domain)
);

CREATE TABLE drop_pages (
  party_id bigint NOT NULL,
  welcome text NOT NULL DEFAULT ''::text,
  accent text,
  logo bytea,
  logo_type text,
  logo_hash text,
  CONSTRAINT drop_pages_check CHECK ((num_nonnulls(logo, logo_type, logo_hash) = ANY (ARRAY[0, 3]))),
  CONSTRAINT drop_pages_pkey PRIMARY KEY (party_id)
);

CREATE TABLE due_acknowledgements (
  party_id bigint NOT NULL,
  message_id uuid NOT NULL,
  status acknowledgement_status NOT NULL,
  reason text,
  reply_id uuid NOT NULL,
  CONSTRAINT due_acknowledgements_pkey PRIMARY KEY (party_id, message_id, status)
);

CREATE TABLE expiries (
  sender_id bigint NOT NULL,
  message_id uuid NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT expiries_pkey PRIMARY KEY (sender_id, message_id)
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
  log_batch uuid,
  CONSTRAINT files_pkey PRIMARY KEY (party_id, id)
);

CREATE TABLE follower_failures (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  follower text NOT NULL,
  entries indexed_entry[],
  thread_ids uuid[] NOT NULL,
  error text NOT NULL,
  tries integer NOT NULL,
  next_at timestamp with time zone NOT NULL,
  CONSTRAINT follower_failures_pkey PRIMARY KEY (party_id, id)
);

CREATE TABLE hand_overs (
  party_id bigint NOT NULL,
  message_id uuid NOT NULL,
  way hand_over_way NOT NULL,
  handed_over_at timestamp with time zone NOT NULL,
  number smallint,
  log_batch uuid,
  log_slot smallint,
  CONSTRAINT hand_overs_pkey PRIMARY KEY (party_id, message_id)
);

CREATE TABLE idempotency_keys (
  party_id bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  request_digest bytea,
  mail_digest bytea,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (party_id, key)
);

CREATE TABLE inbox_schemas (
  party_id bigint NOT NULL,
  schema text NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  is_published boolean NOT NULL DEFAULT false,
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
  is_filtered boolean NOT NULL DEFAULT false,
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (party_id, box, "position")
);

CREATE TABLE ledgers (
  party_id bigint NOT NULL,
  head bigint NOT NULL DEFAULT 0,
  filters_left bigint,
  CONSTRAINT ledgers_pkey PRIMARY KEY (party_id)
) WITH (fillfactor=50);

CREATE TABLE log_attestors (
  id text NOT NULL,
  log smallint,
  size bigint,
  attested_at timestamp with time zone,
  failures integer NOT NULL DEFAULT 0,
  failure text,
  contradiction text,
  contradicts smallint,
  CONSTRAINT log_attestors_pkey PRIMARY KEY (id)
);

CREATE TABLE log_batches (
  id uuid NOT NULL,
  leaves bytea NOT NULL,
  log smallint,
  first_index bigint,
  CONSTRAINT log_batches_pkey PRIMARY KEY (id)
) WITH (fillfactor=80);

CREATE TABLE log_checkpoints (
  log smallint NOT NULL,
  size bigint NOT NULL,
  note text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  is_witnessed boolean NOT NULL DEFAULT false,
  timestamp_token bytea,
  timestamped_at timestamp with time zone,
  timestamp_time timestamp with time zone,
  timestamp_ends_at timestamp with time zone,
  timestamp_lists_missing_since timestamp with time zone,
  timestamp_crls text[],
  timestamp_statement text,
  timestamp_stated_at timestamp with time zone,
  timestamp_batch uuid,
  CONSTRAINT log_checkpoints_pkey PRIMARY KEY (log, size)
);

CREATE TABLE log_crls (
  hash text NOT NULL,
  crl bytea NOT NULL,
  CONSTRAINT log_crls_pkey PRIMARY KEY (hash)
);

CREATE TABLE log_duties (
  name text NOT NULL,
  holder uuid NOT NULL,
  held_until timestamp with time zone NOT NULL,
  CONSTRAINT log_duties_pkey PRIMARY KEY (name)
);

CREATE TABLE log_edges (
  log smallint NOT NULL,
  level smallint NOT NULL,
  hashes bytea NOT NULL,
  CONSTRAINT log_edges_pkey PRIMARY KEY (log, level)
) WITH (fillfactor=50);

CREATE TABLE log_keys (
  log smallint NOT NULL,
  number smallint NOT NULL,
  public_key bytea NOT NULL,
  secret text,
  succession text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT log_keys_pkey PRIMARY KEY (log, number)
);

CREATE TABLE logs (
  number smallint NOT NULL,
  origin text NOT NULL,
  sequenced bigint NOT NULL DEFAULT 0,
  size bigint NOT NULL DEFAULT 0,
  root bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  fault text,
  CONSTRAINT logs_pkey PRIMARY KEY (number)
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

CREATE TABLE message_signatures (
  sender_id bigint NOT NULL,
  message_id uuid NOT NULL,
  key_id uuid NOT NULL,
  signature_input text NOT NULL,
  signature bytea NOT NULL,
  components text NOT NULL,
  body_before bytea NOT NULL,
  body_after bytea NOT NULL,
  CONSTRAINT message_signatures_pkey PRIMARY KEY (sender_id, message_id)
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
  log_batch uuid,
  log_slot smallint,
  json_bytes_sha256 bytea,
  expires_at text,
  document text,
  CONSTRAINT messages_pkey PRIMARY KEY (sender_id, id)
);

CREATE TABLE non_deliveries (
  party_id bigint NOT NULL,
  message_id uuid NOT NULL,
  noted_at timestamp with time zone NOT NULL,
  number smallint NOT NULL,
  log_batch uuid NOT NULL,
  CONSTRAINT non_deliveries_pkey PRIMARY KEY (party_id, message_id)
);

CREATE TABLE noted_hand_overs (
  party_id bigint NOT NULL,
  message_id uuid NOT NULL,
  way hand_over_way NOT NULL,
  handed_over_at timestamp with time zone NOT NULL,
  CONSTRAINT noted_hand_overs_pkey PRIMARY KEY (party_id, message_id)
);

CREATE TABLE notifications (
  party_id bigint NOT NULL,
  recipient_kind worker_kind NOT NULL,
  recipient_id uuid NOT NULL,
  id uuid NOT NULL,
  kind notification_kind NOT NULL,
  thread_id uuid NOT NULL,
  comment_id uuid,
  by_kind worker_kind NOT NULL,
  by_id uuid NOT NULL,
  by_name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  read_at timestamp with time zone,
  mailed_at timestamp with time zone,
  CONSTRAINT notifications_pkey PRIMARY KEY (party_id, recipient_kind, recipient_id, id)
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
  has_agent_card boolean NOT NULL DEFAULT false,
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
  notification_mail mail_frequency NOT NULL DEFAULT 'at_once'::mail_frequency,
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

CREATE TABLE queued_jobs (
  id uuid NOT NULL,
  name text NOT NULL,
  payload json NOT NULL,
  job_key text NOT NULL,
  CONSTRAINT queued_jobs_pkey PRIMARY KEY (id)
);

CREATE TABLE relays (
  sender_id bigint NOT NULL,
  message_id uuid NOT NULL,
  recipient_id bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT relays_pkey PRIMARY KEY (sender_id, message_id)
);

CREATE TABLE saved_contacts (
  party_id bigint NOT NULL,
  count integer NOT NULL,
  CONSTRAINT saved_contacts_pkey PRIMARY KEY (party_id)
);

CREATE TABLE schema_functions (
  name text NOT NULL,
  checksum text NOT NULL,
  CONSTRAINT schema_functions_pkey PRIMARY KEY (name)
);

CREATE TABLE schema_migrations (
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE search_documents (
  party_id bigint NOT NULL,
  position bigint NOT NULL,
  id uuid NOT NULL,
  box ledger_box,
  thread_id uuid NOT NULL,
  words text COLLATE "C" NOT NULL,
  CONSTRAINT search_documents_pkey PRIMARY KEY (party_id, "position", id)
);

CREATE TABLE search_queue (
  is_rebuild boolean NOT NULL,
  id uuid NOT NULL,
  party_id bigint NOT NULL,
  entries indexed_entry[],
  thread_id uuid,
  after bigint NOT NULL DEFAULT 0,
  CONSTRAINT search_queue_check CHECK (((is_rebuild = (entries IS NULL)) AND (is_rebuild = (thread_id IS NOT NULL)))),
  CONSTRAINT search_queue_pkey PRIMARY KEY (is_rebuild, id)
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
  passkey text,
  CONSTRAINT sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_token_key UNIQUE (token)
);

CREATE TABLE shards (
  number smallint NOT NULL,
  CONSTRAINT shards_pkey PRIMARY KEY (number)
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

CREATE TABLE signing_keys (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  agent_id uuid NOT NULL,
  public_key bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  registration text NOT NULL,
  log_batch uuid NOT NULL,
  revocation text,
  revocation_batch uuid,
  CONSTRAINT signing_keys_public_key_check CHECK ((length(public_key) = 32)),
  CONSTRAINT signing_keys_pkey PRIMARY KEY (party_id, id)
);

CREATE TABLE thread_changes (
  party_id bigint NOT NULL,
  changes bigint NOT NULL,
  comments integer NOT NULL DEFAULT 0,
  CONSTRAINT thread_changes_pkey PRIMARY KEY (party_id)
) WITH (fillfactor=50);

CREATE TABLE thread_comments (
  party_id bigint NOT NULL,
  thread_id uuid NOT NULL,
  id uuid NOT NULL,
  author_kind worker_kind NOT NULL,
  author_id uuid NOT NULL,
  author_name text NOT NULL,
  text text NOT NULL,
  mentions json NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT thread_comments_pkey PRIMARY KEY (party_id, thread_id, id)
);

CREATE TABLE thread_index (
  party_id bigint NOT NULL,
  indexed_through bigint NOT NULL,
  read_from bigint NOT NULL DEFAULT 0,
  rebuilt_through uuid,
  searched_at timestamp with time zone,
  filtered_through uuid,
  counted_through bigint NOT NULL DEFAULT 0,
  CONSTRAINT thread_index_pkey PRIMARY KEY (party_id)
) WITH (fillfactor=50);

CREATE TABLE thread_labels (
  party_id bigint NOT NULL,
  thread_id uuid NOT NULL,
  label text COLLATE "C" NOT NULL,
  last_position bigint NOT NULL,
  CONSTRAINT thread_labels_pkey PRIMARY KEY (party_id, thread_id, label)
);

CREATE TABLE thread_notices (
  party_id bigint NOT NULL,
  thread_id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  notified_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT thread_notices_pkey PRIMARY KEY (party_id, thread_id, email)
);

CREATE TABLE thread_reads (
  party_id bigint NOT NULL,
  reader_kind worker_kind NOT NULL,
  reader_id uuid NOT NULL,
  thread_id uuid NOT NULL,
  position bigint NOT NULL,
  CONSTRAINT thread_reads_pkey PRIMARY KEY (party_id, reader_kind, reader_id, thread_id)
);

CREATE TABLE thread_views (
  party_id bigint NOT NULL,
  id uuid NOT NULL,
  owner_kind worker_kind NOT NULL,
  owner_id uuid NOT NULL,
  is_shared boolean NOT NULL,
  name text NOT NULL,
  filter json NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT thread_views_pkey PRIMARY KEY (party_id, id)
);

CREATE TABLE threads (
  party_id bigint NOT NULL,
  thread_id uuid NOT NULL,
  last_position bigint NOT NULL,
  last_in_position bigint NOT NULL,
  last_message_id uuid NOT NULL,
  last_sender_id bigint NOT NULL,
  counterparty_id bigint NOT NULL,
  message_count integer NOT NULL,
  in_count integer NOT NULL,
  out_count integer NOT NULL,
  has_files boolean NOT NULL,
  failed_schema boolean NOT NULL,
  subject text,
  type text,
  segment text,
  from_email text,
  labels text[] NOT NULL DEFAULT '{}'::text[],
  is_done boolean NOT NULL DEFAULT false,
  done_through bigint NOT NULL DEFAULT 0,
  assignee_kind worker_kind,
  assignee_id uuid,
  class smallint NOT NULL,
  is_filtered boolean NOT NULL DEFAULT false,
  document_state document_state,
  document_type text,
  document_number text COLLATE "C",
  document_total numeric,
  document_currency text,
  document_due date,
  document_rank smallint,
  document_through uuid,
  CONSTRAINT threads_check CHECK (((assignee_kind IS NULL) = (assignee_id IS NULL))),
  CONSTRAINT threads_pkey PRIMARY KEY (party_id, thread_id)
) WITH (fillfactor=80);

CREATE TABLE type_schemas (
  party_id bigint NOT NULL,
  type text NOT NULL,
  schema text NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  is_published boolean NOT NULL DEFAULT false,
  CONSTRAINT type_schemas_pkey PRIMARY KEY (party_id, type)
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
  object_id uuid,
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

CREATE TABLE view_digests (
  party_id bigint NOT NULL,
  view_id uuid NOT NULL,
  person_id uuid NOT NULL,
  frequency digest_frequency NOT NULL,
  told_through bigint NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT view_digests_pkey PRIMARY KEY (party_id, view_id, person_id)
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
  thread_id uuid,
  position bigint,
  subject_id uuid,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (party_id, webhook_id, id)
);

CREATE TABLE webhook_exchanges (
  party_id bigint NOT NULL,
  webhook_id uuid NOT NULL,
  attempt_id uuid NOT NULL,
  url text NOT NULL,
  request_headers text NOT NULL,
  body_sha256 bytea NOT NULL,
  response_headers text,
  response_body text,
  is_truncated boolean NOT NULL,
  CONSTRAINT webhook_exchanges_pkey PRIMARY KEY (party_id, webhook_id, attempt_id)
);

CREATE UNLOGGED TABLE webhook_leases (
  party_id bigint NOT NULL,
  webhook_id uuid NOT NULL,
  worker_id uuid NOT NULL,
  attempt_ids uuid[] STORAGE e NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT webhook_leases_pkey PRIMARY KEY (party_id, webhook_id, worker_id)
);

CREATE TABLE webhook_rates (
  party_id bigint NOT NULL,
  webhook_id uuid NOT NULL,
  tokens double precision NOT NULL,
  counted_at timestamp with time zone NOT NULL,
  CONSTRAINT webhook_rates_pkey PRIMARY KEY (party_id, webhook_id)
) WITH (fillfactor=50);

CREATE TABLE webhook_recoveries (
  party_id bigint NOT NULL,
  webhook_id uuid NOT NULL,
  id uuid NOT NULL,
  selection text NOT NULL,
  state text NOT NULL DEFAULT 'running'::text,
  first bigint NOT NULL,
  last bigint NOT NULL,
  position bigint NOT NULL,
  total integer,
  done integer NOT NULL DEFAULT 0,
  queued integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  retrying integer NOT NULL DEFAULT 0,
  CONSTRAINT webhook_recoveries_end CHECK (((ended_at IS NULL) = (state = ANY (ARRAY['running'::text, 'paused'::text])))),
  CONSTRAINT webhook_recoveries_pkey PRIMARY KEY (party_id, webhook_id, id)
);

CREATE TABLE webhook_recovery_usage (
  party_id bigint NOT NULL,
  webhook_id uuid NOT NULL,
  day date NOT NULL,
  recoveries integer NOT NULL,
  queued integer NOT NULL DEFAULT 0,
  CONSTRAINT webhook_recovery_usage_pkey PRIMARY KEY (party_id, webhook_id, day)
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
  description text,
  types text[],
  headers text,
  max_per_second integer,
  url_version integer NOT NULL DEFAULT 0,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  last_paused_at timestamp with time zone,
  last_resumed_at timestamp with time zone,
  failing_since timestamp with time zone,
  failing_told_at timestamp with time zone,
  ordered boolean NOT NULL DEFAULT false,
  public_key text,
  events text[] NOT NULL DEFAULT '{message.received}'::text[],
  client_certificate boolean NOT NULL DEFAULT false,
  CONSTRAINT webhooks_pause CHECK (((active = (pause_reason IS NULL)) AND (active = (paused_at IS NULL)))),
  CONSTRAINT webhooks_previous_secret CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
  CONSTRAINT webhooks_pkey PRIMARY KEY (party_id, id)
);

CREATE INDEX agents_by_id ON agents USING btree (id);
CREATE INDEX api_keys_by_id ON api_keys USING btree (id);
CREATE INDEX api_keys_by_secret ON api_keys USING btree (secret_hash);
CREATE INDEX api_keys_of_agent ON api_keys USING btree (party_id, agent_id, id);
CREATE INDEX consumer_messages_by_thread ON consumer_messages USING btree (party_id, consumer_id, thread_id, "position") WHERE (thread_id IS NOT NULL);
CREATE INDEX consumer_messages_leased ON consumer_messages USING btree (party_id, consumer_id, due_at) WHERE (state = 'leased'::consumer_message_state);
CREATE INDEX consumer_messages_parked ON consumer_messages USING btree (party_id, consumer_id, message_id) WHERE (state = 'parked'::consumer_message_state);
CREATE INDEX consumer_messages_waiting ON consumer_messages USING btree (party_id, consumer_id, due_at) WHERE (state = 'waiting'::consumer_message_state);
CREATE INDEX contact_activity_by_time ON contact_activity USING btree (party_id, last_position, other_id);
CREATE INDEX contact_names_by_gram ON contact_names USING gin (grams) WITH (fastupdate='on', gin_pending_list_limit='512') WHERE (grams IS NOT NULL);
CREATE INDEX contact_names_by_name ON contact_names USING btree (party_id, name, other_id);
CREATE INDEX contact_names_without_grams ON contact_names USING btree (party_id, other_id) WHERE (grams IS NULL);
CREATE INDEX contact_types_by_type ON contact_types USING btree (party_id, type, other_id);
CREATE INDEX contacts_by_other ON contacts USING btree (other_id);
CREATE INDEX device_logins_by_expiry ON device_logins USING btree (expires_at);
CREATE INDEX device_logins_of_network ON device_logins USING btree (network);
CREATE INDEX device_logins_of_party ON device_logins USING btree (party_id) WHERE (party_id IS NOT NULL);
CREATE INDEX device_logins_of_site ON device_logins USING btree (site) WHERE (site IS NOT NULL);
CREATE INDEX document_facts_by_number ON document_facts USING btree (party_id, lower(number), message_id) WHERE (is_filtered AND (number IS NOT NULL));
CREATE INDEX domain_key_statements_by_time ON domain_key_statements USING btree (party_id, domain, at);
CREATE INDEX expiries_due ON expiries USING btree (due_at);
CREATE INDEX files_by_message ON files USING btree (party_id, message_id, ordinal);
CREATE INDEX files_by_object ON files USING btree (object_id);
CREATE INDEX follower_failures_by_time ON follower_failures USING btree (next_at);
CREATE INDEX idempotency_keys_by_end ON idempotency_keys USING btree (expires_at);
CREATE INDEX idempotency_keys_by_mail ON idempotency_keys USING btree (party_id, mail_digest) WHERE (mail_digest IS NOT NULL);
CREATE INDEX invitations_by_token ON invitations USING btree (token_hash);
CREATE INDEX joined_threads_of_business ON joined_threads USING btree (business_id, thread_id);
CREATE INDEX kept_mails_by_time ON kept_mails USING btree (kept_at);
CREATE INDEX known_sign_ins_by_age ON known_sign_ins USING btree (seen_at);
CREATE INDEX ledger_entries_by_domain ON ledger_entries USING btree (party_id, box, from_domain, "position") WHERE (is_filtered AND (from_domain IS NOT NULL));
CREATE INDEX ledger_entries_by_email ON ledger_entries USING btree (party_id, box, from_email, "position") WHERE (is_filtered AND (from_email IS NOT NULL));
CREATE INDEX ledger_entries_by_message ON ledger_entries USING btree (party_id, message_id);
CREATE INDEX ledger_entries_by_segment ON ledger_entries USING btree (party_id, segment, "position") WHERE (is_filtered AND (box = 'in'::ledger_box) AND (segment IS NOT NULL));
CREATE INDEX ledger_entries_by_sender ON ledger_entries USING btree (party_id, counterparty_id, "position") WHERE (is_filtered AND (box = 'in'::ledger_box));
CREATE INDEX ledger_entries_by_thread ON ledger_entries USING btree (party_id, thread_id, box, "position");
CREATE INDEX ledger_entries_by_type ON ledger_entries USING btree (party_id, box, type, "position") WHERE (is_filtered AND (type IS NOT NULL));
CREATE INDEX ledger_entries_by_validation ON ledger_entries USING btree (party_id, box, validation, "position") WHERE is_filtered;
CREATE UNIQUE INDEX log_batches_placed ON log_batches USING btree (log, first_index) WHERE (first_index IS NOT NULL);
CREATE INDEX log_batches_waiting ON log_batches USING btree (id) WHERE (first_index IS NULL);
CREATE INDEX log_checkpoints_by_end ON log_checkpoints USING btree (log, timestamp_ends_at) WHERE (timestamp_ends_at IS NOT NULL);
CREATE INDEX log_checkpoints_by_timestamp_batch ON log_checkpoints USING btree (timestamp_batch) WHERE (timestamp_batch IS NOT NULL);
CREATE INDEX log_checkpoints_timestamped ON log_checkpoints USING btree (log, size) WHERE (timestamp_token IS NOT NULL);
CREATE INDEX log_checkpoints_unstated ON log_checkpoints USING btree (timestamped_at) WHERE ((timestamp_token IS NOT NULL) AND (timestamp_statement IS NULL));
CREATE INDEX log_checkpoints_witnessed ON log_checkpoints USING btree (log, size) WHERE is_witnessed;
CREATE INDEX members_of_person ON members USING btree (person_id, party_id);
CREATE INDEX messages_by_receipt ON messages USING btree (receipt_token);
CREATE INDEX objects_by_id ON objects USING btree (id);
CREATE INDEX parties_by_name_key ON parties USING btree (name_key) WHERE (handle IS NOT NULL);
CREATE INDEX parties_claimed_by ON parties USING btree (claimed_by, claimed_at) WHERE (claimed_by IS NOT NULL);
CREATE INDEX parties_without_name_key ON parties USING btree (id) WHERE ((handle IS NOT NULL) AND (name_key IS NULL));
CREATE INDEX passkeys_of_person ON passkeys USING btree (person_id, id);
CREATE INDEX person_usage_by_day ON person_usage USING btree (day);
CREATE INDEX relays_by_age ON relays USING btree (created_at);
CREATE INDEX search_documents_by_word ON search_documents USING gin (array_to_tsvector(string_to_array(ltrim(replace(rtrim(words), ' '::text, ((' '::text || (party_id)::text) || ':'::text))), ' '::text))) WITH (fastupdate='on', gin_pending_list_limit='512');
CREATE INDEX search_queue_by_party ON search_queue USING btree (is_rebuild, party_id, id);
CREATE INDEX sessions_by_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_of_person ON sessions USING btree (person_id, id);
CREATE INDEX sign_in_accounts_of_person ON sign_in_accounts USING btree (person_id);
CREATE INDEX sign_in_counts_by_age ON sign_in_counts USING btree (window_start);
CREATE INDEX signing_keys_of_agent ON signing_keys USING btree (party_id, agent_id, id);
CREATE INDEX thread_index_to_rebuild ON thread_index USING btree (party_id) WHERE (rebuilt_through IS NOT NULL);
CREATE INDEX thread_labels_by_label ON thread_labels USING btree (party_id, label, last_position, thread_id);
CREATE INDEX threads_by_assignee ON threads USING btree (party_id, assignee_id, last_position, thread_id) WHERE (assignee_id IS NOT NULL);
CREATE INDEX threads_by_class ON threads USING btree (party_id, class, last_position, thread_id);
CREATE INDEX threads_by_counterparty ON threads USING btree (party_id, counterparty_id, last_position, thread_id) WHERE is_filtered;
CREATE INDEX threads_by_due ON threads USING btree (party_id, document_state, document_due, thread_id) WHERE (is_filtered AND (document_due IS NOT NULL));
CREATE INDEX threads_by_number ON threads USING btree (party_id, document_state, document_number, thread_id) WHERE (is_filtered AND (document_number IS NOT NULL));
CREATE INDEX threads_by_segment ON threads USING btree (party_id, segment, last_position, thread_id) WHERE (is_filtered AND (segment IS NOT NULL));
CREATE INDEX threads_by_state ON threads USING btree (party_id, document_state, last_position, thread_id) WHERE (is_filtered AND (document_state IS NOT NULL));
CREATE INDEX threads_by_total ON threads USING btree (party_id, document_state, document_total, thread_id) WHERE (is_filtered AND (document_total IS NOT NULL));
CREATE INDEX threads_by_type ON threads USING btree (party_id, type, last_position, thread_id) WHERE (is_filtered AND (type IS NOT NULL));
CREATE INDEX uploads_by_age ON uploads USING btree (expires_at);
CREATE INDEX verifications_by_expiry ON verifications USING btree (expires_at);
CREATE INDEX verifications_by_identifier ON verifications USING btree (identifier, created_at);
CREATE INDEX verified_domains_of_party ON verified_domains USING btree (party_id);
CREATE INDEX view_digests_by_time ON view_digests USING btree (due_at);
CREATE INDEX webhook_attempts_by_time ON webhook_attempts USING btree (due_at) WHERE (status = 'pending'::attempt_status);
CREATE INDEX webhook_attempts_failed ON webhook_attempts USING btree (party_id, webhook_id, status, id) WHERE (status = ANY (ARRAY['retrying'::attempt_status, 'dropped'::attempt_status, 'failed'::attempt_status]));
CREATE INDEX webhook_attempts_of_message ON webhook_attempts USING btree (party_id, webhook_id, message_id, id) WHERE ((attempt > 1) OR (event = 'message.replay'::text) OR (status = ANY (ARRAY['dropped'::attempt_status, 'failed'::attempt_status])));
CREATE INDEX webhook_attempts_of_thread ON webhook_attempts USING btree (party_id, webhook_id, thread_id, "position", id) WHERE ((status = 'pending'::attempt_status) AND (thread_id IS NOT NULL));
CREATE INDEX webhook_attempts_of_webhook ON webhook_attempts USING btree (party_id, webhook_id, due_at) WHERE (status = 'pending'::attempt_status);
CREATE UNIQUE INDEX webhook_recoveries_unfinished ON webhook_recoveries USING btree (party_id, webhook_id) WHERE (state = ANY (ARRAY['running'::text, 'paused'::text]));
CREATE INDEX webhooks_failing ON webhooks USING btree (party_id, id) WHERE (failing_since IS NOT NULL);
CREATE INDEX webhooks_of_sends ON webhooks USING btree (party_id) WHERE (('message.sent'::text = ANY (events)) OR ('schema.failed'::text = ANY (events)));

CREATE FUNCTION acknowledge_messages(party bigint, consumer text, worker text, ids uuid[], through bigint, kept_max integer)
 RETURNS TABLE(done uuid[], has_news boolean)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  its     record;
  threads uuid[];
  taken   uuid[];
BEGIN
  SELECT c.id, c.kept INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF ids IS NULL THEN
    WITH gone AS (
      DELETE FROM consumer_messages
       WHERE party_id = party AND consumer_id = its.id AND state = 'leased' AND holder = worker AND position <= through
      RETURNING message_id, thread_id, state
    )
    SELECT coalesce(array_agg(g.message_id), '{}'), array_agg(g.thread_id), array_agg(g.message_id) FILTER (WHERE g.state = 'leased')
      INTO done, threads, taken FROM gone g;
  ELSE
    WITH gone AS (
      DELETE FROM consumer_messages
       WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (ids) AND (state = 'parked' OR (state = 'leased' AND holder = worker))
      RETURNING message_id, thread_id, state
    )
    SELECT coalesce(array_agg(g.message_id), '{}'), array_agg(g.thread_id), array_agg(g.message_id) FILTER (WHERE g.state = 'leased')
      INTO done, threads, taken FROM gone g;
  END IF;
  IF cardinality(done) > 0 THEN
    UPDATE consumers SET kept = kept - cardinality(done) WHERE party_id = party AND name = consumer;
  END IF;
  -- Only leased messages count as handed over: nobody has dealt with a parked one.
  IF taken IS NOT NULL THEN
    PERFORM note_hand_overs(array_fill(party, ARRAY[cardinality(taken)]), taken, 'consumer', clock_timestamp());
  END IF;
  has_news := free_threads(party, its.id, threads, clock_timestamp()) OR its.kept >= kept_max;
  RETURN NEXT;
END
$function$;

CREATE FUNCTION add_contact_names(owners bigint[], others bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
DECLARE
  missing record;
BEGIN
  SELECT array_agg(k.owner) AS owners, array_agg(k.other) AS others, array_agg(contact_name(c.folded_label, p.folded_name)) AS names
    INTO missing
    FROM (SELECT DISTINCT u.owner, u.other FROM unnest(owners, others) AS u (owner, other)) k
    JOIN contacts c ON c.party_id = k.owner AND c.other_id = k.other
    JOIN parties p ON p.id = k.other
   WHERE NOT EXISTS (SELECT 1 FROM contact_names n WHERE n.party_id = k.owner AND n.other_id = k.other);
  INSERT INTO contact_names (party_id, other_id, name)
  SELECT m.owner, m.other, m.name FROM unnest(missing.owners, missing.others, missing.names) AS m (owner, other, name) ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
END
$function$;

CREATE FUNCTION announce_upload(party bigint, upload uuid, name text, type text, bytes bigint, bytes_a_part integer, ref text, usable_s integer, business_limit bigint, owner_limit bigint)
 RETURNS TABLE(refused_by text, clock timestamp with time zone)
 LANGUAGE plpgsql
AS $function$
DECLARE
  today      date := (now() AT TIME ZONE 'UTC')::date;
  most       bigint := CASE business_limit WHEN 0 THEN 9223372036854775807 ELSE business_limit END;
  is_charged boolean := false;
BEGIN
  clock := now();
  IF bytes <= most THEN
    INSERT INTO daily_usage AS u (party_id, day, upload_bytes) VALUES (party, today, bytes)
    ON CONFLICT (party_id, day) DO UPDATE SET upload_bytes = u.upload_bytes + excluded.upload_bytes
     WHERE u.upload_bytes + excluded.upload_bytes <= most;
    is_charged := FOUND;
  END IF;
  IF NOT is_charged THEN
    refused_by := 'business';
  ELSIF NOT charge_owner(party, bytes, owner_limit) THEN
    UPDATE daily_usage u SET upload_bytes = u.upload_bytes - bytes WHERE u.party_id = party AND u.day = today;
    refused_by := 'owner';
  ELSE
    INSERT INTO uploads (party_id, id, filename, content_type, size_bytes, part_bytes, parts_ref, expires_at)
    VALUES (party, upload, name, type, bytes, bytes_a_part, ref, now() + make_interval(secs => usable_s));
  END IF;
  RETURN NEXT;
END $function$;

CREATE FUNCTION attach_files(messages committed_message[], files prepared_file[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  -- Most batches have none.
  IF cardinality(files) = 0 THEN
    RETURN;
  END IF;
  INSERT INTO objects (party_id, id, size_bytes, sha256)
  SELECT DISTINCT ON (f.object_id) m.sender_id, f.object_id, f.size_bytes, f.sha256 FROM unnest(messages) AS m JOIN unnest(files) f ON f.message_id = m.id
  ON CONFLICT (party_id, id) DO NOTHING;

  INSERT INTO files (party_id, id, message_id, ordinal, owner_id, object_id, filename, content_type)
  SELECT party.id, f.id, f.message_id, f.ordinal, m.sender_id, f.object_id, f.filename, f.content_type
    FROM unnest(messages) AS m JOIN unnest(files) f ON f.message_id = m.id,
         LATERAL (SELECT m.sender_id WHERE m.half IS DISTINCT FROM 'in' UNION SELECT m.recipient_id WHERE m.half IS DISTINCT FROM 'out') AS party (id);

  PERFORM queue_job('hash-object', json_build_object('id', f.object_id), 'hash-object ' || f.object_id)
     FROM unnest(messages) AS m JOIN unnest(files) f ON f.message_id = m.id WHERE f.sha256 IS NULL AND m.half IS DISTINCT FROM 'in';
END
$function$;

CREATE FUNCTION await_rounds()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('rounds ' || shard_name(), 0));
END
$function$;

CREATE FUNCTION begin_filters(party bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE ledgers l SET filters_left = 9223372036854775807 WHERE l.party_id = party AND l.filters_left IS NULL;
  PERFORM queue_job('filter-entries', json_build_object('party_id', party::text), 'filter-entries ' || party);
END
$function$;

CREATE FUNCTION begin_search(party bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  newest CONSTANT integer := 20;
  began  timestamptz;
BEGIN
  -- Every transaction that adds entries or comments locks the row, so that each of them is either queued there or found by what is queued here.
  UPDATE thread_index i SET searched_at = now() WHERE i.party_id = party AND i.searched_at IS NULL;
  IF FOUND THEN
    INSERT INTO search_queue (is_rebuild, id, party_id, thread_id, after)
    VALUES (true, new_uuid(clock_timestamp()), party, 'ffffffff-ffff-ffff-ffff-ffffffffffff', -1);
  END IF;
  IF EXISTS (SELECT 1 FROM search_queue q WHERE q.is_rebuild AND q.party_id = party) THEN
    RETURN false;
  END IF;
  SELECT i.searched_at INTO began FROM thread_index i WHERE i.party_id = party;
  IF began < now() - interval '5 seconds' THEN
    RETURN true;
  END IF;
  -- The thread index may not have read the messages that came just before the first search, and so have queued nothing for them.
  RETURN NOT EXISTS (
    SELECT 1 FROM ((SELECT l.position, l.message_id FROM ledger_entries l
                     WHERE l.party_id = party AND l.box = 'out' ORDER BY l.position DESC LIMIT newest)
                   UNION ALL
                   (SELECT l.position, l.message_id FROM ledger_entries l
                     WHERE l.party_id = party AND l.box = 'in' AND l.counterparty_id <> party ORDER BY l.position DESC LIMIT newest)) e
     WHERE NOT EXISTS (SELECT 1 FROM search_documents d WHERE d.party_id = party AND d.position = e.position AND d.id = e.message_id));
END
$function$;

CREATE FUNCTION begin_thread_filters(party bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE thread_index i SET filtered_through = '00000000-0000-0000-0000-000000000000' WHERE i.party_id = party AND i.filtered_through IS NULL;
  PERFORM queue_job('filter-threads', json_build_object('party_id', party::text), 'filter-threads ' || party);
END
$function$;

CREATE FUNCTION charge_owner(party bigint, bytes bigint, day_limit bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  today     date := (now() AT TIME ZONE 'UTC')::date;
  has_owner boolean := false;
  owner     uuid;
BEGIN
  IF day_limit = 0 THEN
    RETURN true;
  END IF;
  FOR owner IN SELECT m.person_id FROM members m WHERE m.party_id = party AND m.role = 'owner' ORDER BY m.person_id LOOP
    has_owner := true;
    CONTINUE WHEN bytes > day_limit;
    INSERT INTO person_usage AS u (person_id, day, upload_bytes) VALUES (owner, today, bytes)
    ON CONFLICT (person_id, day) DO UPDATE SET upload_bytes = u.upload_bytes + excluded.upload_bytes
     WHERE u.upload_bytes + excluded.upload_bytes <= day_limit;
    IF FOUND THEN
      RETURN true;
    END IF;
  END LOOP;
  -- A business of the operator has no owner, and its own limit only.
  RETURN NOT has_owner;
END $function$;

CREATE FUNCTION clear_failing_webhooks(made made_attempt[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  hook record;
BEGIN
  FOR hook IN
    SELECT w.party_id, w.id FROM (SELECT DISTINCT m.party_id, m.webhook_id, m.url_version FROM unnest(made) AS m) k
      JOIN webhooks w ON w.party_id = k.party_id AND w.id = k.webhook_id AND w.url_version = k.url_version AND w.failing_since IS NOT NULL
     ORDER BY w.party_id, w.id
  LOOP
    UPDATE webhooks w SET failing_since = NULL, failing_told_at = NULL WHERE w.party_id = hook.party_id AND w.id = hook.id;
  END LOOP;
END
$function$;

CREATE FUNCTION commit_messages(messages prepared_message[], ledgers touched_ledger[], has_keys boolean, has_relays boolean, month_limit bigint, new_account_day_limit bigint, new_account_days integer, day_bytes_limit bigint, key_window interval, mail_window interval, OUT received_ms bigint, OUT outcomes text[], OUT message_ids uuid[], OUT hashes bytea, OUT bases bigint[], OUT committed committed_message[])
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  clock    timestamptz := clock_timestamp();
  accepted prepared_message[] := messages;
  senders  touched_ledger[] := ledgers;
  placed   record;
  judged   record;
BEGIN
  SELECT * INTO placed FROM lock_ledgers(ledgers, clock);
  received_ms := placed.delivery_ms;
  bases := placed.bases;

  IF may_be_refused(messages, ledgers, has_keys, clock, month_limit, new_account_day_limit, new_account_days, day_bytes_limit) THEN
    SELECT * INTO judged
      FROM judge_messages(messages, cardinality(ledgers), clock, month_limit, new_account_day_limit, new_account_days, day_bytes_limit);
    outcomes := judged.outcomes;
    message_ids := judged.message_ids;
    SELECT array_agg(b.m) INTO accepted FROM (SELECT unnest(messages) AS m, unnest(outcomes) AS outcome) b WHERE b.outcome = 'accepted';
    IF accepted IS NULL THEN
      RETURN;
    END IF;
    senders := ARRAY(SELECT ROW (l.party_id, l.entries, count(m.id), coalesce(sum(m.inline_bytes), 0))::touched_ledger
                       FROM unnest(ledgers) WITH ORDINALITY AS l LEFT JOIN unnest(accepted) AS m ON m.sender_ledger = l.ordinality
                      GROUP BY l.ordinality, l.party_id, l.entries ORDER BY l.ordinality);
    PERFORM count_for_organisations(senders, judged.organisations, clock);
  END IF;

  SELECT w.hashes, w.committed INTO hashes, committed
    FROM write_messages(accepted, senders, placed.bases, placed.filtered, to_timestamp(received_ms / 1000.0), clock, new_uuid(clock)) w;

  -- The statements below run only if they have something to write: even one that writes nothing takes time.
  IF has_keys THEN
    INSERT INTO idempotency_keys AS k (party_id, key, message_id, expires_at, request_digest, mail_digest)
    SELECT m.sender_id, m.idempotency_key, m.id, clock + CASE WHEN m.mail_digest IS NULL THEN key_window ELSE mail_window END, m.request_digest, m.mail_digest
      FROM unnest(accepted) AS m WHERE m.idempotency_key IS NOT NULL
    ON CONFLICT (party_id, key) DO UPDATE
      SET message_id = excluded.message_id, expires_at = excluded.expires_at, request_digest = excluded.request_digest, mail_digest = excluded.mail_digest;
  END IF;
  IF has_relays THEN
    INSERT INTO relays (sender_id, message_id, recipient_id, created_at)
    SELECT m.sender_id, m.id, m.recipient_id, clock FROM unnest(accepted) AS m WHERE m.recipient_ledger = 0;
  END IF;
END
$function$;

CREATE FUNCTION contact_grams(seed bigint, words text, shortest integer)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(DISTINCT ((hashtextextended((substr(contact_grams.words, s.start, l.length) COLLATE "C"), contact_grams.seed) & (2147483647)::bigint))::integer) AS array_agg FROM generate_series(contact_grams.shortest, 3) l(length), LATERAL generate_series(1, ((length(contact_grams.words) - l.length) + 1)) s(start));

CREATE FUNCTION contact_name(folded_label text, folded_name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "left"(regexp_replace(NORMALIZE(COALESCE(NULLIF(folded_label, ''::text), folded_name), NFKD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text), 64);

CREATE FUNCTION continue_recovery(party bigint, webhook uuid, recovery uuid, entries_max integer, waiting_max integer, webhook_per_day integer, business_per_day integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  clock  CONSTANT timestamptz := clock_timestamp();
  hour   CONSTANT bigint := 3600000 * 4096::bigint;
  task   record;
  hook   record;
  room   integer;
  start  bigint;
  walked record;
  chosen uuid[];
BEGIN
  SELECT r.selection, r.position, r.last INTO task FROM webhook_recoveries r
   WHERE r.party_id = party AND r.webhook_id = webhook AND r.id = recovery AND r.state = 'running' FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT w.target, w.types, w.ordered INTO hook FROM webhooks w WHERE w.party_id = party AND w.id = webhook AND w.active;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;

  SELECT least(entries_max, waiting_max - count(*)) INTO room
    FROM (SELECT 1 FROM webhook_attempts a WHERE a.party_id = party AND a.webhook_id = webhook AND a.status = 'pending' LIMIT waiting_max) AS waiting;
  -- A step waits until there is room for many attempts, because it costs about as much as a hundred of its entries.
  IF room < waiting_max / 4 THEN
    RETURN NULL;
  END IF;

  SELECT e.position INTO start FROM ledger_entries e
   WHERE e.party_id = party AND e.box = 'in' AND e.position > task.position AND e.position <= task.last ORDER BY e.position LIMIT 1;
  IF start IS NULL THEN
    UPDATE webhook_recoveries SET state = 'completed', total = done, position = task.last, ended_at = clock
     WHERE party_id = party AND webhook_id = webhook AND id = recovery;
    RETURN NULL;
  END IF;

  room := least(room, recoverable_today(party, webhook, (clock AT TIME ZONE 'UTC')::date, webhook_per_day, business_per_day));
  IF room <= 0 THEN
    RETURN NULL;
  END IF;

  -- A step walks the entries of one hour at most, which bounds what it reads of the log of attempts.
  SELECT count(*) AS entries, max(e.position) AS through,
         coalesce(array_agg(e.message_id) FILTER (WHERE (hook.target IS NULL OR e.segment = hook.target) AND (hook.types IS NULL OR e.type LIKE ANY (hook.types))),
                  '{}') AS matching
    INTO walked
    FROM (SELECT l.position, l.message_id, l.segment, l.type FROM ledger_entries l
           WHERE l.party_id = party AND l.box = 'in' AND l.position >= start AND l.position <= least(task.last, start + hour)
           ORDER BY l.position LIMIT room) e;

  chosen := messages_to_recover(party, webhook, task.selection, walked.matching, start / 4096, walked.through / 4096);
  PERFORM queue_recovered(party, webhook, chosen, hook.ordered, clock);
  UPDATE webhook_recoveries
     SET position = walked.through, done = done + walked.entries, queued = queued + cardinality(chosen),
         retrying = retrying + count_retrying(party, webhook, task.selection, walked.matching)
   WHERE party_id = party AND webhook_id = webhook AND id = recovery;
  RETURN cardinality(chosen);
END
$function$;

CREATE FUNCTION count_for_organisations(senders touched_ledger[], organisations text[], clock timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF num_nonnulls(VARIADIC organisations) > 0 THEN
    UPDATE daily_organisation_usage u SET messages = u.messages + s.messages
      FROM (SELECT organisations[l.ordinality] AS organisation, sum(l.sent) AS messages FROM unnest(senders) WITH ORDINALITY AS l GROUP BY 1) s
     WHERE u.organisation = s.organisation AND u.day = (clock AT TIME ZONE 'UTC')::date;
  END IF;
END
$function$;

CREATE FUNCTION count_retrying(party bigint, webhook uuid, selection text, messages uuid[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN (SELECT count(*)
            FROM unnest(messages) AS m (id)
           CROSS JOIN LATERAL (
             SELECT 1 FROM webhook_attempts a
              WHERE a.party_id = party AND a.webhook_id = webhook AND a.message_id >= m.id AND a.message_id <= m.id
                AND a.attempt > 1 AND (a.status = 'pending') IS TRUE
              ORDER BY a.party_id, a.webhook_id, a.message_id LIMIT 1) AS retry
           WHERE selection <> 'all');
END
$function$;

CREATE FUNCTION domain_with_parents(domain text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT array_agg(array_to_string(labels.labels[i.i:], '.'::text)) AS array_agg FROM string_to_array(domain_with_parents.domain, '.'::text) labels(labels), LATERAL generate_subscripts(labels.labels, 1) i(i));

CREATE FUNCTION enter_thread(business bigint, unclaimed bigint, thread uuid, moving uuid[], taken json)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  entry   ledger_entries;
  place   bigint;
  last    bigint := 0;
  through bigint;
  sent    messages;
  joined  indexed_entry[] := '{}';
BEGIN
  -- The followers read entries above this position later, like new ones. What is placed below it, contacts get here.
  PERFORM lock_position(business);
  SELECT greatest(i.indexed_through, i.counted_through) INTO through FROM thread_index i WHERE i.party_id = business;

  -- What it wrote to the business itself stands in both boxes from now on, as with anybody who writes to themselves.
  UPDATE ledger_entries SET counterparty_id = business, author_id = unclaimed
   WHERE party_id = business AND thread_id = thread AND box = 'in' AND counterparty_id = unclaimed AND message_id = ANY (moving);

  FOR entry IN SELECT * FROM json_populate_recordset(NULL::ledger_entries, taken -> 'entries') LOOP
    place := entry.position;
    WHILE EXISTS (SELECT 1 FROM ledger_entries e WHERE e.party_id = business AND e.box = entry.box AND e.position = place) LOOP
      place := place + 1;
    END LOOP;
    last := greatest(last, place);
    INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment, from_email, from_domain, author_id,
                                is_filtered)
    VALUES (business, entry.box, place, entry.message_id, entry.counterparty_id, thread, entry.validation, entry.type, entry.segment,
            entry.from_email, entry.from_domain, CASE WHEN entry.box = 'out' THEN unclaimed END, true);
    IF place <= through THEN
      SELECT * INTO sent FROM messages m
       WHERE m.sender_id = CASE entry.box WHEN 'in' THEN entry.counterparty_id ELSE unclaimed END AND m.id = entry.message_id LIMIT 1;
      joined := array_append(joined, ROW (business, entry.box, place, entry.message_id, sent.sender_id, entry.counterparty_id, thread,
        entry.validation, entry.type, entry.segment, entry.from_email, NULL, NULL, sent.received_at, CASE entry.box WHEN 'in' THEN sent.sender END, false, NULL)::indexed_entry);
    END IF;
  END LOOP;
  PERFORM follow_contacts(joined) WHERE joined <> '{}';

  -- The entries are not where new ones are: followers read the whole thread again.
  INSERT INTO committed_batches (id, party_ids, thread_id) VALUES (new_uuid(clock_timestamp()), ARRAY[business], thread);

  -- The other ledger may have been ahead of this one's clock; what comes next comes after all that is there.
  UPDATE ledgers SET head = greatest(head, last) WHERE party_id = business;

  INSERT INTO objects SELECT o.* FROM json_populate_recordset(NULL::objects, taken -> 'objects') AS o ON CONFLICT DO NOTHING;
  INSERT INTO files (party_id, id, message_id, ordinal, owner_id, object_id, filename, content_type)
  SELECT business, f.id, f.message_id, f.ordinal, f.owner_id, f.object_id, f.filename, f.content_type
    FROM json_populate_recordset(NULL::files, taken -> 'files') AS f
  ON CONFLICT DO NOTHING;
END
$function$;

CREATE FUNCTION entries_by_thread(entries indexed_entry[])
 RETURNS TABLE(party_id bigint, thread_id uuid, "position" bigint, last_in_position bigint, message_id uuid, sender_id bigint, counterparty_id bigint, message_count integer, in_count integer, out_count integer, has_files boolean, failed_schema boolean, subject text, type text, segment text, from_email text, ids uuid[], types text[], documents text[])
 LANGUAGE sql
 STABLE
AS $function$
  WITH new AS MATERIALIZED (
    SELECT e.*, count(*) OVER (PARTITION BY e.party_id, e.thread_id) AS entries FROM unnest($1) AS e
  )
  SELECT e.party_id, e.thread_id, e.position, CASE e.box WHEN 'in' THEN e.position ELSE 0 END AS last_in_position, e.message_id, e.sender_id, e.counterparty_id,
         -- A message to oneself is in both boxes, but once in its thread.
         (e.box = 'out' OR e.counterparty_id <> e.party_id)::integer AS message_count, (e.box = 'in')::integer AS in_count, (e.box = 'out')::integer AS out_count,
         e.has_files, e.validation = 'failed' AS failed_schema, e.subject, e.type,
         CASE e.box WHEN 'in' THEN e.segment END AS segment, CASE e.box WHEN 'in' THEN e.from_email END AS from_email,
         CASE WHEN e.document IS NOT NULL THEN ARRAY[e.message_id] END AS ids, ARRAY[e.type] AS types, ARRAY[e.document] AS documents
    FROM new e WHERE e.entries = 1
  UNION ALL
  SELECT e.party_id, e.thread_id, max(e.position), coalesce(max(e.position) FILTER (WHERE e.box = 'in'), 0),
         (array_agg(e.message_id ORDER BY e.position DESC))[1], (array_agg(e.sender_id ORDER BY e.position DESC))[1],
         (array_agg(e.counterparty_id ORDER BY e.position DESC))[1],
         count(*) FILTER (WHERE e.box = 'out' OR e.counterparty_id <> e.party_id)::integer,
         count(*) FILTER (WHERE e.box = 'in')::integer, count(*) FILTER (WHERE e.box = 'out')::integer,
         bool_or(e.has_files), bool_or(e.validation = 'failed'),
         (array_agg(e.subject ORDER BY e.position) FILTER (WHERE e.subject IS NOT NULL))[1],
         (array_agg(e.type ORDER BY e.position DESC) FILTER (WHERE e.type IS NOT NULL))[1],
         (array_agg(e.segment ORDER BY e.position DESC) FILTER (WHERE e.box = 'in' AND e.segment IS NOT NULL))[1],
         (array_agg(e.from_email ORDER BY e.position DESC) FILTER (WHERE e.box = 'in' AND e.from_email IS NOT NULL))[1],
         array_agg(e.message_id ORDER BY e.message_id) FILTER (WHERE e.document IS NOT NULL),
         array_agg(e.type ORDER BY e.message_id) FILTER (WHERE e.document IS NOT NULL),
         array_agg(e.document ORDER BY e.message_id) FILTER (WHERE e.document IS NOT NULL)
    FROM new e WHERE e.entries > 1 GROUP BY e.party_id, e.thread_id
$function$;

CREATE FUNCTION expect_takers(messages committed_message[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  INSERT INTO expiries (sender_id, message_id, due_at)
  SELECT s.sender_id, s.id, s.expires_at::timestamptz
    FROM unnest(messages) AS m JOIN messages s ON s.sender_id = m.sender_id AND s.id = m.id
   WHERE s.expires_at IS NOT NULL AND m.half IS DISTINCT FROM 'in';
END
$function$;

CREATE FUNCTION extend_leases(party bigint, consumer text, worker text, ids uuid[], lease interval)
 RETURNS TABLE(done uuid[], lease_until timestamp with time zone)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  its record;
BEGIN
  SELECT c.id INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  lease_until := clock_timestamp() + lease;
  WITH held AS (
    UPDATE consumer_messages SET due_at = lease_until
     WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (ids) AND (state = 'leased') IS TRUE AND holder = worker
    RETURNING message_id
  )
  SELECT coalesce(array_agg(h.message_id), '{}') INTO done FROM held h;
  RETURN NEXT;
END
$function$;

CREATE FUNCTION filter_entries(party bigint, most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  through CONSTANT bigint := (SELECT l.filters_left FROM ledgers l WHERE l.party_id = party);
  part    record;
BEGIN
  SELECT min(e.position) AS lowest, count(*) = most AS is_full INTO part
    FROM ((SELECT l.position FROM ledger_entries l WHERE l.party_id = party AND l.box = 'in' AND l.position <= through ORDER BY l.position DESC LIMIT most)
          UNION ALL
          (SELECT l.position FROM ledger_entries l WHERE l.party_id = party AND l.box = 'out' AND l.position <= through ORDER BY l.position DESC LIMIT most)
          ORDER BY position DESC LIMIT most) e;
  UPDATE ledger_entries l SET is_filtered = true
   WHERE l.party_id = party AND l.box IN ('in', 'out') AND l.position >= part.lowest AND l.position <= through AND NOT l.is_filtered;
  -- Last, because sends of the business wait for the lock.
  UPDATE ledgers l SET filters_left = least(l.filters_left, CASE WHEN part.is_full THEN part.lowest - 1 ELSE 0 END)
   WHERE l.party_id = party AND l.filters_left IS NOT NULL;
  RETURN part.is_full;
END
$function$;

CREATE FUNCTION filter_threads(party bigint, most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  above uuid;
  part  uuid[];
BEGIN
  -- Before the threads, as all others lock them.
  SELECT i.filtered_through INTO above FROM thread_index i WHERE i.party_id = party FOR UPDATE;
  part := ARRAY(SELECT t.thread_id FROM threads t WHERE t.party_id = party AND t.thread_id > above ORDER BY t.thread_id LIMIT most);
  UPDATE threads t SET is_filtered = true WHERE t.party_id = party AND t.thread_id = ANY (part) AND NOT t.is_filtered;
  UPDATE document_facts f SET is_filtered = true WHERE f.party_id = party AND f.thread_id = ANY (part) AND NOT f.is_filtered;
  UPDATE thread_index i SET filtered_through = greatest(i.filtered_through, coalesce(part[most], 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
   WHERE i.party_id = party AND i.filtered_through IS NOT NULL;
  RETURN cardinality(part) = most;
END
$function$;

CREATE FUNCTION find_contacts(party bigint, q text)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  few         CONSTANT integer := 500;
  most        CONSTANT integer := 1000;
  -- A text that so many of the sample have is in about 3,000 contacts.
  sampled     CONSTANT integer := 50;
  -- The rarest of these grams decides how many entries are read.
  part        CONSTANT text := left(q, 32);
  shortest    CONSTANT integer := least(3, length(part));
  grams_of_q  CONSTANT integer[] := contact_grams(party, part, shortest);
  sample_of_q CONSTANT integer[] := contact_grams(~party, part, shortest);
  candidates  bigint[];
BEGIN
  -- "+ 0" keeps other indexes out.
  IF NOT EXISTS (SELECT 1 FROM contact_names n WHERE n.party_id = party OFFSET few)
     OR EXISTS (SELECT 1 FROM contact_names n WHERE n.grams @> sample_of_q AND n.party_id + 0 = party OFFSET sampled) THEN
    RETURN NULL;
  END IF;
  candidates := ARRAY(SELECT n.other_id FROM contact_names n WHERE n.party_id = party AND n.grams IS NULL LIMIT most + 1);
  IF cardinality(candidates) > most THEN
    PERFORM queue_job('index-contacts', json_build_object('party_id', party::text), 'index-contacts ' || party);
    RETURN NULL;
  END IF;
  candidates := candidates || ARRAY(SELECT n.other_id FROM contact_names n WHERE n.grams @> grams_of_q AND n.party_id + 0 = party LIMIT most + 1);
  IF cardinality(candidates) > most THEN
    RETURN NULL;
  END IF;
  -- OFFSET 0: a lookup for each candidate, however few contacts there were when the plan was made.
  RETURN ARRAY(
    SELECT a.other_id FROM (SELECT DISTINCT unnest(candidates)) AS a (other_id),
           LATERAL (SELECT n.folded_label AS label FROM contacts n WHERE n.party_id = party AND n.other_id = a.other_id OFFSET 0) c,
           LATERAL (SELECT coalesce(n.handle, n.domain, n.email) AS name, n.folded_name FROM parties n WHERE n.id = a.other_id OFFSET 0) p
     WHERE strpos(p.name, q) > 0 OR strpos(p.folded_name, q) > 0 OR strpos(c.label, q) > 0);
END
$function$;

CREATE FUNCTION fold_word(word text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(NORMALIZE(replace(replace(replace(translate(lower(("left"(regexp_replace(NORMALIZE(word, NFKD), '[\u0300-\u036f]'::text, ''::text, 'g'::text), 256) COLLATE "C")), 'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁЂЄЅІЈЉЊЋЏҐØøŁłĐđÐðŦŧıÆŒẞ'::text, 'αβγδεζηθικλμνξοπρστυφχψωσабвгдежзийклмнопрстуфхцчшщъыьэюяёђєѕіјљњћџґoollddddttiæœß'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), NFKC), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f\u2000-\u206f]'::text, ''::text, 'g'::text);

CREATE FUNCTION follow_contacts(entries indexed_entry[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  unnamed record;
BEGIN
  -- IS TRUE keeps the index of handles, which finds all parties that have none, from serving in place of the primary key.
  WITH seen AS MATERIALIZED (
    SELECT g.*, coalesce((SELECT v.party_id FROM parties p JOIN verified_domains v ON v.domain = p.domain WHERE p.id = g.party AND (p.handle IS NULL) IS TRUE), g.party) AS other_id
      FROM (SELECT e.party_id, CASE e.box WHEN 'in' THEN e.sender_id ELSE e.counterparty_id END AS party, e.box, e.type, e.sender,
                   min(e.received_at) AS first_at, max(e.received_at) AS last_at, max(e.position) AS last, count(*) FILTER (WHERE NOT e.is_counted) AS messages
              FROM unnest(entries) AS e GROUP BY 1, 2, 3, 4, 5) g
  ), typed AS (
    -- Mostly they are known already; then nothing is written, nor locked.
    INSERT INTO contact_types (party_id, other_id, type)
    SELECT DISTINCT s.party_id, s.other_id, s.type FROM seen s
     WHERE s.type IS NOT NULL
       AND NOT EXISTS (SELECT FROM contact_types t WHERE t.party_id = s.party_id AND t.other_id = s.other_id AND t.type = s.type)
     ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING
  ), written AS (
    INSERT INTO contact_actors AS c (party_id, other_id, actor_id, kind, name, email)
    SELECT DISTINCT ON (s.party_id, s.other_id, s.actor ->> 'id')
           s.party_id, s.other_id, s.actor ->> 'id', s.actor ->> 'kind', s.actor ->> 'name', s.actor ->> 'email'
      FROM (SELECT s.*, s.sender::json -> 'actor' AS actor FROM seen s WHERE s.box = 'in') s
     -- An entry that comes after later ones brings no former name back.
     WHERE NOT EXISTS (SELECT FROM contact_actors a
                        WHERE a.party_id = s.party_id AND a.other_id = s.other_id AND a.actor_id = s.actor ->> 'id'
                          AND (a.name = s.actor ->> 'name' AND a.email IS NOT DISTINCT FROM s.actor ->> 'email'
                               OR EXISTS (SELECT FROM contacts c WHERE c.party_id = s.party_id AND c.other_id = s.other_id
                                             AND c.last_seen_at > s.last_at)))
     ORDER BY s.party_id, s.other_id, s.actor ->> 'id', s.last DESC
    ON CONFLICT (party_id, other_id, actor_id) DO UPDATE SET kind = excluded.kind, name = excluded.name, email = excluded.email
  ), active AS (
    INSERT INTO contact_activity AS a (party_id, other_id, last_position)
    SELECT s.party_id, s.other_id, max(s.last) FROM seen s GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (party_id, other_id) DO UPDATE SET last_position = excluded.last_position WHERE a.last_position < excluded.last_position
  ), counted AS (
    -- Read by the main query, so that this part comes first: a transaction that changes a contact locks its row here before those of its actors and its activity.
    INSERT INTO contacts AS c (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)
    SELECT n.party_id, n.other_id, new_uuid(n.first_at), n.first_at, n.last_at, n.box, n.received, n.sent
      FROM (SELECT s.party_id, s.other_id, min(s.first_at) AS first_at, max(s.last_at) AS last_at, (array_agg(s.box ORDER BY s.last DESC, s.box))[1] AS box,
                   coalesce(sum(s.messages) FILTER (WHERE s.box = 'in'), 0) AS received, coalesce(sum(s.messages) FILTER (WHERE s.box = 'out'), 0) AS sent
              FROM seen s GROUP BY 1, 2) n ORDER BY 1, 2
    ON CONFLICT (party_id, other_id) DO UPDATE
      SET first_seen_at = least(c.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at),
          last_direction = CASE WHEN c.last_seen_at > excluded.last_seen_at THEN c.last_direction ELSE excluded.last_direction END,
          messages_in = c.messages_in + excluded.messages_in, messages_out = c.messages_out + excluded.messages_out
    RETURNING c.party_id, c.other_id
  )
  SELECT array_agg(c.party_id) AS owners, array_agg(c.other_id) AS others INTO unnamed FROM counted c
   WHERE NOT EXISTS (SELECT FROM contact_names n WHERE n.party_id = c.party_id AND n.other_id = c.other_id);
  IF unnamed.owners IS NOT NULL THEN
    PERFORM add_contact_names(unnamed.owners, unnamed.others);
  END IF;
END
$function$;

CREATE FUNCTION follow_documents(entries indexed_entry[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  WITH new AS MATERIALIZED (
    SELECT e.party_id, e.thread_id, e.message_id, e.position, e.type, e.document::json AS document, t.document_through, t.is_filtered, o.type IS NOT NULL AS is_own
      FROM unnest(entries) AS e LEFT JOIN threads t ON t.party_id = e.party_id AND t.thread_id = e.thread_id
      LEFT JOIN document_types o ON o.party_id = e.party_id AND o.type = e.type
     WHERE e.document IS NOT NULL OR o.type IS NOT NULL
  ), queued AS (
    INSERT INTO document_queue (is_rebuild, party_id, id, thread_id, after)
    SELECT false, n.party_id, new_uuid(clock_timestamp()), n.thread_id, min(n.position) - 1
      FROM new n WHERE n.message_id < n.document_through OR n.is_own GROUP BY n.party_id, n.thread_id
  )
  -- A message to oneself has two entries.
  INSERT INTO document_facts (party_id, thread_id, message_id, type, status, number, total, currency, due_date, is_filtered)
  SELECT n.party_id, n.thread_id, n.message_id, n.type, d.status, d.number, d.total, d.currency, d.due_date, coalesce(n.is_filtered, false)
    FROM new n CROSS JOIN LATERAL json_populate_record(NULL::message_document, n.document) AS d WHERE n.document IS NOT NULL
  ON CONFLICT DO NOTHING;
END
$function$;

CREATE FUNCTION free_threads(party bigint, consumer uuid, threads uuid[], clock timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  thread   uuid;
  next     uuid;
  is_freed boolean := false;
BEGIN
  FOR thread IN SELECT DISTINCT t FROM unnest(threads) AS t WHERE t IS NOT NULL LOOP
    SELECT m.message_id INTO next FROM consumer_messages m
     WHERE m.party_id = party AND m.consumer_id = consumer AND m.thread_id = thread AND m.state = 'held'
       AND NOT EXISTS (SELECT 1 FROM consumer_messages o
                        WHERE o.party_id = party AND o.consumer_id = consumer AND o.thread_id = thread AND o.state IN ('leased', 'waiting'))
     ORDER BY m.position LIMIT 1;
    IF FOUND THEN
      UPDATE consumer_messages SET state = 'waiting', due_at = clock WHERE party_id = party AND consumer_id = consumer AND message_id = next;
      is_freed := true;
    END IF;
  END LOOP;
  RETURN is_freed;
END
$function$;

CREATE FUNCTION hand_over_messages(made made_attempt[], clock timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  party_ids   bigint[];
  message_ids uuid[];
BEGIN
  SELECT array_agg(a.party_id), array_agg(a.message_id) INTO party_ids, message_ids
    FROM unnest(made) AS m JOIN webhook_attempts a ON a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id
   WHERE m.succeeded AND a.event IN ('message.received', 'message.replay');
  IF party_ids IS NOT NULL THEN
    PERFORM note_hand_overs(party_ids, message_ids, 'webhook', clock);
  END IF;
END
$function$;

CREATE FUNCTION hold_valid_key(party bigint, key_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  IF to_regclass('signing_keys') IS NULL THEN
    RETURN true;
  END IF;
  PERFORM 1 FROM signing_keys k WHERE k.party_id = party AND k.id = key_id AND k.revoked_at IS NULL FOR SHARE;
  RETURN FOUND;
END
$function$;

CREATE FUNCTION index_contacts(party bigint, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  others  bigint[];
  written integer;
BEGIN
  -- Locked before label and name are read: a later change of them waits, and takes the grams away again.
  others := ARRAY(SELECT n.other_id FROM contact_names n WHERE n.party_id = party AND n.grams IS NULL LIMIT most FOR UPDATE SKIP LOCKED);
  UPDATE contact_names n
     SET grams = contact_grams(party, w.words, 1) || CASE WHEN n.other_id % 61 = 0 THEN contact_grams(~party, w.words, 1) END
    FROM (SELECT c.other_id, concat_ws(E'\n', p.handle, p.domain, p.email, p.folded_name, c.folded_label) AS words
            FROM contacts c JOIN parties p ON p.id = c.other_id WHERE c.party_id = party AND c.other_id = ANY (others)) w
   WHERE n.party_id = party AND n.other_id = w.other_id;
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END
$function$;

CREATE FUNCTION index_queued_thread(queued uuid, party bigint, thread uuid, after bigint, entries_max integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  part    indexed_entry[];
  through bigint;
BEGIN
  SELECT coalesce(array_agg(ROW (e.party_id, e.box, e.position, e.message_id,
                                 coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END),
                                 e.counterparty_id, e.thread_id, e.validation, e.type, e.segment, e.from_email,
                                 NULL, NULL, NULL, NULL, NULL, NULL)::indexed_entry), '{}'), max(e.position)
    INTO part, through
    FROM ((SELECT l.* FROM ledger_entries l WHERE l.party_id = party AND l.thread_id = thread AND l.box = 'in'
              AND l.position > after ORDER BY l.position LIMIT entries_max)
          UNION ALL
          (SELECT l.* FROM ledger_entries l WHERE l.party_id = party AND l.thread_id = thread AND l.box = 'out'
              AND l.position > after ORDER BY l.position LIMIT entries_max)
          ORDER BY position LIMIT entries_max) e;
  PERFORM write_comment_documents(party, thread, NULL) WHERE after = 0;
  PERFORM write_search_documents(part) WHERE part <> '{}';
  IF cardinality(part) = entries_max THEN
    UPDATE search_queue q SET after = through WHERE q.is_rebuild AND q.id = queued;
  ELSE
    DELETE FROM search_queue q WHERE q.is_rebuild AND q.id = queued;
  END IF;
  RETURN cardinality(part);
END
$function$;

CREATE FUNCTION index_search_queue(entries_max integer, after_sender bigint)
 RETURNS TABLE(entries integer, last_sender bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  rows_max CONSTANT integer := 200;
  sender   bigint := after_sender;
  part     indexed_entry[] := '{}';
  taken    record;
  done     integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('search index ' || shard_name(), 0)) THEN
    RETURN;
  END IF;
  WHILE cardinality(part) < entries_max LOOP
    SELECT q.id, q.party_id, q.entries INTO taken FROM search_queue q
     WHERE NOT q.is_rebuild AND q.party_id > sender ORDER BY q.party_id, q.id LIMIT 1;
    IF FOUND THEN
      DELETE FROM search_queue q WHERE NOT q.is_rebuild AND q.id = taken.id;
      part := part || taken.entries;
      sender := taken.party_id;
    ELSE
      EXIT WHEN sender < 0;
      sender := -1;
    END IF;
  END LOOP;
  PERFORM write_search_documents(part) WHERE part <> '{}';
  done := cardinality(part);

  FOR taken IN SELECT * FROM search_queue q WHERE q.is_rebuild AND done < entries_max ORDER BY q.id LIMIT rows_max LOOP
    EXIT WHEN done >= entries_max;
    IF taken.after < 0 THEN
      done := done + queue_older_threads(taken.id, taken.party_id, taken.thread_id);
    ELSE
      done := done + greatest(1, index_queued_thread(taken.id, taken.party_id, taken.thread_id, taken.after, entries_max));
    END IF;
  END LOOP;
  RETURN QUERY SELECT done, sender;
END
$function$;

CREATE FUNCTION index_threads(entries indexed_entry[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashagg TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  news record;
BEGIN
  FOR news IN
    WITH read AS (
      SELECT a.*, CASE WHEN a.ids IS NOT NULL THEN (
               SELECT ROW (t.document_state, t.document_type, t.document_number, t.document_total, t.document_currency, t.document_due, t.document_rank,
                           t.document_through)::thread_document
                 FROM threads t WHERE t.party_id = a.party_id AND t.thread_id = a.thread_id) END AS before
        FROM entries_by_thread(entries) AS a
    ), documented AS MATERIALIZED (
      SELECT r.*, CASE WHEN r.ids IS NOT NULL THEN thread_document_after(r.before, r.ids, r.types, r.documents) END AS document FROM read r
    ), changed AS (
      INSERT INTO threads AS t (party_id, thread_id, last_position, last_in_position, last_message_id, last_sender_id, counterparty_id,
                                message_count, in_count, out_count, has_files, failed_schema, subject, type, segment, from_email, class,
                                is_filtered, document_state, document_type, document_number, document_total, document_currency, document_due,
                                document_rank, document_through)
      SELECT n.party_id, n.thread_id, n.position, n.last_in_position, n.message_id, n.sender_id, n.counterparty_id, n.message_count, n.in_count, n.out_count,
             n.has_files, n.failed_schema, n.subject, n.type, n.segment, n.from_email, thread_class(n.in_count, n.out_count, false, false, n.failed_schema),
             EXISTS (SELECT FROM thread_index i WHERE i.party_id = n.party_id AND i.filtered_through IS NOT NULL), (n.document).*
        FROM documented n ORDER BY n.party_id, n.thread_id
      ON CONFLICT (party_id, thread_id) DO UPDATE
        SET last_position = excluded.last_position, last_in_position = greatest(t.last_in_position, excluded.last_in_position),
            last_message_id = excluded.last_message_id, last_sender_id = excluded.last_sender_id, counterparty_id = excluded.counterparty_id,
            message_count = t.message_count + excluded.message_count, in_count = t.in_count + excluded.in_count,
            out_count = t.out_count + excluded.out_count, has_files = t.has_files OR excluded.has_files,
            failed_schema = t.failed_schema OR excluded.failed_schema, subject = coalesce(t.subject, excluded.subject),
            type = coalesce(excluded.type, t.type), segment = coalesce(excluded.segment, t.segment),
            from_email = coalesce(excluded.from_email, t.from_email), is_filtered = excluded.is_filtered, is_done = t.is_done AND excluded.last_in_position <= t.done_through,
            class = thread_class(t.in_count + excluded.in_count, t.out_count + excluded.out_count,
                                 t.is_done AND excluded.last_in_position <= t.done_through, t.assignee_id IS NOT NULL,
                                 t.failed_schema OR excluded.failed_schema),
            (document_state, document_type, document_number, document_total, document_currency, document_due, document_rank, document_through) =
              (SELECT (CASE WHEN excluded.document_through IS NULL
                            THEN ROW (t.document_state, t.document_type, t.document_number, t.document_total, t.document_currency, t.document_due, t.document_rank,
                                      t.document_through)::thread_document
                            ELSE ROW (excluded.document_state, excluded.document_type, excluded.document_number, excluded.document_total,
                                      excluded.document_currency, excluded.document_due, excluded.document_rank, excluded.document_through)::thread_document END).*)
      RETURNING t.party_id, t.thread_id, t.last_position, t.labels
    ), labelled AS (
      UPDATE thread_labels l SET last_position = c.last_position
        FROM changed c WHERE c.labels <> '{}' AND l.party_id = c.party_id AND l.thread_id = c.thread_id
    )
    SELECT d.party_id, array_agg(d.thread_id) AS threads FROM documented d
     WHERE d.ids IS NOT NULL AND (d.document).state IS DISTINCT FROM coalesce((d.before).state, 'none') GROUP BY d.party_id
  LOOP
    PERFORM queue_webhook_events(news.party_id, 'thread.updated', news.threads);
  END LOOP;
END
$function$;

CREATE FUNCTION is_blocked(recipient bigint, sender bigint, actor text, mailbox text, mail_domain text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM blocks b WHERE b.party_id = recipient AND b.business_id = sender)
      OR EXISTS (SELECT FROM blocks b WHERE b.party_id = recipient AND b.email_domain = ANY (domain_with_parents(mail_domain)))
      OR EXISTS (SELECT FROM verified_domains d JOIN blocks b ON b.party_id = recipient AND b.email_domain = ANY (domain_with_parents(d.domain))
                  WHERE d.party_id = sender)
      OR EXISTS (SELECT FROM blocks b WHERE b.party_id = recipient AND b.user_id = ANY (ARRAY[
           actor,
           (SELECT public_id('mbx', m.id) FROM mailboxes m WHERE m.email = mailbox),
           (SELECT public_id('usr', p.id) FROM people p WHERE p.email = mailbox AND p.email_verified)]));
END
$function$;

CREATE FUNCTION is_held_elsewhere(party bigint, webhook uuid, worker uuid, clock timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN EXISTS (
    SELECT FROM webhook_leases l CROSS JOIN LATERAL unnest(l.attempt_ids) AS held (id)
      JOIN webhook_attempts a ON a.party_id = l.party_id AND a.webhook_id = l.webhook_id AND a.id = held.id AND (a.status = 'pending') IS TRUE
     WHERE l.party_id = party AND l.webhook_id = webhook AND l.worker_id <> worker AND l.until > clock);
END
$function$;

CREATE FUNCTION is_passing_error(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ("left"(state, 2) = ANY (ARRAY['08'::text, '25'::text, '40'::text, '53'::text, '55'::text, '57'::text, '58'::text]));

CREATE FUNCTION json_text(given text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
  plain text := given;
BEGIN
  IF strpos(given, '\') = 0 THEN
    RETURN given;
  END IF;
  plain := regexp_replace(replace(plain, '\\', '  '), '\\["/bfnrt]', ' ', 'g');
  IF strpos(plain, '\u') > 0 THEN
    plain := regexp_replace(plain, '\\u00[01][0-9a-fA-F]', ' ', 'g');
    plain := regexp_replace(plain, '\\(?!u[0-9a-fA-F]{4})', ' ', 'g');
    BEGIN
      RETURN unistr(plain);
    EXCEPTION WHEN OTHERS THEN
      RETURN unistr(regexp_replace(plain, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', ' ', 'g'));
    END;
  END IF;
  RETURN replace(plain, '\', ' ');
END
$function$;

CREATE FUNCTION judge_acknowledgement(party bigint, message uuid, said acknowledgement_status, why text, locks boolean)
 RETURNS text
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  before     acknowledgement_status;
  before_why text;
BEGIN
  IF locks THEN
    PERFORM FROM ledger_entries e WHERE e.party_id = party AND e.message_id = message AND e.box = 'in' FOR UPDATE;
  ELSE
    PERFORM FROM ledger_entries e WHERE e.party_id = party AND e.message_id = message AND e.box = 'in';
  END IF;
  IF NOT FOUND THEN
    RETURN 'not received';
  END IF;

  -- Of one message, at most two are due, and the first of them is 'accepted', which is the first status of the type.
  SELECT d.status, d.reason INTO before, before_why
    FROM due_acknowledgements d WHERE d.party_id = party AND d.message_id = message ORDER BY d.status DESC LIMIT 1;
  IF before IS NULL THEN
    SELECT a.status, a.statement::json ->> 'reason' INTO before, before_why
      FROM acknowledgements a WHERE a.party_id = party AND a.message_id = message ORDER BY a.number DESC LIMIT 1;
  END IF;

  RETURN CASE WHEN before IS NULL OR before = 'accepted' AND said <> 'accepted' THEN 'new'
              WHEN before = said AND before_why IS NOT DISTINCT FROM why THEN 'same'
              ELSE before::text END;
END
$function$;

CREATE FUNCTION judge_messages(messages prepared_message[], ledger_count integer, clock timestamp with time zone, month_limit bigint, new_account_day_limit bigint, new_account_days integer, day_bytes_limit bigint, OUT outcomes text[], OUT message_ids uuid[], OUT organisations text[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  usage       record;
  original    record;
  message     prepared_message;
  month_used  bigint[] := array_fill(0::bigint, ARRAY[ledger_count]);
  day_used    bigint[] := month_used;
  bytes_used  bigint[] := month_used;
  is_new      boolean[] := array_fill(false, ARRAY[ledger_count]);
  -- day_ledgers[i] is the ledger in which the day's messages of ledger i are counted: domains of one organisation share a count.
  day_ledgers integer[] := array_fill(0, ARRAY[ledger_count]);
  counted_in  integer;
  n           integer := 0;
BEGIN
  organisations := array_fill(NULL::text, ARRAY[ledger_count]);
  FOR usage IN SELECT * FROM sender_usage(messages, clock, new_account_days) LOOP
    month_used[usage.ledger] := usage.month_messages;
    day_used[usage.ledger] := usage.day_messages;
    bytes_used[usage.ledger] := usage.day_bytes;
    is_new[usage.ledger] := usage.is_new;
    day_ledgers[usage.ledger] := usage.day_ledger;
    organisations[usage.ledger] := usage.organisation;
  END LOOP;

  outcomes := array_fill('accepted'::text, ARRAY[cardinality(messages)]);
  message_ids := ARRAY(SELECT (b.m).id FROM (SELECT unnest(messages) AS m) b);
  FOR original IN
    SELECT (b.m).first_with_key AS n, k.message_id
      FROM (SELECT unnest(messages) AS m) b
      JOIN idempotency_keys k ON k.party_id = (b.m).sender_id AND k.key = (b.m).idempotency_key AND k.expires_at > clock
  LOOP
    outcomes[original.n] := 'replayed';
    message_ids[original.n] := original.message_id;
  END LOOP;

  FOREACH message IN ARRAY messages LOOP
    n := n + 1;
    counted_in := day_ledgers[message.sender_ledger];
    IF outcomes[n] = 'replayed' THEN
      CONTINUE;
    ELSIF message.first_with_key <> n THEN
      outcomes[n] := CASE outcomes[message.first_with_key] WHEN 'accepted' THEN 'replayed' ELSE outcomes[message.first_with_key] END;
      message_ids[n] := message_ids[message.first_with_key];
    ELSIF message.inline_bytes > 0 AND day_bytes_limit > 0 AND bytes_used[message.sender_ledger] + message.inline_bytes > day_bytes_limit THEN
      outcomes[n] := 'daily_upload_bytes';
    ELSIF month_limit > 0 AND month_used[message.sender_ledger] >= month_limit THEN
      outcomes[n] := 'monthly_messages';
    ELSIF new_account_day_limit > 0 AND is_new[message.sender_ledger] AND day_used[counted_in] >= new_account_day_limit THEN
      outcomes[n] := 'new_account_daily_messages';
    ELSE
      month_used[message.sender_ledger] := month_used[message.sender_ledger] + 1;
      day_used[counted_in] := day_used[counted_in] + 1;
      bytes_used[message.sender_ledger] := bytes_used[message.sender_ledger] + message.inline_bytes;
    END IF;
  END LOOP;
END
$function$;

CREATE FUNCTION judge_webhooks(made made_attempt[], failures_max integer, tell_after_s integer, pause_after_s integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  clock       CONSTANT timestamptz := now();
  told_before CONSTANT timestamptz := clock - make_interval(secs => pause_after_s - least(tell_after_s, pause_after_s));
  outcome     record;
  hook        record;
  before      record;
  reason      text;
  is_told     boolean;
BEGIN
  FOR outcome IN
    SELECT m.party_id, m.webhook_id, m.url_version, count(*) FILTER (WHERE NOT m.succeeded) AS failed, bool_or(m.succeeded) AS succeeded,
           coalesce(bool_or(m.status_code = 410), false) AS is_gone
      FROM unnest(made) AS m
      JOIN webhook_attempts a ON a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE
     GROUP BY m.party_id, m.webhook_id, m.url_version ORDER BY m.party_id, m.webhook_id
  LOOP
    SELECT w.party_id, w.id, w.active, w.pause_reason, w.paused_at, w.first_success_at, w.failures, w.failing_since, w.failing_told_at INTO hook FROM webhooks w
     WHERE w.party_id = outcome.party_id AND w.id = outcome.webhook_id AND w.url_version = outcome.url_version FOR NO KEY UPDATE;
    CONTINUE WHEN NOT FOUND;
    before := hook;

    IF outcome.succeeded THEN
      hook.first_success_at := coalesce(hook.first_success_at, clock);
      hook.failing_since := NULL;
      hook.failing_told_at := NULL;
    ELSE
      hook.failing_since := coalesce(hook.failing_since, clock);
    END IF;
    hook.failures := hook.failures + CASE WHEN hook.first_success_at IS NULL THEN outcome.failed ELSE 0 END;
    reason := CASE WHEN NOT hook.active THEN NULL
                   WHEN outcome.is_gone THEN 'gone'
                   WHEN hook.first_success_at IS NULL AND hook.failures >= failures_max THEN 'never_succeeded'
                   WHEN pause_after_s > 0 AND hook.failing_told_at <= told_before THEN 'failing' END;
    is_told := reason IS NULL AND hook.active AND hook.failing_told_at IS NULL AND hook.failing_since <= clock - make_interval(secs => tell_after_s);

    CONTINUE WHEN hook IS NOT DISTINCT FROM before AND reason IS NULL AND NOT is_told;
    UPDATE webhooks w
       SET first_success_at = hook.first_success_at, failures = hook.failures, failing_since = hook.failing_since,
           failing_told_at = CASE WHEN is_told THEN clock ELSE hook.failing_told_at END,
           active = hook.active AND reason IS NULL, pause_reason = coalesce(reason, hook.pause_reason),
           paused_at = CASE WHEN reason IS NULL THEN hook.paused_at ELSE clock END
     WHERE w.party_id = hook.party_id AND w.id = hook.id;
    IF reason IS NOT NULL THEN
      PERFORM queue_job('tell-of-paused-webhook', json_build_object('partyId', hook.party_id::text, 'webhookId', hook.id::text),
                        'tell-of-paused-webhook ' || hook.id);
      PERFORM queue_webhook_events(hook.party_id, 'webhook.paused', ARRAY[hook.id]);
    ELSIF is_told THEN
      PERFORM queue_job('tell-of-failing-webhook', json_build_object('partyId', hook.party_id::text, 'webhookId', hook.id::text),
                        'tell-of-failing-webhook ' || hook.id);
    END IF;
  END LOOP;
END
$function$;

CREATE FUNCTION keep_signatures(messages committed_message[], signatures prepared_signature[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  signer record;
BEGIN
  -- Most batches have none.
  IF cardinality(signatures) = 0 THEN
    RETURN;
  END IF;
  FOR signer IN SELECT DISTINCT s.sender_id, s.key_id FROM unnest(signatures) AS s ORDER BY s.sender_id, s.key_id LOOP
    IF NOT hold_valid_key(signer.sender_id, signer.key_id) THEN
      RAISE EXCEPTION 'the signing key % is revoked', signer.key_id USING ERRCODE = 'KR001';
    END IF;
  END LOOP;
  INSERT INTO message_signatures (sender_id, message_id, key_id, signature_input, signature, components, body_before, body_after)
  SELECT s.* FROM unnest(signatures) AS s WHERE s.message_id IN (SELECT m.id FROM unnest(messages) AS m);
END
$function$;

CREATE FUNCTION lease_due_messages(party bigint, consumer uuid, worker text, until timestamp with time zone, clock timestamp with time zone, tries_max integer, wanted integer, bytes_max integer, OUT leased json, OUT count integer, OUT bytes integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  due       record;
  taken     uuid[] := '{}';
  senders   bigint[] := '{}';
  positions bigint[] := '{}';
  sizes     integer[] := '{}';
  tried     integer[] := '{}';
  poison    uuid[] := '{}';
  threads   uuid[] := '{}';
BEGIN
  count := 0;
  bytes := 0;
  FOR due IN
    (SELECT m.message_id, m.sender_id, m.position, m.thread_id, m.tries, m.bytes FROM consumer_messages m
      WHERE m.party_id = party AND m.consumer_id = consumer AND m.state = 'waiting' AND m.due_at <= clock ORDER BY m.due_at)
    UNION ALL
    (SELECT m.message_id, m.sender_id, m.position, m.thread_id, m.tries, m.bytes FROM consumer_messages m
      WHERE m.party_id = party AND m.consumer_id = consumer AND m.state = 'leased' AND m.due_at <= clock ORDER BY m.due_at)
  LOOP
    EXIT WHEN count >= wanted OR (bytes + due.bytes > bytes_max AND bytes > 0);
    IF due.tries >= tries_max THEN
      poison := poison || due.message_id;
      threads := threads || due.thread_id;
    ELSE
      count := count + 1;
      bytes := bytes + due.bytes;
      taken := taken || due.message_id;
      senders := senders || due.sender_id;
      positions := positions || due.position;
      sizes := sizes || due.bytes;
      tried := tried || due.tries + 1;
    END IF;
  END LOOP;

  IF count > 0 THEN
    UPDATE consumer_messages SET state = 'leased', due_at = until, holder = worker, tries = tries + 1
     WHERE party_id = party AND consumer_id = consumer AND message_id = ANY (taken);
    leased := leased_json(taken, senders, positions, sizes, tried);
  END IF;
  IF cardinality(poison) > 0 THEN
    UPDATE consumer_messages SET state = 'parked', due_at = clock WHERE party_id = party AND consumer_id = consumer AND message_id = ANY (poison);
    PERFORM free_threads(party, consumer, threads, clock);
  END IF;
END
$function$;

CREATE FUNCTION lease_messages(party bigint, consumer text, worker text, lease interval, wanted integer, bytes_max integer, kept_max integer, entries_max integer)
 RETURNS TABLE(again json, fresh json, lease_until timestamp with time zone, has_more boolean, due_in_ms bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  its   record;
  clock timestamptz;
  due   record;
  new   record;
BEGIN
  SELECT c.id, c.taken_through INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  clock := clock_timestamp();
  due_in_ms := next_due_in_ms(party, its.id, clock);
  -- The lock of a row is written to the disk. A look that can find nothing needs none.
  IF due_in_ms IS DISTINCT FROM 0
     AND (SELECT l.position FROM ledger_entries l WHERE l.party_id = party AND l.box = 'in' ORDER BY l.position DESC LIMIT 1) > its.taken_through IS NOT TRUE THEN
    has_more := false;
    RETURN NEXT;
    RETURN;
  END IF;

  SELECT c.id, c.target, c.types, c.validation, c.is_ordered, c.max_tries, c.taken_through, c.kept INTO its
    FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  clock := clock_timestamp();
  lease_until := clock + lease;

  SELECT * INTO due FROM lease_due_messages(party, its.id, worker, lease_until, clock, its.max_tries, wanted, bytes_max);
  SELECT * INTO new
    FROM lease_new_messages(party, its.id, its.target, its.types, its.validation, its.is_ordered, its.taken_through, worker, lease_until,
                            wanted - due.count, due.bytes, bytes_max, kept_max - its.kept, entries_max);
  again := due.leased;
  fresh := new.leased;

  -- A short walk past what does not match is repeated rather than written, because most looks at a quiet ledger would write.
  IF new.kept > 0 OR new.walked >= 100 THEN
    UPDATE consumers SET taken_through = new.through, kept = kept + new.kept WHERE party_id = party AND name = consumer;
  END IF;
  due_in_ms := CASE WHEN again IS NULL AND fresh IS NULL THEN next_due_in_ms(party, its.id, clock) END;
  has_more := new.walked >= entries_max OR due_in_ms IS NOT DISTINCT FROM 0;
  RETURN NEXT;
END
$function$;

CREATE FUNCTION lease_new_messages(party bigint, consumer uuid, wanted_target text, wanted_types text[], wanted_validation validation_status, ordered boolean, after bigint, worker text, until timestamp with time zone, wanted integer, bytes_before integer, bytes_max integer, kept_max integer, entries_max integer, OUT leased json, OUT kept integer, OUT walked integer, OUT through bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  entry     record;
  count     integer := 0;
  bytes     integer := bytes_before;
  is_free   boolean := true;
  ids       uuid[] := '{}';
  senders   bigint[] := '{}';
  positions bigint[] := '{}';
  threads   uuid[] := '{}';
  sizes     integer[] := '{}';
  free      boolean[] := '{}';
BEGIN
  SELECT 0, 0, after INTO kept, walked, through;
  FOR entry IN
    SELECT e.position, e.message_id, e.thread_id, e.matches, m.sender_id,
           1024 + coalesce(octet_length(m.json), 0) + coalesce(octet_length(m.note), 0) + octet_length(m.validation_errors) + 1024 * m.file_count AS bytes
      FROM (SELECT l.position, l.message_id, l.thread_id, coalesce(l.author_id, l.counterparty_id) AS sender_id,
                   (wanted_target IS NULL OR l.segment = wanted_target) IS TRUE AND (wanted_types IS NULL OR l.type LIKE ANY (wanted_types)) IS TRUE
                   AND (wanted_validation IS NULL OR l.validation = wanted_validation) AS matches
              FROM ledger_entries l WHERE l.party_id = party AND l.box = 'in' AND l.position > after ORDER BY l.position LIMIT entries_max) e
      -- With a null, the index is not even asked.
      LEFT JOIN messages m ON m.sender_id = CASE WHEN e.matches THEN e.sender_id END AND m.id = e.message_id
     ORDER BY e.position
  LOOP
    EXIT WHEN count >= wanted OR kept >= kept_max;
    IF entry.matches THEN
      IF ordered THEN
        is_free := entry.thread_id <> ALL (threads) AND NOT EXISTS (
          SELECT 1 FROM consumer_messages m WHERE m.party_id = party AND m.consumer_id = consumer AND m.thread_id = entry.thread_id AND m.state <> 'parked');
      END IF;
      EXIT WHEN is_free AND bytes + entry.bytes > bytes_max AND bytes > 0;
      count := count + is_free::integer;
      bytes := bytes + CASE WHEN is_free THEN entry.bytes ELSE 0 END;
      kept := kept + 1;
      ids := ids || entry.message_id;
      senders := senders || entry.sender_id;
      positions := positions || entry.position;
      sizes := sizes || entry.bytes;
      free := free || is_free;
      threads := threads || CASE WHEN ordered THEN entry.thread_id END;
    END IF;
    walked := walked + 1;
    through := entry.position;
  END LOOP;

  IF kept = 0 THEN
    RETURN;
  END IF;
  INSERT INTO consumer_messages (party_id, consumer_id, message_id, sender_id, position, thread_id, bytes, state, due_at, tries, holder)
  SELECT party, consumer, k.id, k.sender_id, k.position, k.thread_id, k.bytes,
         CASE WHEN k.is_free THEN 'leased'::consumer_message_state ELSE 'held'::consumer_message_state END, until,
         CASE WHEN k.is_free THEN 1 ELSE 0 END, CASE WHEN k.is_free THEN worker END
    FROM (SELECT unnest(ids) AS id, unnest(senders) AS sender_id, unnest(positions) AS position, unnest(threads) AS thread_id, unnest(sizes) AS bytes,
                 unnest(free) AS is_free) k;
  leased := CASE WHEN count > 0 THEN leased_json(ids, senders, positions, sizes, array_replace(free::integer[], 0, NULL)) END;
END
$function$;

CREATE FUNCTION lease_webhook_attempts(worker uuid, wanted wanted_attempts[], lease interval)
 RETURNS TABLE(webhook_id uuid, url text, url_version integer, secret text, previous_secret text, headers text, client_certificate boolean, is_proven boolean, clock_ms bigint, attempts json, retry_ms integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
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
$function$;

CREATE FUNCTION leased_json(ids uuid[], senders bigint[], positions bigint[], sizes integer[], tries integer[])
 RETURNS json
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT json_agg(json_build_object('messageId', k.id, 'senderId', k.sender_id::text, 'position', k.position::text, 'bytes', k.bytes, 'tries', k.tries)
                  ORDER BY k.position)
    FROM unnest(ids, senders, positions, sizes, tries) AS k (id, sender_id, position, bytes, tries) WHERE k.tries IS NOT NULL
$function$;

CREATE FUNCTION leave_thread(unclaimed bigint, thread uuid, moving uuid[])
 RETURNS json
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  files   json;
  objects json;
  entries json;
BEGIN
  SELECT json_agg(f) INTO files FROM files f WHERE f.party_id = unclaimed AND f.message_id = ANY (moving);
  SELECT json_agg(o) INTO objects
    FROM objects o JOIN files f ON f.owner_id = o.party_id AND f.object_id = o.id WHERE f.party_id = unclaimed AND f.message_id = ANY (moving);

  WITH gone AS (DELETE FROM ledger_entries e WHERE e.party_id = unclaimed AND e.thread_id = thread AND e.message_id = ANY (moving) RETURNING e.*)
  SELECT json_agg(g ORDER BY g.position) INTO entries FROM gone g;

  RETURN json_strip_nulls(json_build_object('files', files, 'objects', objects, 'entries', entries));
END
$function$;

CREATE FUNCTION lock_chains(party_ids bigint[], message_ids uuid[])
 RETURNS TABLE(party_id bigint, message_id uuid, content_hash bytea, recipient text, received_at timestamp with time zone, expires_at text, message_batch uuid, way hand_over_way, handed_over_at timestamp with time zone, clock timestamp with time zone)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  noted record;
  ways  hand_over_way[] := '{}';
  times timestamptz[]   := '{}';
BEGIN
  PERFORM FROM (SELECT e.message_id FROM unnest(party_ids, message_ids) AS k (party_id, message_id)
                  JOIN ledger_entries e ON e.party_id = k.party_id AND e.message_id = k.message_id AND e.box = 'in'
                 ORDER BY e.party_id, e.position FOR UPDATE OF e) locked;

  FOR noted IN
    DELETE FROM noted_hand_overs n USING unnest(party_ids, message_ids) WITH ORDINALITY AS k (party_id, message_id, place)
     WHERE n.party_id = k.party_id AND n.message_id = k.message_id RETURNING k.place, n.way, n.handed_over_at
  LOOP
    ways[noted.place] := noted.way;
    times[noted.place] := noted.handed_over_at;
  END LOOP;

  RETURN QUERY
  SELECT e.party_id, e.message_id, m.content_hash, m.recipient, m.received_at, m.expires_at, m.log_batch,
         CASE WHEN h.message_id IS NULL THEN ways[k.place] END, CASE WHEN h.message_id IS NULL THEN times[k.place] END, clock_timestamp()
    FROM unnest(party_ids, message_ids) WITH ORDINALITY AS k (party_id, message_id, place)
    JOIN ledger_entries e ON e.party_id = k.party_id AND e.message_id = k.message_id AND e.box = 'in'
    JOIN messages m ON m.sender_id = coalesce(e.author_id, e.counterparty_id) AND m.id = e.message_id
    LEFT JOIN hand_overs h ON h.party_id = k.party_id AND h.message_id = k.message_id;
END
$function$;

CREATE FUNCTION lock_ledgers(touched touched_ledger[], clock timestamp with time zone, OUT delivery_ms bigint, OUT bases bigint[], OUT filtered boolean[])
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
DECLARE
  clock_ms CONSTANT bigint := floor(extract(epoch FROM clock) * 1000);
  found    integer;
  earliest bigint;
BEGIN
  LOOP
    WITH locked AS (
      UPDATE ledgers l SET head = greatest(l.head, clock_ms * 4096) + t.entries
        FROM unnest(touched) WITH ORDINALITY AS t WHERE l.party_id = t.party_id RETURNING t.ordinality AS n, l.head - t.entries AS base, l.head,
              l.filters_left IS NOT NULL AS is_filtered
    )
    SELECT count(*), array_agg(l.base ORDER BY l.n), greatest(clock_ms, max(l.head) / 4096), (min(l.base) + 1) / 4096,
           CASE WHEN bool_or(l.is_filtered) THEN array_agg(l.is_filtered ORDER BY l.n) END
      INTO found, bases, delivery_ms, earliest, filtered FROM locked l;
    EXIT WHEN found = cardinality(touched);
    -- The first entry of a ledger. Two batches that add the same one at the same moment may deadlock, and are then repeated.
    INSERT INTO ledgers (party_id, head) SELECT t.party_id, 0 FROM unnest(touched) AS t ORDER BY t.party_id ON CONFLICT DO NOTHING;
  END LOOP;

  -- A ledger may be ahead of the clock: the clock was set back, or another batch began later and locked first. Then the whole
  -- batch is delivered at the later time, so that time and position agree in each ledger that it enters.
  IF earliest < delivery_ms THEN
    bases := ARRAY(SELECT CASE WHEN (b.base + 1) / 4096 < delivery_ms THEN delivery_ms * 4096 ELSE b.base END
                     FROM unnest(bases) WITH ORDINALITY AS b (base, n) ORDER BY b.n);
    UPDATE ledgers l SET head = bases[t.ordinality] + t.entries
      FROM unnest(touched) WITH ORDINALITY AS t WHERE l.party_id = t.party_id AND l.head < bases[t.ordinality] + t.entries;
  END IF;
END
$function$;

CREATE FUNCTION lock_ordered_webhooks(made made_attempt[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  webhook uuid;
BEGIN
  FOR webhook IN SELECT DISTINCT m.webhook_id FROM unnest(made) AS m WHERE m.is_ordered ORDER BY m.webhook_id LOOP
    PERFORM pg_advisory_xact_lock(uuid_hash_extended(webhook, 0));
  END LOOP;
END
$function$;

CREATE FUNCTION lock_position(party bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  through bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('rounds ' || shard_name(), 0));
  LOOP
    SELECT i.indexed_through INTO through FROM thread_index i WHERE i.party_id = party FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO thread_index (party_id, indexed_through) VALUES (party, 0) ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN through;
END
$function$;

CREATE FUNCTION log_leaves(leaves bytea, clock timestamp with time zone)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
DECLARE
  batch uuid := new_uuid(clock);
BEGIN
  PERFORM write_log_batch(batch, leaves);
  RETURN batch;
END
$function$;

CREATE FUNCTION log_statement(leaf_type bytea, statement text, clock timestamp with time zone)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN log_leaves(leaf_type || sha256(convert_to(statement, 'UTF8')), clock);
END
$function$;

CREATE FUNCTION may_be_refused(messages prepared_message[], ledgers touched_ledger[], has_keys boolean, clock timestamp with time zone, month_limit bigint, new_account_day_limit bigint, new_account_days integer, day_bytes_limit bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  today CONSTANT date := (clock AT TIME ZONE 'UTC')::date;
BEGIN
  RETURN
    has_keys AND EXISTS (
      SELECT FROM unnest(messages) WITH ORDINALITY AS m
        LEFT JOIN idempotency_keys k ON k.party_id = m.sender_id AND k.key = m.idempotency_key AND k.expires_at > clock
       WHERE k.key IS NOT NULL OR m.first_with_key <> m.ordinality)
    OR EXISTS (
      SELECT FROM unnest(ledgers) AS l JOIN parties p ON p.id = l.party_id
       WHERE l.sent > 0
         AND (p.handle IS NULL OR p.organisation IS NOT NULL
              OR new_account_day_limit > 0 AND p.claimed_at > clock - make_interval(days => new_account_days)
              OR (month_limit > 0 OR day_bytes_limit > 0 AND l.sent_bytes > 0)
                 AND (SELECT month_limit > 0 AND coalesce(sum(u.messages), 0) + l.sent > month_limit
                             OR day_bytes_limit > 0 AND coalesce(sum(u.upload_bytes) FILTER (WHERE u.day = today), 0) + l.sent_bytes > day_bytes_limit
                        FROM daily_usage u WHERE u.party_id = l.party_id AND u.day >= date_trunc('month', today)::date AND u.day <= today)));
END
$function$;

CREATE FUNCTION merge_contact(owner bigint, unclaimed bigint, business bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  gone contacts;
  kept contacts;
BEGIN
  -- In the order in which deliveries lock them.
  PERFORM FROM contacts c WHERE c.party_id = owner AND c.other_id IN (unclaimed, business) ORDER BY c.other_id FOR UPDATE;
  DELETE FROM contacts c WHERE c.party_id = owner AND c.other_id = unclaimed RETURNING * INTO gone;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO kept FROM contacts c WHERE c.party_id = owner AND c.other_id = business;
  IF FOUND AND gone.saved_at IS NOT NULL AND kept.saved_at IS NOT NULL THEN
    UPDATE saved_contacts s SET count = s.count - 1 WHERE s.party_id = owner;
  END IF;

  INSERT INTO contacts AS c (party_id, other_id, id, saved_at, archived, label, folded_label, notes, first_seen_at, last_seen_at,
                             last_direction, messages_in, messages_out)
  VALUES (owner, business, gone.id, gone.saved_at, gone.archived, gone.label, gone.folded_label, gone.notes, gone.first_seen_at,
          gone.last_seen_at, gone.last_direction, gone.messages_in, gone.messages_out)
  ON CONFLICT (party_id, other_id) DO UPDATE
    SET id = CASE WHEN c.saved_at IS NULL AND excluded.saved_at IS NOT NULL THEN excluded.id ELSE c.id END,
        saved_at = least(c.saved_at, excluded.saved_at),
        archived = CASE WHEN c.saved_at IS NULL AND excluded.saved_at IS NOT NULL THEN excluded.archived ELSE c.archived END,
        label = CASE WHEN c.label = '' THEN excluded.label ELSE c.label END,
        folded_label = CASE WHEN c.label = '' THEN excluded.folded_label ELSE c.folded_label END,
        notes = CASE WHEN c.notes = '' THEN excluded.notes ELSE c.notes END,
        first_seen_at = least(c.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at),
        last_direction = CASE WHEN c.last_seen_at >= excluded.last_seen_at OR excluded.last_seen_at IS NULL
                              THEN c.last_direction ELSE excluded.last_direction END,
        messages_in = c.messages_in + excluded.messages_in, messages_out = c.messages_out + excluded.messages_out;

  INSERT INTO contact_activity AS t (party_id, other_id, last_position)
  SELECT owner, business, a.last_position FROM contact_activity a WHERE a.party_id = owner AND a.other_id = unclaimed
  ON CONFLICT (party_id, other_id) DO UPDATE SET last_position = greatest(t.last_position, excluded.last_position);
  DELETE FROM contact_activity a WHERE a.party_id = owner AND a.other_id = unclaimed;
  DELETE FROM contact_names n WHERE n.party_id = owner AND n.other_id = unclaimed;
  PERFORM rename_contact(ARRAY[owner], business);

  INSERT INTO contact_types (party_id, other_id, type)
  SELECT owner, business, t.type FROM contact_types t WHERE t.party_id = owner AND t.other_id = unclaimed ON CONFLICT DO NOTHING;
  DELETE FROM contact_types t WHERE t.party_id = owner AND t.other_id = unclaimed;

  INSERT INTO contact_actors (party_id, other_id, actor_id, kind, name, email)
  SELECT owner, business, a.actor_id, a.kind, a.name, a.email FROM contact_actors a WHERE a.party_id = owner AND a.other_id = unclaimed
  ON CONFLICT DO NOTHING;
  DELETE FROM contact_actors a WHERE a.party_id = owner AND a.other_id = unclaimed;
END
$function$;

CREATE FUNCTION message_words(message uuid, thread uuid, sender json, recipient json, segment text, type text, subject text, note text, body text, file_names text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
  words_max CONSTANT integer := 2000;
  text_max  CONSTANT integer := 32768;
  -- Stands between two fields, so that no phrase goes across.
  boundary  CONSTANT text := E' \x1f ';
  mailbox   text;
  to_party  text;
  facts     text;
BEGIN
  mailbox := lower((sender #>> '{actor,email}') COLLATE "C");
  to_party := coalesce(recipient #>> '{party,handle}', recipient #>> '{party,domain}', recipient #>> '{party,email}');
  SELECT string_agg(' =' || replace(f, ' ', ''), '') INTO facts
    FROM unnest(ARRAY['f:' || coalesce(sender #>> '{party,handle}', sender #>> '{party,domain}', sender #>> '{party,email}'),
                      'f:' || mailbox, 'f:' || split_part(mailbox, '@', 2), 't:' || to_party, 't:' || segment, 't:' || to_party || '/' || segment,
                      'y:' || replace(search_words(type, words_max), ' ', '.'),
                      CASE WHEN file_names IS NOT NULL THEN 'file' END, CASE WHEN body IS NOT NULL THEN 'json' END]) AS f
   WHERE f IS NOT NULL;
  RETURN coalesce(facts, '') || ' ' || search_words(left(concat_ws(boundary, subject, type,
      sender #>> '{party,display_name}', sender #>> '{party,handle}', sender #>> '{party,domain}', sender #>> '{party,email}',
      sender #>> '{actor,name}', mailbox,
      recipient #>> '{party,display_name}', recipient #>> '{party,handle}', recipient #>> '{party,domain}', recipient #>> '{party,email}',
      segment, public_id('msg', message), public_id('thr', thread), left(file_names, text_max / 4), left(note, text_max / 4),
      json_text(left(body, text_max))), text_max), words_max) || ' ';
-- Nothing that anybody sends may keep the index from going on.
EXCEPTION WHEN data_exception OR program_limit_exceeded OR internal_error OR feature_not_supported THEN
  RETURN ' ' || search_words(concat_ws(boundary, public_id('msg', message), public_id('thr', thread)), words_max) || ' ';
END
$function$;

CREATE FUNCTION messages_to_recover(party bigint, webhook uuid, selection text, messages uuid[], from_ms bigint, to_ms bigint)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  slack_ms CONSTANT bigint := 60000;
  known    uuid[];
BEGIN
  IF selection = 'all' THEN
    RETURN messages;
  END IF;
  known := ARRAY(SELECT a.message_id FROM webhook_attempts a
                  WHERE a.party_id = party AND a.webhook_id = webhook
                    AND a.id >= (SELECT new_uuid(to_timestamp((from_ms - slack_ms) / 1000.0)))
                    AND a.id <= (SELECT new_uuid(to_timestamp((to_ms + slack_ms) / 1000.0)))
                    AND (a.message_id IN (SELECT unnest(messages))) IS TRUE);
  RETURN ARRAY(
    SELECT m.id FROM (SELECT k.id, k.id IN (SELECT unnest(known)) AS is_known FROM unnest(messages) AS k (id)) m
     CROSS JOIN LATERAL (
       SELECT count(*) > 0 AS is_known, coalesce(bool_or(a.status IN ('dropped', 'failed')), false) AS is_given_up,
              coalesce(bool_or(a.event = 'message.replay' AND a.status IN ('pending', 'delivered')), false) AS is_replayed
         FROM (SELECT l.event, l.status FROM webhook_attempts l
                WHERE l.party_id = party AND l.webhook_id = webhook AND l.message_id >= m.id AND l.message_id <= m.id
                  AND (l.event = 'message.replay' OR l.status IN ('dropped', 'failed'))
                ORDER BY l.party_id, l.webhook_id, l.message_id LIMIT 1000) a) AS later
     WHERE (selection IN ('missing', 'undelivered') AND NOT m.is_known AND NOT later.is_known)
        OR (selection IN ('failed', 'undelivered') AND later.is_given_up AND NOT later.is_replayed));
END
$function$;

CREATE FUNCTION new_uuid(clock timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send((floor((EXTRACT(epoch FROM clock) * (1000)::numeric)))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;

CREATE FUNCTION next_due_in_ms(party bigint, consumer uuid, clock timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  next timestamptz;
BEGIN
  SELECT min(d.due_at) INTO next
    FROM ((SELECT m.due_at FROM consumer_messages m WHERE m.party_id = party AND m.consumer_id = consumer AND m.state = 'leased'
            ORDER BY m.due_at LIMIT 1)
          UNION ALL
          (SELECT m.due_at FROM consumer_messages m WHERE m.party_id = party AND m.consumer_id = consumer AND m.state = 'waiting'
            ORDER BY m.due_at LIMIT 1)) d;
  -- greatest() passes over nulls.
  RETURN CASE WHEN next IS NOT NULL THEN greatest(0, ceil(extract(epoch FROM next - clock) * 1000)) END;
END
$function$;

CREATE FUNCTION next_ordered_attempts(party bigint, webhook uuid, room integer, held uuid[], worker uuid, clock timestamp with time zone, OUT attempt_ids uuid[], OUT attempts json, OUT more_ms integer)
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  rounds_max CONSTANT integer := 3;
  page       CONSTANT integer := greatest(room, 64);
  left_room  integer := room;
  chosen     uuid[] := '{}';
  taken      uuid[];
  busy       uuid[];
  round      record;
BEGIN
  taken := held || ARRAY(SELECT unnest(l.attempt_ids) FROM webhook_leases l
                          WHERE l.party_id = party AND l.webhook_id = webhook AND l.worker_id <> worker AND l.until > clock);
  busy := ARRAY(SELECT a.thread_id FROM (SELECT party AS party_id, webhook AS webhook_id, unnest(taken) AS id) t
                  JOIN webhook_attempts a ON a.party_id = t.party_id AND a.webhook_id = t.webhook_id AND a.id = t.id AND (a.status = 'pending') IS TRUE);
  FOR n IN 1 .. rounds_max LOOP
    EXIT WHEN left_room <= 0;
    SELECT count(*) AS due,
           coalesce(array_agg(DISTINCT coalesce(j.first_id, j.id)) FILTER (WHERE NOT j.is_busy AND (j.first_due_at <= clock OR j.is_free)), '{}') AS next,
           coalesce(array_agg(j.id) FILTER (WHERE j.is_busy OR j.first_id <> j.id), '{}') AS blocked,
           coalesce(array_agg(j.first_id) FILTER (WHERE NOT j.is_busy AND j.first_due_at = 'infinity'), '{}') AS freed
      INTO round
      FROM (SELECT d.id, f.id AS first_id, f.due_at AS first_due_at, d.thread_id IS NULL OR f.due_at = 'infinity' AS is_free,
                   coalesce(d.thread_id IN (SELECT unnest(busy)) OR f.id IN (SELECT unnest(taken)), false) AS is_busy
              FROM (SELECT a.id, a.thread_id FROM webhook_attempts a
                     WHERE a.party_id = party AND a.webhook_id >= webhook AND a.webhook_id <= webhook
                       AND a.status = 'pending' AND a.due_at <= clock AND a.id NOT IN (SELECT unnest(taken))
                     ORDER BY a.party_id, a.webhook_id, a.due_at LIMIT page) d
              LEFT JOIN LATERAL (SELECT b.id, b.due_at FROM webhook_attempts b
                     WHERE b.party_id = party AND b.webhook_id = webhook AND b.thread_id = d.thread_id AND b.thread_id IS NOT NULL AND b.status = 'pending'
                     ORDER BY b.position, b.id LIMIT 1) f ON true) j;
    chosen := chosen || round.next[1:left_room];
    more_ms := CASE WHEN round.due = page AND cardinality(round.next) < left_room THEN 1 END;
    EXIT WHEN cardinality(round.blocked) = 0;
    UPDATE webhook_attempts SET due_at = 'infinity' WHERE party_id = party AND webhook_id = webhook AND id = ANY (round.blocked);
    UPDATE webhook_attempts SET due_at = clock WHERE party_id = party AND webhook_id = webhook AND id = ANY (round.freed);
    taken := taken || round.next[1:left_room];
    left_room := left_room - cardinality(round.next);
  END LOOP;

  SELECT array_agg(a.id),
         coalesce(json_agg(json_build_object('id', a.id, 'messageId', a.message_id, 'event', a.event, 'subjectId', a.subject_id, 'isOrdered',
                                    a.thread_id IS NOT NULL, 'createdMs', CASE a.event WHEN 'message.test' THEN floor(extract(epoch FROM a.created_at) * 1000)::bigint ELSE 0 END)), '[]')
    INTO attempt_ids, attempts
    FROM (SELECT party AS party_id, webhook AS webhook_id, unnest(chosen) AS id) c
    JOIN webhook_attempts a ON a.party_id = c.party_id AND a.webhook_id = c.webhook_id AND a.id = c.id;
  IF more_ms IS NOT NULL THEN
    attempt_ids := coalesce(attempt_ids, '{}');
  END IF;
END
$function$;

CREATE FUNCTION next_party_id(organisation text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  shard_count bigint := (SELECT count(*) FROM shards);
  next_id     bigint := nextval('parties_id_seq');
BEGIN
  WHILE shard_count > 1 AND organisation IS NOT NULL AND (next_id # hashtextextended(organisation, 0)) & (shard_count - 1) <> 0 LOOP
    next_id := nextval('parties_id_seq');
  END LOOP;
  RETURN next_id;
END
$function$;

CREATE FUNCTION note_hand_overs(party_ids bigint[], message_ids uuid[], way hand_over_way, clock timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
BEGIN
  INSERT INTO noted_hand_overs (party_id, message_id, way, handed_over_at)
  SELECT h.party_id, h.message_id, note_hand_overs.way, clock FROM unnest(party_ids, message_ids) AS h (party_id, message_id) ORDER BY 1, 2
  ON CONFLICT (party_id, message_id) DO NOTHING;
END
$function$;

CREATE FUNCTION public_id(prefix text, id uuid)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
DECLARE
  letters CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
  hex     CONSTANT text := replace(id::text, '-', '');
  hi      CONSTANT bigint := ('x' || left(hex, 16))::bit(64)::bigint;
  lo      CONSTANT bigint := ('x' || right(hex, 16))::bit(64)::bigint;
BEGIN
  RETURN prefix || '_' ||
    concat(substr(letters, ((hi >> 61) & 7)::integer + 1, 1), substr(letters, ((hi >> 56) & 31)::integer + 1, 1), substr(letters, ((hi >> 51) & 31)::integer + 1, 1),
                    substr(letters, ((hi >> 46) & 31)::integer + 1, 1), substr(letters, ((hi >> 41) & 31)::integer + 1, 1), substr(letters, ((hi >> 36) & 31)::integer + 1, 1),
                    substr(letters, ((hi >> 31) & 31)::integer + 1, 1), substr(letters, ((hi >> 26) & 31)::integer + 1, 1), substr(letters, ((hi >> 21) & 31)::integer + 1, 1),
                    substr(letters, ((hi >> 16) & 31)::integer + 1, 1), substr(letters, ((hi >> 11) & 31)::integer + 1, 1), substr(letters, ((hi >> 6) & 31)::integer + 1, 1),
                    substr(letters, ((hi >> 1) & 31)::integer + 1, 1), substr(letters, (((lo >> 60) & 15) | ((hi & 1) << 4))::integer + 1, 1), substr(letters, ((lo >> 55) & 31)::integer + 1, 1),
                    substr(letters, ((lo >> 50) & 31)::integer + 1, 1), substr(letters, ((lo >> 45) & 31)::integer + 1, 1), substr(letters, ((lo >> 40) & 31)::integer + 1, 1),
                    substr(letters, ((lo >> 35) & 31)::integer + 1, 1), substr(letters, ((lo >> 30) & 31)::integer + 1, 1), substr(letters, ((lo >> 25) & 31)::integer + 1, 1),
                    substr(letters, ((lo >> 20) & 31)::integer + 1, 1), substr(letters, ((lo >> 15) & 31)::integer + 1, 1), substr(letters, ((lo >> 10) & 31)::integer + 1, 1),
                    substr(letters, ((lo >> 5) & 31)::integer + 1, 1), substr(letters, (lo & 31)::integer + 1, 1));
END
$function$;

CREATE FUNCTION queue_acknowledgements(messages committed_message[], acknowledgements prepared_acknowledgement[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  reply   record;
  verdict text;
BEGIN
  -- In the order of the messages, so that two batches which lock several entries lock them in the order of their ledgers' locks.
  FOR reply IN
    SELECT m.sender_id, m.in_reply_to, m.id, a.status, a.reason
      FROM unnest(messages) WITH ORDINALITY AS m JOIN unnest(acknowledgements) AS a ON a.reply_id = m.id ORDER BY m.ordinality
  LOOP
    verdict := judge_acknowledgement(reply.sender_id, reply.in_reply_to, reply.status, reply.reason, true);
    IF verdict = 'new' THEN
      INSERT INTO due_acknowledgements (party_id, message_id, status, reason, reply_id)
      VALUES (reply.sender_id, reply.in_reply_to, reply.status, reply.reason, reply.id);
      PERFORM queue_job('acknowledge-message', json_build_object('party_id', reply.sender_id::text, 'message_id', reply.in_reply_to),
                        'acknowledge-message ' || reply.sender_id || ' ' || reply.in_reply_to);
    ELSIF verdict <> 'same' THEN
      RAISE EXCEPTION '%', verdict USING ERRCODE = 'KR002';
    END IF;
  END LOOP;
END
$function$;

CREATE FUNCTION queue_document_threads(party bigint, wanted uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO document_queue (is_rebuild, party_id, id, thread_id, after) SELECT true, party, new_uuid(clock_timestamp()), k, 0 FROM unnest(wanted) AS k;
END
$function$;

CREATE FUNCTION queue_job(job_name text, job_payload json, key text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF starts_with(current_schema(), 'shard_') THEN
    INSERT INTO queued_jobs (id, name, payload, job_key) VALUES (new_uuid(clock_timestamp()), job_name, job_payload, key);
  ELSE
    PERFORM graphile_worker.add_job(job_name, job_payload, job_key => key);
  END IF;
END
$function$;

CREATE FUNCTION queue_mail(mail json, priority integer DEFAULT 5)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM graphile_worker.add_job(
            'send-mail', json_build_object('id', new_uuid(clock_timestamp()), 'mail', mail), max_attempts => 25,
            priority => CASE WHEN mail -> 'headers' -> 'List-Unsubscribe' IS NULL THEN priority ELSE 10 END);
END
$function$;

CREATE FUNCTION queue_message_events(messages committed_message[], clock timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  names text;
BEGIN
  WITH queued AS (
    INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, subject_id, attempt, due_at, created_at, next_attempt_at, thread_id, position)
    SELECT w.party_id, w.id, new_uuid(clock), new_uuid(clock), k.event, m.id, 1, clock, clock, clock,
           CASE WHEN w.ordered THEN e.thread_id END, CASE WHEN w.ordered THEN e.position END
      FROM unnest(messages) AS m
     CROSS JOIN LATERAL (VALUES (m.sender_id, 'message.sent', 'out'::ledger_box), (m.recipient_id, 'schema.failed', 'in'::ledger_box)) AS k (party_id, event, box)
      JOIN webhooks w ON w.party_id = k.party_id AND w.active AND ('message.sent' = ANY (w.events) OR 'schema.failed' = ANY (w.events))
                     AND k.event = ANY (w.events) AND (w.types IS NULL OR m.type LIKE ANY (w.types))
                     AND (k.box = 'out' OR w.target IS NULL OR w.target = m.segment)
     CROSS JOIN LATERAL (SELECT l.thread_id, l.position FROM ledger_entries l
                          WHERE l.party_id = k.party_id AND l.message_id >= m.id AND l.message_id <= m.id AND l.box = k.box
                            AND (k.box = 'out' OR l.validation = 'failed')
                          ORDER BY l.party_id, l.message_id LIMIT 1) e
    RETURNING party_id, webhook_id
  )
  SELECT string_agg(DISTINCT party_id || ':' || webhook_id, ',') INTO names FROM queued;
  RETURN names;
END
$function$;

CREATE FUNCTION queue_older_documents(queued uuid, party bigint, below uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  threads_max CONSTANT integer := 200;
  older       uuid[];
BEGIN
  older := ARRAY(SELECT t.thread_id FROM threads t WHERE t.party_id = party AND t.thread_id < below ORDER BY t.thread_id DESC LIMIT threads_max);
  PERFORM queue_document_threads(party, older);
  DELETE FROM document_queue q WHERE q.is_rebuild AND q.party_id = party AND q.id = queued;
  -- Behind those, so that they are read before more are queued.
  IF cardinality(older) = threads_max THEN
    INSERT INTO document_queue (is_rebuild, party_id, id, thread_id, after) VALUES (true, party, new_uuid(clock_timestamp()), older[threads_max], -1);
  END IF;
END
$function$;

CREATE FUNCTION queue_older_threads(queued uuid, party bigint, below uuid)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  threads_max CONSTANT integer := 100;
  older       uuid[];
BEGIN
  older := ARRAY(SELECT t.thread_id FROM threads t WHERE t.party_id = party AND t.thread_id < below ORDER BY t.thread_id DESC LIMIT threads_max);
  PERFORM queue_search_threads(party, older);
  DELETE FROM search_queue q WHERE q.is_rebuild AND q.id = queued;
  -- Behind those, so that they are written before more are queued.
  IF cardinality(older) = threads_max THEN
    INSERT INTO search_queue (is_rebuild, id, party_id, thread_id, after) VALUES (true, new_uuid(clock_timestamp()), party, older[threads_max], -1);
  END IF;
  RETURN greatest(1, cardinality(older));
END
$function$;

CREATE FUNCTION queue_recovered(party bigint, webhook uuid, messages uuid[], is_ordered boolean, clock timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  today  CONSTANT date := (clock AT TIME ZONE 'UTC')::date;
BEGIN
  IF cardinality(messages) = 0 THEN
    RETURN;
  END IF;
  INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, next_attempt_at, thread_id, position)
  SELECT party, webhook, new_uuid(clock), c.id, 'message.replay', 1, clock, clock, clock, e.thread_id, e.position
    FROM unnest(messages) AS c (id)
    LEFT JOIN LATERAL (SELECT l.thread_id, l.position FROM ledger_entries l
                        WHERE is_ordered AND l.party_id = party AND l.message_id >= c.id AND l.message_id <= c.id AND l.box = 'in'
                        ORDER BY l.party_id, l.message_id LIMIT 1) e ON true;
  INSERT INTO webhook_recovery_usage AS u (party_id, webhook_id, day, recoveries, queued)
  VALUES (party, nobody, today, 0, cardinality(messages)), (party, webhook, today, 0, cardinality(messages))
      ON CONFLICT (party_id, webhook_id, day) DO UPDATE SET queued = u.queued + excluded.queued;
END
$function$;

CREATE FUNCTION queue_reply_notices(messages committed_message[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  replied record;
BEGIN
  -- IS TRUE keeps the index of handles, which finds all parties that have none, from serving in place of the primary key.
  PERFORM queue_job('notify-of-reply', json_build_object('party_id', p.id::text, 'message_id', m.id), 'notify-of-reply ' || m.id)
     FROM unnest(messages) AS m JOIN parties p ON p.id = m.recipient_id AND (p.handle IS NULL) IS TRUE
    WHERE m.half IS DISTINCT FROM 'out';

  -- A loop, because Citus runs no function that writes inside of a query on a shard.
  FOR replied IN
    SELECT e.party_id, m.id FROM unnest(messages) AS m
      JOIN ledger_entries e ON e.party_id = m.recipient_id AND e.message_id = m.in_reply_to AND e.box = 'out' AND e.from_email IS NOT NULL
     WHERE m.in_reply_to IS NOT NULL AND (SELECT v.party_id FROM verified_domains v WHERE v.domain = e.from_domain) = e.party_id
       AND NOT EXISTS (SELECT 1 FROM people h JOIN members b ON b.person_id = h.id AND b.party_id = e.party_id WHERE h.email = e.from_email AND h.email_verified)
  LOOP
    PERFORM queue_job('notify-of-reply', json_build_object('party_id', replied.party_id::text, 'message_id', replied.id), 'notify-of-reply ' || replied.id);
  END LOOP;
END
$function$;

CREATE FUNCTION queue_search_entries(entries indexed_entry[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  -- What a sender gets written when it is its turn.
  part      CONSTANT integer := 50;
  searching bigint[];
BEGIN
  searching := ARRAY(SELECT i.party_id FROM thread_index i
                      WHERE i.party_id = ANY (ARRAY(SELECT DISTINCT e.party_id FROM unnest(entries) AS e)) AND i.searched_at IS NOT NULL);
  IF searching = '{}' THEN
    RETURN;
  END IF;
  INSERT INTO search_queue (is_rebuild, id, party_id, entries)
  SELECT false, new_uuid(clock_timestamp()), s.sender_id, s.entries[n : n + part - 1]
    FROM (SELECT e.sender_id, array_agg(e ORDER BY e.message_id, e.position) AS entries FROM unnest(entries) AS e
           WHERE e.party_id = ANY (searching) GROUP BY e.sender_id) s
   CROSS JOIN LATERAL generate_series(1, cardinality(s.entries), part) AS n ORDER BY n;
END
$function$;

CREATE FUNCTION queue_search_threads(party bigint, wanted uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT 1 FROM thread_index i WHERE i.party_id = party AND i.searched_at IS NOT NULL) THEN
    INSERT INTO search_queue (is_rebuild, id, party_id, thread_id) SELECT true, new_uuid(clock_timestamp()), party, k FROM unnest(wanted) AS k;
  END IF;
END
$function$;

CREATE FUNCTION queue_webhook_attempts(messages committed_message[])
 RETURNS text
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  clock  timestamptz := clock_timestamp();
  wanted record;
  names  text;
  others text;
BEGIN
  SELECT bool_or('message.received' = ANY (w.events)) AS received, bool_or(w.events && '{message.sent,schema.failed}') AS others INTO wanted
    FROM webhooks w
   WHERE w.active AND w.party_id = ANY (ARRAY(SELECT m.recipient_id FROM unnest(messages) AS m UNION SELECT m.sender_id FROM unnest(messages) AS m));

  IF wanted.received THEN
    WITH queued AS (
      INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, next_attempt_at, thread_id, position)
      SELECT w.party_id, w.id, new_uuid(clock), m.id, 'message.received', 1, clock, clock, clock, e.thread_id, e.position
        FROM unnest(messages) AS m
        JOIN webhooks w ON w.party_id = m.recipient_id AND w.active AND 'message.received' = ANY (w.events) AND (w.target IS NULL OR w.target = m.segment)
                       AND (w.types IS NULL OR m.type LIKE ANY (w.types))
        LEFT JOIN LATERAL (SELECT l.thread_id, l.position FROM ledger_entries l
                            WHERE w.ordered AND l.party_id = w.party_id AND l.message_id >= m.id AND l.message_id <= m.id AND l.box = 'in'
                            ORDER BY l.party_id, l.message_id LIMIT 1) e ON true
      RETURNING party_id, webhook_id
    )
    SELECT string_agg(DISTINCT party_id || ':' || webhook_id, ',') INTO names FROM queued;
  END IF;
  IF wanted.others THEN
    others := queue_message_events(messages, clock);
  END IF;
  RETURN nullif(concat_ws(',', names, others), '');
END
$function$;

CREATE FUNCTION queue_webhook_events(party bigint, happened text, subjects uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  clock       CONSTANT timestamptz := clock_timestamp();
  waiting_max CONSTANT integer := 10000;
BEGIN
  INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, subject_id, attempt, due_at, created_at, next_attempt_at)
  SELECT w.party_id, w.id, new_uuid(clock), new_uuid(clock), happened, s.id, 1, clock, clock, clock
    FROM unnest(subjects) AS s (id) JOIN webhooks w ON w.party_id = party AND w.active AND happened = ANY (w.events)
   WHERE (SELECT a.id FROM webhook_attempts a WHERE a.party_id = w.party_id AND a.webhook_id = w.id AND a.status = 'pending'
           OFFSET waiting_max - 1 LIMIT 1) IS NULL;
END
$function$;

CREATE FUNCTION read_chains(party_ids bigint[], message_ids uuid[])
 RETURNS TABLE(party_id bigint, message_id uuid, number smallint, said_at timestamp with time zone, way hand_over_way, statement text, log_batch uuid, log_slot smallint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT k.party_id, k.message_id, l.number, l.said_at, l.way, l.statement, l.log_batch, l.log_slot
    FROM unnest(party_ids, message_ids) AS k (party_id, message_id)
   CROSS JOIN LATERAL (
      SELECT h.number, h.handed_over_at AS said_at, h.way, NULL::text AS statement, h.log_batch, h.log_slot
        FROM hand_overs h WHERE h.party_id = k.party_id AND h.message_id = k.message_id AND h.number IS NOT NULL
      UNION ALL
      SELECT n.number, n.noted_at, NULL, NULL, n.log_batch, 0::smallint
        FROM non_deliveries n WHERE n.party_id = k.party_id AND n.message_id = k.message_id
      UNION ALL
      SELECT a.chain_number, NULL, NULL, a.statement, a.log_batch, 0::smallint
        FROM acknowledgements a WHERE a.party_id = k.party_id AND a.message_id = k.message_id AND a.chain_number IS NOT NULL) l
   ORDER BY k.party_id, k.message_id, l.number;
END
$function$;

CREATE FUNCTION read_new_entries(parties bigint[], part_max integer)
 RETURNS indexed_entry[]
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  locked  record;
  entries indexed_entry[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('rounds ' || shard_name(), 0));
  LOOP
    SELECT array_agg(l.party_id) AS parties, array_agg(l.indexed_through) AS through, array_agg(l.counted_through) AS counted INTO locked
      FROM (SELECT i.party_id, i.indexed_through, i.counted_through FROM unnest(parties) AS k (party_id) JOIN thread_index i ON i.party_id = k.party_id
             ORDER BY i.party_id FOR UPDATE OF i) l;
    EXIT WHEN coalesce(cardinality(locked.parties), 0) = cardinality(parties);
    INSERT INTO thread_index (party_id, indexed_through) SELECT k, 0 FROM unnest(parties) AS k ORDER BY k ON CONFLICT DO NOTHING;
  END LOOP;

  SELECT array_agg(ROW (e.party_id, e.box, e.position, e.message_id,
                        coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END),
                        e.counterparty_id, e.thread_id, e.validation, e.type, e.segment, e.from_email,
                        m.subject, m.file_count > 0, m.received_at, CASE e.box WHEN 'in' THEN m.sender END, e.position <= k.counted, m.document)::indexed_entry)
    INTO entries
    FROM unnest(locked.parties, locked.through, locked.counted) AS k (party_id, through, counted)
   CROSS JOIN LATERAL (
      (SELECT l.* FROM ledger_entries l WHERE l.party_id = k.party_id AND l.box = 'in' AND l.position > k.through
        ORDER BY l.position LIMIT part_max)
      UNION ALL
      (SELECT l.* FROM ledger_entries l WHERE l.party_id = k.party_id AND l.box = 'out' AND l.position > k.through
        ORDER BY l.position LIMIT part_max)
      ORDER BY position LIMIT part_max) e
    LEFT JOIN LATERAL (
      SELECT m.subject, m.file_count, m.received_at, m.sender, m.document FROM messages m
       WHERE m.sender_id = coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END) AND m.id = e.message_id LIMIT 1) m ON true;

  UPDATE thread_index i SET indexed_through = n.through
    FROM (SELECT e.party_id, max(e.position) AS through FROM unnest(entries) AS e GROUP BY e.party_id) n WHERE i.party_id = n.party_id;
  RETURN coalesce(entries, '{}');
END
$function$;

CREATE FUNCTION rebuild_contacts(party bigint, wanted uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  owners bigint[];
  others bigint[];
BEGIN
  INSERT INTO contact_activity AS a (party_id, other_id, last_position)
  SELECT t.party_id, t.counterparty_id, max(t.last_position) FROM threads t
   WHERE t.party_id = party AND t.thread_id = ANY (wanted) GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (party_id, other_id) DO UPDATE SET last_position = excluded.last_position WHERE a.last_position < excluded.last_position;
  SELECT array_agg(t.party_id), array_agg(t.counterparty_id) INTO owners, others FROM threads t WHERE t.party_id = party AND t.thread_id = ANY (wanted);
  PERFORM add_contact_names(owners, others);
END
$function$;

CREATE FUNCTION rebuild_threads(party bigint, wanted uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  part_max CONSTANT integer := 10000;
  through  bigint := (SELECT i.indexed_through FROM thread_index i WHERE i.party_id = party);
  after    bigint := 0;
  entries  indexed_entry[];
BEGIN
  UPDATE threads t
     SET message_count = 0, in_count = 0, out_count = 0, last_in_position = 0, has_files = false, failed_schema = false,
         subject = NULL, type = NULL, segment = NULL, from_email = NULL
   WHERE t.party_id = party AND t.thread_id = ANY (wanted);

  LOOP
    SELECT array_agg(ROW (e.party_id, e.box, e.position, e.message_id,
                          coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END),
                          e.counterparty_id, e.thread_id, e.validation, e.type, e.segment, e.from_email,
                          m.subject, m.file_count > 0, NULL, NULL, true, NULL)::indexed_entry),
           max(e.position)
      INTO entries, after
      FROM unnest(wanted) AS k (thread_id) CROSS JOIN LATERAL (
        (SELECT l.* FROM ledger_entries l WHERE l.party_id = party AND l.thread_id = k.thread_id AND l.box = 'in'
            AND l.position > after AND l.position <= through ORDER BY l.position LIMIT part_max)
        UNION ALL
        (SELECT l.* FROM ledger_entries l WHERE l.party_id = party AND l.thread_id = k.thread_id AND l.box = 'out'
            AND l.position > after AND l.position <= through ORDER BY l.position LIMIT part_max)
        ORDER BY position LIMIT CASE WHEN cardinality(wanted) = 1 THEN part_max END) e
        LEFT JOIN LATERAL (
          SELECT m.subject, m.file_count FROM messages m
           WHERE m.sender_id = coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END) AND m.id = e.message_id LIMIT 1) m ON true;
    EXIT WHEN entries IS NULL;
    PERFORM index_threads(entries);
    EXIT WHEN cardinality(wanted) > 1 OR cardinality(entries) < part_max;
  END LOOP;

  DELETE FROM threads t WHERE t.party_id = party AND t.thread_id = ANY (wanted) AND t.message_count = 0;
END
$function$;

CREATE FUNCTION receive_messages(messages prepared_message[], hashes bytea[], times timestamp with time zone[], ledgers touched_ledger[], OUT committed committed_message[])
 RETURNS committed_message[]
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  clock  CONSTANT timestamptz := clock_timestamp();
  placed record;
  fresh  record;
BEGIN
  SELECT * INTO placed FROM lock_ledgers(ledgers, greatest(clock, (SELECT max(t) FROM unnest(times) AS t)));

  SELECT array_agg(b.m) AS messages, array_agg(b.hash) AS hashes, array_agg(b.received_at) AS times INTO fresh
    FROM (SELECT unnest(messages) AS m, unnest(hashes) AS hash, unnest(times) AS received_at) b
   WHERE NOT EXISTS (SELECT 1 FROM messages k WHERE k.sender_id = (b.m).sender_id AND k.id = (b.m).id);
  IF fresh.messages IS NOT NULL THEN
    SELECT w.committed INTO committed
      FROM write_messages(fresh.messages, ledgers, placed.bases, placed.filtered, clock, clock, NULL, fresh.hashes, fresh.times) w;
  END IF;
END
$function$;

CREATE FUNCTION record_deliveries(made made_attempt[], begun_at timestamp with time zone[], clock timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  party_ids   bigint[];
  message_ids uuid[];
BEGIN
  -- IS TRUE keeps the index of pending attempts, which has no ids, from serving in place of the primary key.
  WITH delivered AS (
    UPDATE webhook_attempts a
       SET status = 'delivered', status_code = m.status_code, response_ms = m.response_ms,
           attempted_at = begun_at[m.ordinality], next_attempt_at = NULL
      FROM unnest(made) WITH ORDINALITY AS m
     WHERE a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE
    RETURNING a.party_id, a.message_id, a.event
  )
  SELECT array_agg(d.party_id), array_agg(d.message_id) INTO party_ids, message_ids
    FROM delivered d WHERE d.event IN ('message.received', 'message.replay');
  IF party_ids IS NOT NULL THEN
    PERFORM note_hand_overs(party_ids, message_ids, 'webhook', clock);
  END IF;
END
$function$;

CREATE FUNCTION record_hash(object uuid, hash bytea)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  is_new   boolean;
  sent     record;
  logged   uuid;
  of_party record;
BEGIN
  UPDATE objects SET sha256 = hash WHERE id = object AND sha256 IS NULL;
  is_new := FOUND;

  -- The text is canonical JSON (RFC 8785), as modules/log/statements.ts writes it. A message may have been sent since the last time.
  FOR sent IN SELECT f.party_id, f.id, f.message_id, (SELECT o.size_bytes FROM objects o WHERE o.party_id = f.party_id AND o.id = f.object_id) AS size_bytes
                FROM files f WHERE f.object_id = object AND f.party_id = f.owner_id AND f.log_batch IS NULL LOOP
    logged := log_leaves('\x02'::bytea || sha256(convert_to(format('{"file":"%s","message":"%s","sha256":"sha256:%s","size_bytes":%s}',
      public_id('file', sent.id), public_id('msg', sent.message_id), encode(hash, 'hex'), sent.size_bytes), 'UTF8')), clock_timestamp());
    UPDATE files SET log_batch = logged WHERE party_id = sent.party_id AND id = sent.id;
  END LOOP;

  IF NOT is_new THEN
    RETURN;
  END IF;
  FOR of_party IN SELECT f.party_id, array_agg(DISTINCT f.message_id) AS messages FROM files f WHERE f.object_id = object GROUP BY f.party_id LOOP
    PERFORM queue_webhook_events(of_party.party_id, 'file.hashed', of_party.messages);
  END LOOP;
END
$function$;

CREATE FUNCTION record_webhook_attempts(made made_attempt[], retry_delays_s integer[], failures_max integer, tell_after_s integer, pause_after_s integer)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  batch        record;
  clock        CONSTANT timestamptz := now();
  -- Times are computed before the statements that write them: Citus refuses to compute one from a column in a write.
  begun_at     CONSTANT timestamptz[] := ARRAY(SELECT clock - m.age_ms * interval '1 millisecond' FROM unnest(made) WITH ORDINALITY AS m ORDER BY m.ordinality);
  asked_at     timestamptz[];
  earliest_at  timestamptz[];
  latest_at    timestamptz[];
  gone         uuid[];
BEGIN
  SELECT bool_and(m.is_proven) AS is_proven, bool_and(m.succeeded) AS succeeded, bool_or(m.is_ordered) AS is_ordered INTO batch FROM unnest(made) AS m;
  IF batch.is_ordered THEN
    PERFORM lock_ordered_webhooks(made);
  END IF;
  IF NOT batch.is_proven OR NOT batch.succeeded THEN
    PERFORM judge_webhooks(made, failures_max, tell_after_s, pause_after_s);
  ELSIF EXISTS (SELECT 1 FROM webhooks w WHERE w.failing_since IS NOT NULL) THEN
    PERFORM clear_failing_webhooks(made);
  END IF;

  -- Mostly all succeed, and nothing follows.
  IF batch.succeeded THEN
    PERFORM record_deliveries(made, begun_at, clock);
    IF batch.is_ordered THEN
      PERFORM release_threads(made);
    END IF;
    RETURN;
  END IF;

  asked_at := ARRAY(SELECT clock + make_interval(secs => m.retry_after_s) FROM unnest(made) WITH ORDINALITY AS m ORDER BY m.ordinality);
  earliest_at := ARRAY(SELECT clock + make_interval(secs => d.s) FROM unnest(retry_delays_s) WITH ORDINALITY AS d (s, place) ORDER BY d.place);
  latest_at := ARRAY(SELECT clock + make_interval(secs => 2.0 * d.s) FROM unnest(retry_delays_s) WITH ORDINALITY AS d (s, place) ORDER BY d.place);
  gone := ARRAY(SELECT m.id FROM unnest(made) AS m JOIN webhooks w ON w.party_id = m.party_id AND w.id = m.webhook_id AND w.url_version = m.url_version
                 WHERE m.status_code = 410);
  WITH recorded AS (
    UPDATE webhook_attempts a
       SET status = CASE WHEN m.succeeded THEN 'delivered'::attempt_status WHEN a.event = 'message.test' OR a.id = ANY (gone) THEN 'failed'::attempt_status
                         WHEN a.attempt > cardinality(retry_delays_s) THEN 'dropped'::attempt_status ELSE 'retrying'::attempt_status END,
           status_code = m.status_code, error = m.error, response_ms = m.response_ms, attempted_at = begun_at[m.ordinality],
           next_attempt_at = CASE WHEN NOT m.succeeded AND a.event <> 'message.test' AND a.id <> ALL (gone) AND a.attempt <= cardinality(retry_delays_s)
                                  THEN greatest(earliest_at[a.attempt], least(asked_at[m.ordinality], latest_at[a.attempt])) END
      FROM unnest(made) WITH ORDINALITY AS m
     WHERE a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id AND (a.status = 'pending') IS TRUE
    RETURNING a.party_id, a.webhook_id, a.message_id, a.event, a.subject_id, a.attempt, a.status, a.next_attempt_at, a.thread_id, a.position
  )
  INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, subject_id, attempt, due_at, created_at, next_attempt_at, thread_id, position)
  SELECT r.party_id, r.webhook_id, new_uuid(clock), r.message_id, r.event, r.subject_id, r.attempt + 1, r.next_attempt_at, clock, r.next_attempt_at,
         r.thread_id, r.position
    FROM recorded r JOIN webhooks w ON w.party_id = r.party_id AND w.id = r.webhook_id
   WHERE r.status = 'retrying';
  PERFORM hand_over_messages(made, clock);
  IF batch.is_ordered THEN
    PERFORM release_threads(made);
  END IF;
END
$function$;

CREATE FUNCTION recoverable_today(party bigint, webhook uuid, today date, webhook_per_day integer, business_per_day integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  used   record;
BEGIN
  INSERT INTO webhook_recovery_usage AS u (party_id, webhook_id, day, recoveries) VALUES (party, nobody, today, 0)
      ON CONFLICT (party_id, webhook_id, day) DO UPDATE SET queued = u.queued;
  SELECT coalesce(max(u.queued) FILTER (WHERE u.webhook_id = webhook), 0) AS by_webhook,
         coalesce(max(u.queued) FILTER (WHERE u.webhook_id = nobody), 0) AS by_business
    INTO used FROM webhook_recovery_usage u WHERE u.party_id = party AND u.webhook_id IN (webhook, nobody) AND u.day = today;
  RETURN least(webhook_per_day - used.by_webhook, business_per_day - used.by_business);
END
$function$;

CREATE FUNCTION release_messages(party bigint, consumer text, worker text, ids uuid[], delay interval, why text, is_undone boolean)
 RETURNS TABLE(done uuid[], has_news boolean)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  its     record;
  clock   timestamptz;
  due     timestamptz;
  back    uuid[];
  poison  uuid[];
  threads uuid[];
BEGIN
  SELECT c.id, c.max_tries INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  clock := clock_timestamp();
  due := clock + delay;
  SELECT coalesce(array_agg(m.message_id) FILTER (WHERE is_undone OR m.tries < its.max_tries), '{}'),
         coalesce(array_agg(m.message_id) FILTER (WHERE NOT is_undone AND m.tries >= its.max_tries), '{}'),
         array_agg(m.thread_id) FILTER (WHERE NOT is_undone AND m.tries >= its.max_tries)
    INTO back, poison, threads FROM consumer_messages m
   WHERE m.party_id = party AND m.consumer_id = its.id AND m.message_id = ANY (ids) AND (m.state = 'leased') IS TRUE AND m.holder = worker;
  UPDATE consumer_messages
     SET state = 'waiting', due_at = due, reason = coalesce(why, reason), tries = tries - CASE WHEN is_undone THEN 1 ELSE 0 END
   WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (back);
  UPDATE consumer_messages SET state = 'parked', due_at = clock, reason = coalesce(why, reason)
   WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (poison);
  done := back || poison;
  has_news := free_threads(party, its.id, threads, clock) OR cardinality(back) > 0;
  RETURN NEXT;
END
$function$;

CREATE FUNCTION release_threads(made made_attempt[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  clock CONSTANT timestamptz := now();
BEGIN
  UPDATE webhook_attempts n SET due_at = clock
    FROM (SELECT DISTINCT a.party_id, a.webhook_id, a.thread_id FROM unnest(made) AS m
            JOIN webhook_attempts a ON a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id
           WHERE m.is_ordered AND a.thread_id IS NOT NULL) t
   CROSS JOIN LATERAL (SELECT b.id FROM webhook_attempts b
           WHERE b.party_id = t.party_id AND b.webhook_id = t.webhook_id AND b.thread_id = t.thread_id AND b.status = 'pending' AND b.thread_id IS NOT NULL
           ORDER BY b.position, b.id LIMIT 1) f
   WHERE n.party_id = t.party_id AND n.webhook_id = t.webhook_id AND n.id = f.id AND n.due_at = 'infinity';
END
$function$;

CREATE FUNCTION rename_contact(owners bigint[], other bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  renamed record;
BEGIN
  -- Under the lock, the later of two changes writes the name. Deliveries lock contacts in the same order, so there is no deadlock.
  PERFORM FROM contacts c WHERE c.party_id = ANY (owners) AND c.other_id = other ORDER BY c.party_id FOR UPDATE;
  SELECT array_agg(c.party_id) AS owners, array_agg(contact_name(c.folded_label, p.folded_name)) AS names INTO renamed
    FROM unnest(owners) AS k (owner) JOIN contacts c ON c.party_id = k.owner AND c.other_id = other JOIN parties p ON p.id = c.other_id;
  INSERT INTO contact_names AS n (party_id, other_id, name)
  SELECT r.owner, other, r.name FROM unnest(renamed.owners, renamed.names) AS r (owner, name) ORDER BY 1
  ON CONFLICT (party_id, other_id) DO UPDATE SET name = excluded.name, grams = NULL WHERE n.name <> excluded.name OR n.grams IS NOT NULL;
END
$function$;

CREATE FUNCTION retry_follower(index text, rebuild text, party bigint, failure uuid)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  noted  follower_failures;
  size   integer;
  first  integer := 1;
  last   integer;
BEGIN
  -- What is rebuilt must not change meanwhile. Of two workers that try the same, the second finds it done.
  PERFORM lock_position(party);
  SELECT * INTO noted FROM follower_failures f WHERE f.party_id = party AND f.id = failure;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  BEGIN
    IF noted.entries IS NULL THEN
      EXECUTE format('SELECT %I($1, $2)', rebuild) USING party, noted.thread_ids;
    ELSE
      EXECUTE format('SELECT %I($1)', index) USING noted.entries;
    END IF;
    DELETE FROM follower_failures f WHERE f.party_id = party AND f.id = failure;
    RETURN NULL;
  EXCEPTION WHEN OTHERS THEN
    IF is_passing_error(SQLSTATE) THEN
      RAISE;
    END IF;
    noted.error := SQLERRM;
  END;

  size := coalesce(cardinality(noted.entries), cardinality(noted.thread_ids));
  IF size = 1 THEN
    UPDATE follower_failures f
       SET error = noted.error, tries = noted.tries + 1, next_at = clock_timestamp() + make_interval(secs => least(3600, 10 * 2 ^ least(noted.tries, 10)))
     WHERE f.party_id = party AND f.id = failure;
    RETURN index || ': ' || noted.error;
  END IF;
  DELETE FROM follower_failures f WHERE f.party_id = party AND f.id = failure;
  FOREACH last IN ARRAY ARRAY[size / 2, size] LOOP
    INSERT INTO follower_failures (party_id, id, follower, entries, thread_ids, error, tries, next_at)
    VALUES (party, new_uuid(clock_timestamp()), index, noted.entries[first : last],
            CASE WHEN noted.entries IS NULL THEN noted.thread_ids[first : last]
                 ELSE ARRAY(SELECT DISTINCT e.thread_id FROM unnest(noted.entries[first : last]) AS e) END,
            noted.error, noted.tries, clock_timestamp());
    first := last + 1;
  END LOOP;
  RETURN index || ': ' || noted.error;
END
$function$;

CREATE FUNCTION search_words(given text, words_max integer)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
  -- A longer word is cut; so is that of a query.
  word_max CONSTANT integer := 64;
  separated text;
BEGIN
  IF octet_length(given) = char_length(given) THEN
    -- The usual case needs no folding, and no look at each word.
    separated := btrim(array_to_string((regexp_split_to_array(lower(given COLLATE "C"), '[^0-9a-z\x1f]+'))[1 : words_max + 1], ' '));
    IF separated ~ '[^ ]{65}' THEN
      RETURN (SELECT string_agg(left(w, word_max), ' ') FROM unnest(string_to_array(separated, ' ')) AS w);
    END IF;
    RETURN nullif(separated, '');
  END IF;
  separated := regexp_replace(lower(given COLLATE "C"), '[\u0001-\u001e\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d\u30fb\ufe10-\ufe1f\ufe30-\ufe6f\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufff0-\uffff]+', ' ', 'g');
  separated := regexp_replace(separated, '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff]', ' \& ', 'g');
  RETURN (SELECT string_agg(f, ' ')
            FROM (SELECT CASE WHEN octet_length(w) = char_length(w) THEN left(w, word_max)
                              -- Cut before it is folded, which takes the square of the time for some texts, and once more because it may grow.
                              ELSE left(fold_word(left(w, word_max)), word_max) END AS f
                    FROM unnest(string_to_array(separated, ' ')) AS w WHERE w <> '' LIMIT words_max) s
           WHERE f <> '');
END
$function$;

CREATE FUNCTION seek_consumer(party bigint, consumer text, target bigint)
 RETURNS TABLE(through bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  its  record;
  gone integer;
BEGIN
  SELECT c.id INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  through := least(target, coalesce((SELECT l.head FROM ledgers l WHERE l.party_id = party), 0));
  DELETE FROM consumer_messages WHERE party_id = party AND consumer_id = its.id AND (state <> 'parked' OR position > through);
  GET DIAGNOSTICS gone = ROW_COUNT;
  UPDATE consumers SET taken_through = through, kept = kept - gone WHERE party_id = party AND name = consumer;
  RETURN NEXT;
END
$function$;

CREATE FUNCTION sender_usage(messages prepared_message[], clock timestamp with time zone, new_account_days integer)
 RETURNS TABLE(ledger integer, day_ledger integer, organisation text, month_messages bigint, day_messages bigint, day_bytes bigint, is_new boolean)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  today             date := (clock AT TIME ZONE 'UTC')::date;
  used              record;
  organisation_used bigint;
BEGIN
  FOR used IN
    SELECT s.ledger, coalesce(p.organisation, p.domain) AS organisation,
           CASE WHEN p.handle IS NULL THEN true
                WHEN p.claimed_at > clock - make_interval(days => new_account_days)
                THEN NOT EXISTS (SELECT FROM verified_domains d WHERE d.party_id = p.id) END AS is_new,
           coalesce(sum(u.messages), 0) AS month, coalesce(sum(u.messages) FILTER (WHERE u.day = today), 0) AS day,
           coalesce(sum(u.upload_bytes) FILTER (WHERE u.day = today), 0) AS bytes
      FROM (SELECT DISTINCT (b.m).sender_id AS party_id, (b.m).sender_ledger AS ledger FROM (SELECT unnest(messages) AS m) b) s
      JOIN parties p ON p.id = s.party_id
      LEFT JOIN daily_usage u ON u.party_id = p.id AND u.day >= date_trunc('month', today)::date AND u.day <= today
     GROUP BY s.ledger, p.id, p.organisation, p.domain, p.handle, p.claimed_at ORDER BY coalesce(p.organisation, p.domain)
  LOOP
    IF used.organisation IS NULL THEN
      day_ledger := used.ledger;
    ELSE
      IF used.organisation IS DISTINCT FROM organisation THEN
        day_ledger := used.ledger;
        INSERT INTO daily_organisation_usage AS u (organisation, day, messages) VALUES (used.organisation, today, 0)
        ON CONFLICT (organisation, day) DO UPDATE SET messages = u.messages RETURNING u.messages INTO organisation_used;
      END IF;
      used.day := organisation_used;
    END IF;
    ledger := used.ledger;
    organisation := used.organisation;
    month_messages := used.month;
    day_messages := used.day;
    day_bytes := used.bytes;
    is_new := coalesce(used.is_new, false);
    RETURN NEXT;
  END LOOP;
END
$function$;

CREATE FUNCTION set_webhook_tokens(party bigint, webhook uuid, left_tokens double precision, clock timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO webhook_rates (party_id, webhook_id, tokens, counted_at) VALUES (party, webhook, left_tokens, clock)
  ON CONFLICT (party_id, webhook_id) DO UPDATE SET tokens = excluded.tokens, counted_at = excluded.counted_at;
END
$function$;

CREATE FUNCTION shard_name()
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN regexp_replace(("current_schema"())::text, '_here$'::text, ''::text);

CREATE FUNCTION take_entries_of(party bigint, entries_max integer)
 RETURNS TABLE(entries indexed_entry[])
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  -- Before the row, as everywhere: somebody who waits for all rounds (await_rounds) must not stand between two of them.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('rounds ' || shard_name(), 0));
  PERFORM FROM thread_index i WHERE i.party_id = party FOR UPDATE SKIP LOCKED;
  IF NOT FOUND AND EXISTS (SELECT 1 FROM thread_index i WHERE i.party_id = party) THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT read_new_entries(ARRAY[party], entries_max);
END
$function$;

CREATE FUNCTION take_new_entries(batches_max integer, entries_max integer)
 RETURNS TABLE(entries indexed_entry[], joined_parties bigint[], joined_threads uuid[], has_more boolean)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  taken       record;
  businesses  bigint[];
  part_max    integer;
  cut         bigint[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('following ' || shard_name(), 0)) THEN
    RETURN;
  END IF;

  WITH gone AS (
    DELETE FROM committed_batches WHERE id = ANY (ARRAY(SELECT b.id FROM committed_batches b ORDER BY b.id LIMIT batches_max))
    RETURNING id, party_ids, thread_id
  )
  SELECT count(*) AS batches, min(g.id::text)::uuid AS oldest, ARRAY(SELECT DISTINCT unnest(g.party_ids) FROM gone g) AS party_ids,
         array_agg(g.party_ids[1]) FILTER (WHERE g.thread_id IS NOT NULL) AS joined_parties,
         array_agg(g.thread_id) FILTER (WHERE g.thread_id IS NOT NULL) AS joined_threads
    INTO taken FROM gone g;
  IF taken.batches = 0 THEN
    RETURN QUERY SELECT '{}'::indexed_entry[], '{}'::bigint[], '{}'::uuid[], false;
    RETURN;
  END IF;

  businesses := ARRAY(SELECT p.id FROM unnest(taken.party_ids) AS k (id) JOIN parties p ON p.id = k.id AND (p.handle IS NOT NULL) IS TRUE);
  part_max := greatest(1, entries_max / greatest(1, cardinality(businesses)));
  entries := read_new_entries(businesses, part_max);

  SELECT array_agg(c.party_id) INTO cut FROM (SELECT e.party_id FROM unnest(entries) AS e GROUP BY e.party_id HAVING count(*) = part_max) c;
  IF cut IS NOT NULL THEN
    -- The row keeps the id of the oldest batch that was taken: the metric of the lag reads the age from the id.
    INSERT INTO committed_batches (id, party_ids) VALUES (taken.oldest, cut);
  END IF;

  RETURN QUERY SELECT entries, coalesce(taken.joined_parties, '{}'), coalesce(taken.joined_threads, '{}'),
                      cut IS NOT NULL OR taken.batches = batches_max;
END
$function$;

CREATE FUNCTION take_queued_documents(rows_max integer, after_party bigint)
 RETURNS TABLE(is_rebuild boolean, party_id bigint, id uuid, thread_id uuid, after bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  part_max CONSTANT integer := 25;
  taken    integer := 0;
  rows     integer;
  party    bigint;
  older    record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('document facts ' || shard_name(), 0)) THEN
    RETURN QUERY SELECT NULL::boolean, NULL::bigint, NULL::uuid, NULL::uuid, NULL::bigint;
    RETURN;
  END IF;
  FOR again IN 0 .. 1 LOOP
    FOR round IN 0 .. 1 LOOP
      party := CASE round WHEN 0 THEN after_party ELSE -1 END;
      WHILE taken < rows_max LOOP
        SELECT q.party_id INTO party FROM document_queue q
         WHERE q.is_rebuild = (again = 1) AND q.party_id > party AND (round = 0 OR q.party_id <= after_party) ORDER BY q.party_id LIMIT 1;
        EXIT WHEN NOT FOUND;
        IF again = 1 THEN
          SELECT q.* INTO older FROM document_queue q WHERE q.is_rebuild AND q.party_id = party ORDER BY q.id LIMIT 1;
          PERFORM queue_older_documents(older.id, party, older.thread_id) WHERE older.after < 0;
        END IF;
        RETURN QUERY SELECT q.is_rebuild, q.party_id, q.id, q.thread_id, q.after FROM document_queue q
                      WHERE q.is_rebuild = (again = 1) AND q.party_id = party AND q.after >= 0
                         AND (again = 1 OR q.after < (SELECT i.indexed_through FROM thread_index i WHERE i.party_id = party)) ORDER BY q.id LIMIT least(part_max, rows_max - taken);
        GET DIAGNOSTICS rows = ROW_COUNT;
        taken := taken + rows;
      END LOOP;
    END LOOP;
    -- New messages first: threads are read again when there are none.
    EXIT WHEN taken > 0;
  END LOOP;
END
$function$;

CREATE FUNCTION take_threads_to_rebuild(threads_max integer, entries_max integer)
 RETURNS TABLE(party_id bigint, thread_ids uuid[])
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  business    bigint;
  through     uuid;
  thread_ids  uuid[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('following ' || shard_name(), 0)) THEN
    RETURN QUERY SELECT NULL::bigint, '{}'::uuid[];
    RETURN;
  END IF;
  SELECT i.party_id, i.rebuilt_through INTO business, through FROM thread_index i WHERE i.rebuilt_through IS NOT NULL ORDER BY i.party_id LIMIT 1;
  IF business IS NULL THEN
    RETURN;
  END IF;
  PERFORM lock_position(business);

  -- Goes from thread to thread in the index. A thread with many entries is taken alone.
  WITH RECURSIVE next AS (
    SELECT f.thread_id, 1 AS n, c.entries
      FROM (SELECT e.thread_id FROM ledger_entries e WHERE e.party_id = business AND e.thread_id > through ORDER BY e.thread_id LIMIT 1) f
     CROSS JOIN LATERAL (
           SELECT count(*) AS entries FROM (SELECT 1 FROM ledger_entries e WHERE e.party_id = business AND e.thread_id = f.thread_id LIMIT entries_max) e) c
    UNION ALL
    SELECT f.thread_id, next.n + 1, next.entries + c.entries
      FROM next CROSS JOIN LATERAL (
           SELECT e.thread_id FROM ledger_entries e WHERE e.party_id = business AND e.thread_id > next.thread_id ORDER BY e.thread_id LIMIT 1) f
     CROSS JOIN LATERAL (
           SELECT count(*) AS entries FROM (SELECT 1 FROM ledger_entries e WHERE e.party_id = business AND e.thread_id = f.thread_id LIMIT entries_max) e) c
     WHERE next.n < threads_max AND next.entries < entries_max
  )
  SELECT array_agg(next.thread_id ORDER BY next.n) INTO thread_ids FROM next WHERE next.n = 1 OR next.entries <= entries_max;

  UPDATE thread_index i SET rebuilt_through = thread_ids[cardinality(thread_ids)] WHERE i.party_id = business;
  RETURN QUERY SELECT business, coalesce(thread_ids, '{}');
END
$function$;

CREATE FUNCTION thread_class(in_count integer, out_count integer, is_done boolean, is_assigned boolean, failed_schema boolean)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((((CASE WHEN (in_count > 0) THEN 1 ELSE 0 END + CASE WHEN (out_count > 0) THEN 2 ELSE 0 END) + CASE WHEN is_done THEN 4 ELSE 0 END) + CASE WHEN is_assigned THEN 8 ELSE 0 END) + CASE WHEN failed_schema THEN 16 ELSE 0 END))::smallint;

CREATE FUNCTION thread_document_after(before thread_document, ids uuid[], types text[], documents text[])
 RETURNS thread_document
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  thread thread_document := before;
  new    message_document;
BEGIN
  FOR i IN 1 .. cardinality(ids) LOOP
    CONTINUE WHEN ids[i] <= thread.through;
    new := json_populate_record(NULL::message_document, documents[i]::json);
    IF thread.rank IS NULL OR new.rank < thread.rank THEN
      thread := ROW (coalesce(thread.state, 'none'), types[i], new.number, new.total, new.currency, new.due_date, new.rank, ids[i])::thread_document;
    ELSIF new.rank = thread.rank THEN
      IF new.number IS NOT NULL OR thread.number IS NULL THEN
        thread.type := types[i];
        thread.number := new.number;
      END IF;
      IF new.total IS NOT NULL THEN
        thread.total := new.total;
        thread.currency := new.currency;
      ELSIF thread.total IS NULL THEN
        thread.currency := coalesce(new.currency, thread.currency);
      END IF;
      thread.due_date := coalesce(new.due_date, thread.due_date);
    END IF;
    thread.through := ids[i];
    IF new.state IS NOT NULL AND (new.keep IS NULL OR thread.state <> ALL (new.keep)) THEN
      thread.state := new.state;
    END IF;
  END LOOP;
  RETURN thread;
END
$function$;

CREATE FUNCTION try_follower(follower text, by_entries boolean, entries indexed_entry[])
 RETURNS text
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE format('SELECT %I($1)', follower) USING entries;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  IF is_passing_error(SQLSTATE) THEN
    RAISE;
  END IF;
  INSERT INTO follower_failures (party_id, id, follower, entries, thread_ids, error, tries, next_at)
  SELECT e.party_id, new_uuid(clock_timestamp()), follower, CASE WHEN by_entries THEN array_agg(e) END, array_agg(DISTINCT e.thread_id), SQLERRM, 1,
         clock_timestamp() + interval '10 seconds'
    FROM unnest(entries) AS e GROUP BY e.party_id;
  RETURN follower || ': ' || SQLERRM;
END
$function$;

CREATE FUNCTION try_rebuild(follower text, rebuild text, party bigint, threads uuid[])
 RETURNS text
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE format('SELECT %I($1, $2)', rebuild) USING party, threads;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  IF is_passing_error(SQLSTATE) THEN
    RAISE;
  END IF;
  INSERT INTO follower_failures (party_id, id, follower, thread_ids, error, tries, next_at)
  VALUES (party, new_uuid(clock_timestamp()), follower, threads, SQLERRM, 1, clock_timestamp() + interval '10 seconds');
  RETURN follower || ': ' || SQLERRM;
END
$function$;

CREATE FUNCTION unpark_messages(party bigint, consumer text, ids uuid[])
 RETURNS TABLE(done uuid[])
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  its     record;
  clock   timestamptz;
  threads uuid[];
BEGIN
  SELECT c.id, c.is_ordered INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  clock := clock_timestamp();
  WITH back AS (
    UPDATE consumer_messages
       SET state = CASE WHEN its.is_ordered THEN 'held'::consumer_message_state ELSE 'waiting'::consumer_message_state END,
           due_at = clock, tries = 0, holder = NULL
     WHERE party_id = party AND consumer_id = its.id AND message_id = ANY (ids) AND state = 'parked'
    RETURNING message_id, thread_id
  )
  SELECT coalesce(array_agg(b.message_id), '{}'), array_agg(b.thread_id) INTO done, threads FROM back b;
  IF its.is_ordered THEN
    PERFORM free_threads(party, its.id, threads, clock);
  END IF;
  RETURN NEXT;
END
$function$;

CREATE FUNCTION uuid_in_id(id text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  SELECT encode(substr(bit_send(substr(string_agg((strpos('0123456789abcdefghjkmnpqrstvwxyz', digit) - 1)::bit(5)::text, '' ORDER BY place), 3)::bit(128)), 5), 'hex')::uuid
    FROM regexp_split_to_table(right(id, 26), '') WITH ORDINALITY AS digits (digit, place)
$function$;

CREATE FUNCTION webhook_tokens(party bigint, webhook uuid, per_second integer, clock timestamp with time zone)
 RETURNS double precision
 LANGUAGE plpgsql
AS $function$
DECLARE
  most   CONSTANT float8 := greatest(1, per_second / 2.0);
  bucket record;
BEGIN
  SELECT r.tokens, r.counted_at INTO bucket FROM webhook_rates r WHERE r.party_id = party AND r.webhook_id = webhook;
  RETURN least(most, coalesce(bucket.tokens + per_second * greatest(0, extract(epoch FROM clock - bucket.counted_at)), most));
END
$function$;

CREATE FUNCTION write_comment_documents(party bigint, thread uuid, comment uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  is_searching boolean;
  c            record;
BEGIN
  -- With a lock, so that a comment is never missed by a first search at the same moment.
  SELECT i.searched_at IS NOT NULL INTO is_searching FROM thread_index i WHERE i.party_id = party FOR SHARE;
  IF is_searching IS NOT TRUE THEN
    RETURN;
  END IF;
  FOR c IN
    SELECT t.id, t.author_name, t.text, floor(extract(epoch FROM t.created_at) * 1000)::bigint * 4096 AS position
      FROM thread_comments t WHERE t.party_id = party AND t.thread_id = thread AND (comment IS NULL OR t.id = comment)
  LOOP
    INSERT INTO search_documents AS d (party_id, position, id, thread_id, words)
    VALUES (party, c.position, c.id, thread,
            ' ' || search_words(concat_ws(E' \x1f ', public_id('cmt', c.id), public_id('thr', thread), c.author_name, c.text), 2000) || ' ')
    ON CONFLICT (party_id, position, id) DO UPDATE SET words = excluded.words WHERE d.words <> excluded.words;
  END LOOP;
END
$function$;

CREATE FUNCTION write_log_batch(batch uuid, leaves bytea)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF length(leaves) NOT BETWEEN 33 AND 8448 OR length(leaves) % 33 <> 0 THEN
    RAISE EXCEPTION 'a batch of % bytes is not one of leaves', length(leaves);
  END IF;
  INSERT INTO log_batches (id, leaves) VALUES (batch, write_log_batch.leaves);
END
$function$;

CREATE FUNCTION write_messages(messages prepared_message[], ledgers touched_ledger[], bases bigint[], filtered boolean[], delivered timestamp with time zone, clock timestamp with time zone, logged uuid, known_hashes bytea[] DEFAULT NULL::bytea[], known_times timestamp with time zone[] DEFAULT NULL::timestamp with time zone[], OUT hashes bytea, OUT committed committed_message[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  time_text CONSTANT text := to_char(delivered AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
BEGIN
  WITH m AS MATERIALIZED (
    SELECT m.*, coalesce(known_times[m.ordinality], delivered) AS received_at,
           coalesce(known_hashes[m.ordinality], sha256(convert_to(m.hashed_before_time || time_text || m.hashed_after_time, 'UTF8'))) AS hash
      FROM unnest(messages) WITH ORDINALITY AS m
  ), written AS (
    -- The texts of the sender stand last: a new one is added in these two lines (contract/message-fields.ts).
    INSERT INTO messages (sender_id, id, recipient_id, segment, thread_id, in_reply_to, sender, recipient, json, json_sha256, json_bytes_sha256, validation,
                          validation_errors, received_at, content_hash, receipt_token, idempotency_key, file_count, log_batch, log_slot, document,
                          type, subject, note, expires_at)
    SELECT fixed.*, m.type, m.subject, m.note, m.expires_at
      FROM m, LATERAL (
           SELECT m.sender_id, m.id, m.recipient_id, m.segment, m.thread_id, m.in_reply_to, m.sender, m.recipient, m.json, m.json_sha256, m.json_bytes_sha256,
                  m.validation, m.validation_errors, m.received_at, m.hash, m.receipt_token, CASE WHEN m.mail_digest IS NULL THEN m.idempotency_key END,
                  m.file_count, logged, CASE WHEN logged IS NOT NULL THEN m.ordinality - 1 END, m.document) fixed
  ), entered AS (
    INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment, from_email, from_domain,
                                is_filtered)
    SELECT m.sender_id, 'out'::ledger_box, bases[m.sender_ledger] + m.sender_entry, m.id, m.recipient_id, m.thread_id, m.validation, m.type, m.segment,
           m.from_email, m.from_domain, coalesce(filtered[m.sender_ledger], false)
      FROM m WHERE m.sender_ledger > 0
    UNION ALL
    SELECT m.recipient_id, 'in', bases[m.recipient_ledger] + m.recipient_entry, m.id, m.sender_id, m.thread_id, m.validation, m.type, m.segment,
           m.from_email, m.from_domain, coalesce(filtered[m.recipient_ledger], false)
      FROM m WHERE m.recipient_ledger > 0
  ), told AS (
    INSERT INTO committed_batches (id, party_ids) SELECT new_uuid(clock), ARRAY(SELECT l.party_id FROM unnest(ledgers) AS l)
  ), leaves AS (
    INSERT INTO log_batches (id, leaves) SELECT logged, string_agg('\x01'::bytea || m.hash, ''::bytea ORDER BY m.ordinality) FROM m HAVING logged IS NOT NULL
  ), used AS (
    INSERT INTO daily_usage AS u (party_id, day, messages, upload_bytes)
    SELECT l.party_id, (clock AT TIME ZONE 'UTC')::date, l.sent, l.sent_bytes FROM unnest(ledgers) AS l WHERE l.sent > 0
    ON CONFLICT (party_id, day) DO UPDATE SET messages = u.messages + excluded.messages, upload_bytes = u.upload_bytes + excluded.upload_bytes
  )
  SELECT string_agg(m.hash, ''::bytea ORDER BY m.ordinality),
         array_agg(ROW (m.sender_id, m.recipient_id, m.id, m.segment, m.in_reply_to, m.sender, m.type, m.received_at,
                        CASE WHEN m.recipient_ledger = 0 THEN 'out' WHEN m.sender_ledger = 0 THEN 'in' END)::committed_message ORDER BY m.ordinality)
    INTO hashes, committed FROM m;
END
$function$;

CREATE FUNCTION write_search_documents(given indexed_entry[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  m        record;
  entries  indexed_entry[] := '{}';
  -- words_of has the words of each message, places the number of its message for each entry.
  words_of text[] := '{}';
  places   integer[] := '{}';
BEGIN
  -- One statement reads and one writes: on Citus, no function may read inside of a statement on a shard.
  FOR m IN
    SELECT o.*, k.entries,
           (SELECT string_agg(f.filename, E' \x1f ') FROM files f WHERE f.party_id = k.party_id AND f.message_id = o.id AND o.file_count > 0) AS file_names
      FROM (SELECT e.sender_id, e.message_id, min(e.party_id) AS party_id, array_agg(e) AS entries
              FROM unnest(given) AS e CROSS JOIN LATERAL (
                   SELECT 1 FROM ledger_entries l WHERE l.party_id = e.party_id AND l.box = e.box AND l.position = e.position AND l.message_id = e.message_id
                      AND (l.box = 'out' OR l.counterparty_id <> l.party_id) LIMIT 1) l
             GROUP BY e.sender_id, e.message_id) k
     CROSS JOIN LATERAL (SELECT * FROM messages n WHERE n.sender_id = k.sender_id AND n.id = k.message_id LIMIT 1) o
  LOOP
    words_of := array_append(words_of, message_words(m.id, m.thread_id, m.sender::json, m.recipient::json, m.segment, m.type, m.subject, m.note, m.json, m.file_names));
    entries := entries || m.entries;
    places := places || array_fill(cardinality(words_of), ARRAY[cardinality(m.entries)]);
  END LOOP;

  INSERT INTO search_documents AS d (party_id, position, id, box, thread_id, words)
  SELECT DISTINCT ON (e.party_id, e.position, e.message_id) e.party_id, e.position, e.message_id, e.box, e.thread_id, words_of[places[e.ordinality]]
    FROM unnest(entries) WITH ORDINALITY AS e
   ORDER BY e.party_id, e.position, e.message_id
  ON CONFLICT (party_id, position, id) DO UPDATE SET box = excluded.box, thread_id = excluded.thread_id, words = excluded.words
   WHERE d.words <> excluded.words OR d.box <> excluded.box OR d.thread_id <> excluded.thread_id;
END
$function$;
