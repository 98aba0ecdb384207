-- The JSON Schema of a business's inbox, as the text that was sent. No row: none is set.
CREATE TABLE inbox_schemas (
  party_id   bigint      NOT NULL PRIMARY KEY,
  schema     text        NOT NULL,
  -- Names the version, too, so that no two versions of one business have the same.
  updated_at timestamptz NOT NULL
);
