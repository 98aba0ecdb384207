-- What 0016_mail_proof.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE parties ADD COLUMN organisation text COLLATE "C";
CREATE TABLE daily_organisation_usage (
  organisation text   COLLATE "C" NOT NULL,
  day          date   NOT NULL,
  messages     bigint NOT NULL,
  PRIMARY KEY (organisation, day)
);
ALTER TABLE verified_domains ADD COLUMN senders text NOT NULL DEFAULT 'everybody' CHECK (senders IN ('everybody', 'members'));
ALTER TABLE idempotency_keys ALTER COLUMN key TYPE text COLLATE "C";
