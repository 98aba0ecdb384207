-- In each shard:

-- The comments of the business, which are limited.
ALTER TABLE thread_changes ADD COLUMN comments integer NOT NULL DEFAULT 0;
UPDATE thread_changes c SET comments = (SELECT count(*) FROM thread_comments t WHERE t.party_id = c.party_id);
