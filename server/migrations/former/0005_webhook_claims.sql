-- What 0005_webhook_claims.sql of release 0.1 did to tables. Functions are created from server/sql.
CREATE UNLOGGED TABLE webhook_claims (
  party_id    bigint      NOT NULL,
  webhook_id  uuid        NOT NULL,
  worker_id   uuid        NOT NULL,
  attempt_ids uuid[]      NOT NULL,
  until       timestamptz NOT NULL,
  PRIMARY KEY (party_id, webhook_id, worker_id)
);
ALTER TABLE webhook_claims ALTER COLUMN attempt_ids SET STORAGE EXTERNAL;
