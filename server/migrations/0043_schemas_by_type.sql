-- In each shard:

-- Schemas that judge the messages of one type, in place of the schema of the inbox.
CREATE TABLE type_schemas (
  party_id     bigint      NOT NULL,
  type         text        NOT NULL,
  schema       text        NOT NULL,
  updated_at   timestamptz NOT NULL,
  is_published boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (party_id, type)
);

-- Types of documents that a business describes itself, beside the catalogue.
CREATE TABLE document_types (
  party_id     bigint      NOT NULL,
  type         text        NOT NULL,
  title        text        NOT NULL,
  description  text        NOT NULL,
  -- Counts the changes of the schema.
  version      integer     NOT NULL DEFAULT 1,
  schema       text        NOT NULL,
  -- What a view shows where, as JSON.
  layout       text        NOT NULL,
  updated_at   timestamptz NOT NULL,
  is_published boolean     NOT NULL,
  PRIMARY KEY (party_id, type)
);
