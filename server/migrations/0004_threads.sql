-- A ledger entry as the thread index hands it to its followers (modules/threads/index-followers.ts).
CREATE TYPE indexed_entry AS (
  party_id        bigint,
  box             ledger_box,
  position        bigint,
  message_id      uuid,
  -- The party under which the message is stored.
  sender_id       bigint,
  counterparty_id bigint,
  thread_id       uuid,
  validation      validation_status,
  type            text,
  segment         text,
  from_email      text
);

-- Who works for a business.
CREATE TYPE worker_kind AS ENUM ('person', 'agent');
CREATE TYPE notification_kind AS ENUM ('mention', 'assignment');

-- In each shard:

-- Batches of ledger entries that the thread index has not taken yet: a row for each committed batch, visible exactly when its entries
-- are. With thread_id: entries of the thread were written at earlier positions, so that the thread is to be read again from the ledger.
CREATE TABLE committed_batches (
  id        uuid     NOT NULL PRIMARY KEY,
  party_ids bigint[] NOT NULL,
  thread_id uuid
);

-- How far the thread index has read the ledger of a business.
CREATE TABLE thread_index (
  party_id        bigint NOT NULL PRIMARY KEY,
  -- Every entry up to this position is in `threads`.
  indexed_through bigint NOT NULL,
  -- Entries up to this position count as read by everybody: they are older than the table.
  read_from       bigint NOT NULL DEFAULT 0,
  -- While threads are read again from the ledger: the last one that was. Null when all have been.
  rebuilt_through uuid
) WITH (fillfactor = 50);
CREATE INDEX thread_index_to_rebuild ON thread_index (party_id) WHERE rebuilt_through IS NOT NULL;

-- Grows with each change of a thread by the business itself: status, assignee, labels, comments. For /v1/events.
CREATE TABLE thread_changes (
  party_id bigint NOT NULL PRIMARY KEY,
  changes  bigint NOT NULL
) WITH (fillfactor = 50);

-- The threads of a business. Everything up to `labels` follows from the ledger; the rest is what the business has decided.
CREATE TABLE threads (
  party_id         bigint   NOT NULL,
  thread_id        uuid     NOT NULL,
  last_position    bigint   NOT NULL,
  -- Of the latest entry in the inbox; 0 without one.
  last_in_position bigint   NOT NULL,
  last_message_id  uuid     NOT NULL,
  -- The party under which the last message is stored.
  last_sender_id   bigint   NOT NULL,
  -- The other party of the last message.
  counterparty_id  bigint   NOT NULL,
  message_count    integer  NOT NULL,
  in_count         integer  NOT NULL,
  out_count        integer  NOT NULL,
  has_files        boolean  NOT NULL,
  failed_schema    boolean  NOT NULL,
  -- The first that was given.
  subject          text,
  -- The latest that were given; segment and from_email those of received messages.
  type             text,
  segment          text,
  from_email       text,
  labels           text[]   NOT NULL DEFAULT '{}',
  is_done          boolean  NOT NULL DEFAULT false,
  -- The latest entry in the inbox when the thread was done; a later one opens the thread again.
  done_through     bigint   NOT NULL DEFAULT 0,
  assignee_kind    worker_kind,
  assignee_id      uuid,
  -- Box, status, assigned or not, failed or not, as one number (sql/threads/thread_class.sql): one index serves every combination of them.
  class            smallint NOT NULL,
  PRIMARY KEY (party_id, thread_id),
  CHECK ((assignee_kind IS NULL) = (assignee_id IS NULL))
) WITH (fillfactor = 80);
CREATE INDEX threads_by_class ON threads (party_id, class, last_position, thread_id);
CREATE INDEX threads_by_counterparty ON threads (party_id, counterparty_id, last_position, thread_id);
CREATE INDEX threads_by_type ON threads (party_id, type, last_position, thread_id) WHERE type IS NOT NULL;
CREATE INDEX threads_by_segment ON threads (party_id, segment, last_position, thread_id) WHERE segment IS NOT NULL;
CREATE INDEX threads_by_assignee ON threads (party_id, assignee_id, last_position, thread_id) WHERE assignee_id IS NOT NULL;

-- The labels of threads once more, in the order of lists. The thread index keeps last_position that of the thread.
CREATE TABLE thread_labels (
  party_id      bigint NOT NULL,
  thread_id     uuid   NOT NULL,
  label         text   COLLATE "C" NOT NULL,
  last_position bigint NOT NULL,
  PRIMARY KEY (party_id, thread_id, label)
);
CREATE INDEX thread_labels_by_label ON thread_labels (party_id, label, last_position, thread_id);

-- How far a person or an agent has read a thread.
CREATE TABLE thread_reads (
  party_id    bigint      NOT NULL,
  reader_kind worker_kind NOT NULL,
  reader_id   uuid        NOT NULL,
  thread_id   uuid        NOT NULL,
  position    bigint      NOT NULL,
  PRIMARY KEY (party_id, reader_kind, reader_id, thread_id)
);

-- What people and agents of a business write to each other about a thread. The other party never sees it.
CREATE TABLE thread_comments (
  party_id    bigint      NOT NULL,
  thread_id   uuid        NOT NULL,
  -- Ascends with time.
  id          uuid        NOT NULL,
  author_kind worker_kind NOT NULL,
  author_id   uuid        NOT NULL,
  author_name text        NOT NULL,
  text        text        NOT NULL,
  -- Those who were mentioned, as the API shows them.
  mentions    json        NOT NULL,
  created_at  timestamptz NOT NULL,
  PRIMARY KEY (party_id, thread_id, id)
);

-- Filters of the list of threads that somebody has saved. A shared one is for the whole business.
CREATE TABLE thread_views (
  party_id   bigint      NOT NULL,
  id         uuid        NOT NULL,
  owner_kind worker_kind NOT NULL,
  owner_id   uuid        NOT NULL,
  is_shared  boolean     NOT NULL,
  name       text        NOT NULL,
  filter     json        NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (party_id, id)
);

-- Mentions and assignments that people and agents are told of.
CREATE TABLE notifications (
  party_id       bigint            NOT NULL,
  recipient_kind worker_kind       NOT NULL,
  recipient_id   uuid              NOT NULL,
  -- Ascends with time.
  id             uuid              NOT NULL,
  kind           notification_kind NOT NULL,
  thread_id      uuid              NOT NULL,
  comment_id     uuid,
  by_kind        worker_kind       NOT NULL,
  by_id          uuid              NOT NULL,
  by_name        text              NOT NULL,
  created_at     timestamptz       NOT NULL,
  read_at        timestamptz,
  PRIMARY KEY (party_id, recipient_kind, recipient_id, id)
);

-- Workers read the threads of existing ledgers, piece by piece; what is committed from now on comes through committed_batches.
INSERT INTO thread_index (party_id, indexed_through, read_from, rebuilt_through)
SELECT l.party_id, l.head, l.head, '00000000-0000-0000-0000-000000000000'
  FROM ledgers l JOIN parties p ON p.id = l.party_id WHERE p.handle IS NOT NULL;
