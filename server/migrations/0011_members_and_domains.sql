CREATE TYPE member_role AS ENUM ('owner', 'admin', 'member');

-- The people of a business. A business that the operator made may have none.
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
  -- Of the token in the mail, which is kept nowhere else.
  token_hash  bytea       NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL,
  PRIMARY KEY (party_id, id),
  UNIQUE (party_id, email)
);
CREATE INDEX invitations_by_token ON invitations (token_hash);

-- A segment is an agent's or a person's.
ALTER TABLE segments
  ALTER COLUMN agent_id DROP NOT NULL,
  ADD COLUMN person_id uuid,
  ADD UNIQUE (party_id, person_id),
  ADD CHECK (num_nonnulls(agent_id, person_id) = 1);

-- Domains that a business says are its own, with the text that is to stand in their DNS. Those of verified_domains that
-- have no row here are vouched for by the operator, and not looked up again.
CREATE TABLE domain_requests (
  party_id      bigint      NOT NULL,
  domain        text        COLLATE "C" NOT NULL,
  token         text        NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  checked_at    timestamptz,
  -- Since when a verified domain's DNS has been without the text.
  missing_since timestamptz,
  PRIMARY KEY (party_id, domain)
);
