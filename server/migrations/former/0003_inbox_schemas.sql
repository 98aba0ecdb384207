-- What 0003_inbox_schemas.sql of release 0.1 did to tables. Functions are created from server/sql.
CREATE TABLE inbox_schemas (
  party_id   bigint      NOT NULL PRIMARY KEY,
  schema     text        NOT NULL,
  updated_at timestamptz NOT NULL
);
