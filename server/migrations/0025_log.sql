-- The append-only Merkle logs of the service: one that grows, and those before it, which an operator has ended.
CREATE TABLE logs (
  number     smallint    NOT NULL PRIMARY KEY,
  origin     text        NOT NULL,
  -- Leaves that have an index: every batch below it has been placed.
  sequenced  bigint      NOT NULL DEFAULT 0,
  -- Leaves that are in the tree, and the tree's root.
  size       bigint      NOT NULL DEFAULT 0,
  root       bytea       NOT NULL,
  created_at timestamptz NOT NULL,
  ended_at   timestamptz,
  -- Why it signs nothing at present; null while it does.
  fault      text
) WITH (fillfactor = 50);

-- The partial tiles at the right edge of a tree, one for each level. Full tiles are in the object store.
CREATE TABLE log_edges (
  log    smallint NOT NULL,
  level  smallint NOT NULL,
  hashes bytea    NOT NULL,
  PRIMARY KEY (log, level)
) WITH (fillfactor = 50);

-- The keys that sign checkpoints, the newest of a log last.
CREATE TABLE log_keys (
  log        smallint    NOT NULL,
  number     smallint    NOT NULL,
  public_key bytea       NOT NULL,
  -- Encrypted; null where the operator keeps it.
  secret     text,
  -- The note, signed by the key before, that names this one.
  succession text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (log, number)
);

-- Signed checkpoints that were published: the newest, and those that carry a timestamp.
CREATE TABLE log_checkpoints (
  log             smallint    NOT NULL,
  size            bigint      NOT NULL,
  -- With the signatures of witnesses, as they come.
  note            text        NOT NULL,
  created_at      timestamptz NOT NULL,
  -- Whether enough witnesses have signed.
  is_witnessed    boolean     NOT NULL DEFAULT false,
  timestamp_token bytea,
  timestamped_at  timestamptz,
  PRIMARY KEY (log, size)
);
CREATE INDEX log_checkpoints_witnessed ON log_checkpoints (log, size) WHERE is_witnessed;
CREATE INDEX log_checkpoints_timestamped ON log_checkpoints (log, size) WHERE timestamp_token IS NOT NULL;

-- In each shard:

-- Leaves of 33 bytes that were committed together. The sequencer gives each batch a place in a log.
CREATE TABLE log_batches (
  id          uuid  NOT NULL PRIMARY KEY,
  leaves      bytea NOT NULL,
  log         smallint,
  -- The index of its first leaf; null until it has one.
  first_index bigint
) WITH (fillfactor = 80);
CREATE INDEX log_batches_waiting ON log_batches (id) WHERE first_index IS NULL;
CREATE UNIQUE INDEX log_batches_placed ON log_batches (log, first_index) WHERE first_index IS NOT NULL;

-- Which leaf is the message's, where its sender is; null for messages that are older than the log.
ALTER TABLE messages ADD COLUMN log_batch uuid, ADD COLUMN log_slot smallint;

-- The only leaf of this batch is about a large file that was hashed after delivery. In the sender's row of the file.
ALTER TABLE files ADD COLUMN log_batch uuid;
