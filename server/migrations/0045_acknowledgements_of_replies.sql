-- What a reply acknowledges; written by platform/binary-array.ts in this order.
CREATE TYPE prepared_acknowledgement AS (
  reply_id uuid,
  status   acknowledgement_status,
  reason   text
);

-- In each shard:

-- Acknowledgements that came with replies, with the party that replied, from the commit of the reply until a job has written them (a moment later).
CREATE TABLE due_acknowledgements (
  party_id   bigint                 NOT NULL,
  -- What is acknowledged.
  message_id uuid                   NOT NULL,
  status     acknowledgement_status NOT NULL,
  reason     text,
  reply_id   uuid                   NOT NULL,
  PRIMARY KEY (party_id, message_id, status)
);
