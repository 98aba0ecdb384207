CREATE TYPE hand_over_way AS ENUM ('webhook', 'consumer');

-- In each shard:

-- The first time that a system of the recipient took a message: the endpoint of a webhook has responded with success, or a worker has
-- acknowledged the message to its consumer. That says nothing of what becomes of the message; acknowledgements do.
CREATE TABLE hand_overs (
  party_id       bigint        NOT NULL,
  message_id     uuid          NOT NULL,
  way            hand_over_way NOT NULL,
  handed_over_at timestamptz   NOT NULL,
  PRIMARY KEY (party_id, message_id)
);
