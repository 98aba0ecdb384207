-- What 0002_webhooks.sql of release 0.1 did to tables. Functions are created from server/sql.
CREATE TYPE attempt_status AS ENUM ('pending', 'delivered', 'retrying', 'dropped', 'failed');
CREATE TABLE webhooks (
  party_id   bigint      NOT NULL,
  id         uuid        NOT NULL,
  url        text        NOT NULL,
  target     text,
  secret     text        NOT NULL,
  active     boolean     NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, id)
);
CREATE TABLE webhook_attempts (
  party_id        bigint         NOT NULL,
  webhook_id      uuid           NOT NULL,
  id              uuid           NOT NULL,
  message_id      uuid           NOT NULL,
  event           text           NOT NULL,
  attempt         smallint       NOT NULL,
  status          attempt_status NOT NULL DEFAULT 'pending',
  due_at          timestamptz    NOT NULL,
  status_code     smallint,
  response_ms     integer,
  error           text,
  created_at      timestamptz    NOT NULL,
  attempted_at    timestamptz,
  next_attempt_at timestamptz,
  PRIMARY KEY (party_id, webhook_id, id)
);
CREATE INDEX webhook_attempts_of_webhook ON webhook_attempts (party_id, webhook_id, due_at) WHERE status = 'pending';
CREATE INDEX webhook_attempts_by_time ON webhook_attempts (due_at) WHERE status = 'pending';
-- The contacts of 0004 need it.
CREATE FUNCTION new_uuid(clock timestamptz) RETURNS uuid LANGUAGE sql VOLATILE
RETURN encode(set_bit(set_bit(
         overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(floor(extract(epoch FROM clock) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
         52, 1), 53, 1), 'hex')::uuid;
