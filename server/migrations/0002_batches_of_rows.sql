-- A worker leases attempts; claims are those of handles.
ALTER TABLE webhook_claims RENAME TO webhook_leases;
ALTER TABLE webhook_leases RENAME CONSTRAINT webhook_claims_pkey TO webhook_leases_pkey;

-- What functions take and give are arrays of these types. An element is written in PostgreSQL's binary form by
-- platform/binary-array.ts, with its attributes in this order.

-- A message with all that is known before the transaction that delivers it (modules/messages/envelope.ts, PreparedMessage). A new
-- field is added at the end, as ALTER TYPE … ADD ATTRIBUTE does.
CREATE TYPE prepared_message AS (
  -- Which of the batch's ledgers the sender has, and which of that ledger's new entries the message gets. Both count from 1.
  sender_ledger      integer,
  sender_entry       integer,
  recipient_ledger   integer,
  recipient_entry    integer,
  -- The first message of the batch with the same sender and idempotency key, counted from 1; mostly the message itself.
  first_with_key     integer,
  sender_id          bigint,
  recipient_id       bigint,
  id                 uuid,
  segment            text,
  thread_id          uuid,
  in_reply_to        uuid,
  sender             text,
  recipient          text,
  type               text,
  subject            text,
  note               text,
  json               text,
  json_sha256        bytea,
  validation         validation_status,
  validation_errors  text,
  receipt_token      bytea,
  idempotency_key    text,
  file_count         smallint,
  from_email         text,
  from_domain        text,
  -- The canonical form that content_hash covers, without received_at between these two, which the transaction decides.
  hashed_before_time text,
  hashed_after_time  text,
  -- Bytes of files that came with the request itself, and so count toward the day's limit now.
  inline_bytes       bigint
);

-- A file of a message of the batch.
CREATE TYPE prepared_file AS (
  message_id   uuid,
  id           uuid,
  ordinal      smallint,
  object_id    uuid,
  filename     text,
  content_type text,
  size_bytes   bigint,
  sha256       bytea
);

-- A ledger that the batch writes to, with the number of entries that it gets.
CREATE TYPE touched_ledger AS (
  party_id bigint,
  entries  integer
);

-- A delivered message, as the followers of a batch get it (modules/messages/followers.ts).
CREATE TYPE committed_message AS (
  sender_id    bigint,
  recipient_id bigint,
  id           uuid,
  segment      text,
  in_reply_to  uuid,
  sender       text,
  type         text,
  received_at  timestamptz
);

-- How many attempts of a webhook a worker has room for, and the ids of those that it holds from before.
CREATE TYPE wanted_attempts AS (
  party_id   bigint,
  webhook_id uuid,
  room       integer,
  held       uuid[]
);

-- An attempt that was made, and how it went. Its endpoint is proven once it has responded 2xx.
CREATE TYPE made_attempt AS (
  party_id      bigint,
  webhook_id    uuid,
  id            uuid,
  is_proven     boolean,
  succeeded     boolean,
  status_code   smallint,
  error         text,
  response_ms   integer,
  -- How long ago the attempt began: the clock of the worker need not be that of the database.
  age_ms        integer,
  -- How long the receiver asks to be left alone; 0 when it does not say.
  retry_after_s integer
);
