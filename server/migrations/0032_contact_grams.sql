-- In each shard:

-- Hashes of the parts of 1, 2 and 3 characters of what a search for the contact compares: see contact_grams. Null until a chore has written them,
-- and again after a change of label or display name. Contacts of businesses that have few keep null.
ALTER TABLE contact_names ADD COLUMN grams integer[];
-- Searches read the list of pending entries, too, so it is kept short.
CREATE INDEX contact_names_by_gram ON contact_names USING gin (grams) WITH (fastupdate = on, gin_pending_list_limit = 512) WHERE grams IS NOT NULL;
CREATE INDEX contact_names_without_grams ON contact_names (party_id, other_id) WHERE grams IS NULL;
