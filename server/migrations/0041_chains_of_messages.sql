ALTER TYPE prepared_message ADD ATTRIBUTE expires_at text;

-- In each shard:

-- By when the sender wants it to be taken, as the envelope and the content hash have it; null without such a time.
ALTER TABLE messages ADD COLUMN expires_at text;

-- Messages that have such a time, with their senders, until it is over.
CREATE TABLE expiries (
  sender_id  bigint      NOT NULL,
  message_id uuid        NOT NULL,
  -- When to look at the message; later than its expires_at if its recipient could not be reached.
  due_at     timestamptz NOT NULL,
  PRIMARY KEY (sender_id, message_id)
);
CREATE INDEX expiries_due ON expiries (due_at);

-- Its number among all statements about the message that are leaves, from 1. Null for acknowledgements from before hand-overs were logged.
ALTER TABLE acknowledgements ADD COLUMN chain_number smallint;

-- The same of hand-overs, and their leaves. Null for hand-overs from before they were logged.
ALTER TABLE hand_overs
  ADD COLUMN number    smallint,
  ADD COLUMN log_batch uuid,
  ADD COLUMN log_slot  smallint;

-- Hand-overs that were just noted. They get a number and a leaf behind the transaction that notes them, and go to hand_overs.
CREATE TABLE noted_hand_overs (
  party_id       bigint        NOT NULL,
  message_id     uuid          NOT NULL,
  way            hand_over_way NOT NULL,
  handed_over_at timestamptz   NOT NULL,
  PRIMARY KEY (party_id, message_id)
);

-- Messages that nobody took in time, where their recipients are. The only leaf of the batch says so.
CREATE TABLE non_deliveries (
  party_id   bigint      NOT NULL,
  message_id uuid        NOT NULL,
  noted_at   timestamptz NOT NULL,
  number     smallint    NOT NULL,
  log_batch  uuid        NOT NULL,
  PRIMARY KEY (party_id, message_id)
);
