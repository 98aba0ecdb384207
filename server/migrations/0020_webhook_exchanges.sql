-- In each shard:

-- What an attempt sent and what came back, of as many attempts as the limits allow; removed with the log. Of the request only what can't be
-- made again from the message.
CREATE TABLE webhook_exchanges (
  party_id         bigint  NOT NULL,
  webhook_id       uuid    NOT NULL,
  attempt_id       uuid    NOT NULL,
  url              text    NOT NULL,
  -- JSON, pairs of name and value; the value is null where it is a secret.
  request_headers  text    NOT NULL,
  body_sha256      bytea   NOT NULL,
  -- Null without a response, and for private hosts.
  response_headers text,
  response_body    text,
  is_truncated     boolean NOT NULL,
  PRIMARY KEY (party_id, webhook_id, attempt_id)
);

-- The attempts of a message after the first. First attempts, which are most, would pay for an index of them.
CREATE INDEX webhook_attempts_of_message ON webhook_attempts (party_id, webhook_id, message_id, id) WHERE attempt > 1 OR event = 'message.replay';
CREATE INDEX webhook_attempts_failed ON webhook_attempts (party_id, webhook_id, status, id) WHERE status IN ('retrying', 'dropped', 'failed');
