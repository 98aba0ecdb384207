-- leased: a worker has it until due_at, or had it. waiting: can be leased from due_at on. held: waits for an earlier message of its thread.
-- parked: given up after too many tries, at due_at.
CREATE TYPE consumer_message_state AS ENUM ('leased', 'waiting', 'held', 'parked');

-- In each shard:

-- Consumers hand out the messages of an inbox to workers that ask for them.
CREATE TABLE consumers (
  party_id      bigint      NOT NULL,
  name          text        NOT NULL,
  id            uuid        NOT NULL,
  -- Only messages to this segment; null means all.
  target        text,
  -- Only messages whose type is LIKE one of these patterns; null means all.
  types         text[],
  -- Only messages with this result of the inbox schema; null means all.
  validation    validation_status,
  -- Whether messages of a thread are handed out one at a time, in order of delivery.
  is_ordered    boolean     NOT NULL,
  -- Leases after which a message that nobody has acknowledged is parked.
  max_tries     integer     NOT NULL,
  -- Of the ledger's entries up to this position, those that match were acknowledged or are in consumer_messages.
  taken_through bigint      NOT NULL,
  -- The number of its rows in consumer_messages.
  kept          integer     NOT NULL DEFAULT 0,
  created_at    timestamptz NOT NULL,
  PRIMARY KEY (party_id, name)
) WITH (fillfactor = 50);

-- What consumers have taken from the ledger and nobody has acknowledged yet.
CREATE TABLE consumer_messages (
  party_id    bigint                 NOT NULL,
  consumer_id uuid                   NOT NULL,
  message_id  uuid                   NOT NULL,
  sender_id   bigint                 NOT NULL,
  position    bigint                 NOT NULL,
  -- Null unless the consumer is ordered.
  thread_id   uuid,
  -- About as many bytes as the envelope has.
  bytes       integer                NOT NULL,
  state       consumer_message_state NOT NULL,
  due_at      timestamptz            NOT NULL,
  tries       integer                NOT NULL,
  -- The worker that leased it last.
  holder      text,
  -- Why a worker released it last.
  reason      text,
  PRIMARY KEY (party_id, consumer_id, message_id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2);
-- Of single states, so that no plan reads all rows of a consumer to find messages by their ids.
CREATE INDEX consumer_messages_leased ON consumer_messages (party_id, consumer_id, due_at) WHERE state = 'leased';
CREATE INDEX consumer_messages_waiting ON consumer_messages (party_id, consumer_id, due_at) WHERE state = 'waiting';
CREATE INDEX consumer_messages_parked ON consumer_messages (party_id, consumer_id, message_id) WHERE state = 'parked';
CREATE INDEX consumer_messages_by_thread ON consumer_messages (party_id, consumer_id, thread_id, position) WHERE thread_id IS NOT NULL;
