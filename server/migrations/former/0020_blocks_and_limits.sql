-- What 0020_blocks_and_limits.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE blocks
  ADD COLUMN business_id bigint,
  DROP CONSTRAINT blocks_check,
  ADD CHECK (num_nonnulls(user_id, email_domain, business_id) = 1),
  ADD UNIQUE (party_id, business_id);
ALTER TABLE parties ADD COLUMN claimed_by uuid;
UPDATE parties p SET claimed_by = (SELECT m.person_id FROM members m WHERE m.party_id = p.id AND m.role = 'owner' ORDER BY m.joined_at LIMIT 1)
 WHERE p.claimed_at IS NOT NULL;
CREATE INDEX parties_claimed_by ON parties (claimed_by, claimed_at) WHERE claimed_by IS NOT NULL;
CREATE INDEX api_keys_of_agent ON api_keys (party_id, agent_id, id);
CREATE TABLE saved_contacts (
  party_id bigint  PRIMARY KEY,
  count    integer NOT NULL
);
INSERT INTO saved_contacts (party_id, count)
SELECT party_id, count(*) FROM contacts WHERE saved_at IS NOT NULL GROUP BY party_id;
CREATE INDEX contacts_by_other ON contacts (other_id);
