-- Those who attest the checkpoints of the log: witnesses by their verifier keys, a timestamp authority by its URL.
CREATE TABLE log_attestors (
  id            text        NOT NULL PRIMARY KEY,
  -- The newest checkpoint that was attested.
  log           smallint,
  size          bigint,
  attested_at   timestamptz,
  -- Attempts that have failed since the last one that did not, and why the last of them failed.
  failures      integer     NOT NULL DEFAULT 0,
  failure       text,
  -- A checkpoint that was signed with the key of the log `contradicts`, and that this log does not have.
  contradiction text,
  contradicts   smallint
);

-- Which process asks the attestors of a kind, until when.
CREATE TABLE log_duties (
  name       text        NOT NULL PRIMARY KEY,
  holder     uuid        NOT NULL,
  held_until timestamptz NOT NULL
);
