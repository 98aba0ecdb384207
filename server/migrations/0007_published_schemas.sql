-- In each shard:

-- Whether others may read the schema and check messages against it before they send them.
ALTER TABLE inbox_schemas ADD COLUMN is_published boolean NOT NULL DEFAULT false;
