-- In each shard:

-- What contacts are sorted by with sort=name: see contact_name. A table of its own, as sends update `contacts`, and activity is written more often.
CREATE TABLE contact_names (
  party_id bigint NOT NULL,
  other_id bigint NOT NULL,
  name     text   NOT NULL COLLATE "C",
  PRIMARY KEY (party_id, other_id)
);
CREATE INDEX contact_names_by_name ON contact_names (party_id, name, other_id);
INSERT INTO contact_names (party_id, other_id, name)
SELECT c.party_id, c.other_id, left(regexp_replace(normalize(coalesce(nullif(c.folded_label, ''), o.folded_name), NFKD), '[\u0300-\u036f]+', '', 'g'), 64)
  FROM contacts c JOIN parties p ON p.id = c.party_id JOIN parties o ON o.id = c.other_id
 WHERE p.handle IS NOT NULL;
