-- Lists of revoked certificates (CRLs), by their SHA-256 as statements write it.
CREATE TABLE log_crls (
  hash text  NOT NULL PRIMARY KEY,
  crl  bytea NOT NULL
);

-- What makes the timestamp of a checkpoint last. All of it is null until the log has a leaf about it.
ALTER TABLE log_checkpoints
  -- The time in the timestamp, and when the first certificate or algorithm ends that it stands on.
  ADD COLUMN timestamp_time      timestamptz,
  ADD COLUMN timestamp_ends_at   timestamptz,
  -- When lists of revoked certificates were first asked for and could not be got; null if they were not missing.
  ADD COLUMN timestamp_lists_missing_since timestamptz,
  -- The lists that are kept with it.
  ADD COLUMN timestamp_crls      text[],
  -- What is in the log, in canonical JSON, since when, and the batch of its only leaf.
  ADD COLUMN timestamp_statement text,
  ADD COLUMN timestamp_stated_at timestamptz,
  ADD COLUMN timestamp_batch     uuid;
CREATE INDEX log_checkpoints_unstated ON log_checkpoints (timestamped_at) WHERE timestamp_token IS NOT NULL AND timestamp_statement IS NULL;
CREATE INDEX log_checkpoints_by_timestamp_batch ON log_checkpoints (timestamp_batch) WHERE timestamp_batch IS NOT NULL;
CREATE INDEX log_checkpoints_by_end ON log_checkpoints (log, timestamp_ends_at) WHERE timestamp_ends_at IS NOT NULL;
