-- What 0022_people.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE invitations ADD COLUMN invited_by uuid;
UPDATE invitations SET expires_at = '-infinity' WHERE expires_at > now();
CREATE TABLE known_sign_ins (
  subject bytea       PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
CREATE INDEX known_sign_ins_by_age ON known_sign_ins (seen_at);
ALTER TABLE people ADD COLUMN signed_in_at timestamptz;
CREATE TABLE thread_notices (
  party_id    bigint      NOT NULL,
  thread_id   uuid        NOT NULL,
  email       text        COLLATE "C" NOT NULL,
  position    bigint      NOT NULL,
  notified_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, thread_id, email)
);
ALTER TABLE parties ADD COLUMN name_key text COLLATE "C";
CREATE INDEX parties_by_name_key ON parties (name_key) WHERE handle IS NOT NULL;
CREATE INDEX parties_without_name_key ON parties (id) WHERE handle IS NOT NULL AND name_key IS NULL;
