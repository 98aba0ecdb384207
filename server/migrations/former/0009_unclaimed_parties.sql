-- What 0009_unclaimed_parties.sql of release 0.1 did to tables. Functions are created from server/sql.
CREATE TABLE mailboxes (
  id    uuid PRIMARY KEY,
  email text COLLATE "C" NOT NULL UNIQUE
);
