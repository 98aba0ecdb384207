-- What 0011_members_and_domains.sql of release 0.1 did to tables. Functions are created from server/sql.
CREATE TYPE member_role AS ENUM ('owner', 'admin', 'member');
CREATE TABLE members (
  party_id  bigint      NOT NULL,
  person_id uuid        NOT NULL,
  role      member_role NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, person_id)
);
CREATE INDEX members_of_person ON members (person_id, party_id);
CREATE TABLE invitations (
  party_id    bigint      NOT NULL,
  id          uuid        NOT NULL,
  email       text        COLLATE "C" NOT NULL,
  role        member_role NOT NULL,
  segment     text,
  token_hash  bytea       NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL,
  PRIMARY KEY (party_id, id),
  UNIQUE (party_id, email)
);
CREATE INDEX invitations_by_token ON invitations (token_hash);
ALTER TABLE segments
  ALTER COLUMN agent_id DROP NOT NULL,
  ADD COLUMN person_id uuid,
  ADD UNIQUE (party_id, person_id),
  ADD CHECK (num_nonnulls(agent_id, person_id) = 1);
CREATE TABLE domain_requests (
  party_id      bigint      NOT NULL,
  domain        text        COLLATE "C" NOT NULL,
  token         text        NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  checked_at    timestamptz,
  missing_since timestamptz,
  PRIMARY KEY (party_id, domain)
);
