-- In each shard:

-- When a business and a contact last exchanged a message, or the contact was saved, as a position. The thread index brings it up to date.
-- Not in `contacts`, whose rows each send updates: an index by time would make that cost several times as much.
CREATE TABLE contact_activity (
  party_id      bigint NOT NULL,
  other_id      bigint NOT NULL,
  last_position bigint NOT NULL,
  PRIMARY KEY (party_id, other_id)
) WITH (fillfactor = 80);
CREATE INDEX contact_activity_by_time ON contact_activity (party_id, last_position, other_id);
INSERT INTO contact_activity (party_id, other_id, last_position)
SELECT c.party_id, c.other_id, floor(extract(epoch FROM greatest(c.last_seen_at, c.saved_at)) * 1000)::bigint * 4096
  FROM contacts c JOIN parties p ON p.id = c.party_id
 WHERE p.handle IS NOT NULL AND greatest(c.last_seen_at, c.saved_at) IS NOT NULL;
