-- A distributed database has the rows of parties in shards: schemas shard_0, shard_1 and so on, each with the tables of tenants'
-- data, from ledgers to webhook attempts. Empty: these tables are in this schema.
CREATE TABLE shards (
  number smallint PRIMARY KEY
);

-- Messages whose recipient is in another shard, from their sender's commit until the recipient's.
CREATE TABLE relays (
  sender_id    bigint      NOT NULL,
  message_id   uuid        NOT NULL,
  recipient_id bigint      NOT NULL,
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (sender_id, message_id)
);
CREATE INDEX relays_by_age ON relays (created_at);

-- Jobs that a shard's transactions have queued, until they are with the others: a shard may be on another node.
CREATE TABLE queued_jobs (
  id      uuid NOT NULL PRIMARY KEY,
  name    text NOT NULL,
  payload json NOT NULL,
  job_key text NOT NULL
);

-- Which half of the message the batch has written: the sender's, the recipient's, or null for both.
ALTER TYPE committed_message ADD ATTRIBUTE half ledger_box;
