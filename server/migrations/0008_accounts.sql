-- People, and how they sign in. Names and columns are those that better-auth is told to use; nothing here belongs to a
-- business, so nothing here begins with a party's id.
CREATE TABLE people (
  id             uuid        PRIMARY KEY,
  -- A mailbox that was shown to be theirs; for those who have shown none, a name below .invalid that nobody can have.
  email          text        COLLATE "C" NOT NULL UNIQUE,
  email_verified boolean     NOT NULL,
  name           text        NOT NULL,
  -- better-auth asks for it; nothing is ever kept here.
  image          text        CHECK (image IS NULL),
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TYPE sign_in_provider AS ENUM ('email', 'google', 'microsoft', 'oidc');
-- What a way of signing in showed about the mailbox in people.email.
CREATE TYPE sign_in_proof AS ENUM ('mailbox', 'domain', 'nothing');

CREATE TABLE sessions (
  id         uuid             PRIMARY KEY,
  person_id  uuid             NOT NULL REFERENCES people ON DELETE CASCADE,
  -- SHA-256 of what the cookie holds.
  token      text             COLLATE "C" NOT NULL UNIQUE,
  provider   sign_in_provider NOT NULL,
  proves     sign_in_proof    NOT NULL,
  expires_at timestamptz      NOT NULL,
  address    text,
  user_agent text,
  created_at timestamptz      NOT NULL DEFAULT now(),
  updated_at timestamptz      NOT NULL DEFAULT now()
);
CREATE INDEX sessions_of_person ON sessions (person_id, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- A person's account at an identity provider. What better-auth would keep beside it (tokens, passwords) has columns,
-- because it names them in its queries, and is never kept.
CREATE TABLE sign_in_accounts (
  id                       uuid             PRIMARY KEY,
  person_id                uuid             NOT NULL REFERENCES people ON DELETE CASCADE,
  provider                 sign_in_provider NOT NULL,
  -- The issuer and its name for the person: a name means nothing without whoever gave it.
  account_id               text             COLLATE "C" NOT NULL,
  access_token             text             CHECK (access_token IS NULL),
  refresh_token            text             CHECK (refresh_token IS NULL),
  id_token                 text             CHECK (id_token IS NULL),
  access_token_expires_at  timestamptz,
  refresh_token_expires_at timestamptz,
  scope                    text,
  password                 text             CHECK (password IS NULL),
  created_at               timestamptz      NOT NULL DEFAULT now(),
  updated_at               timestamptz      NOT NULL DEFAULT now(),
  UNIQUE (provider, account_id)
);
CREATE INDEX sign_in_accounts_of_person ON sign_in_accounts (person_id);

-- What somebody has to come back with: one-time codes (hashed), states of redirects, challenges of passkeys.
CREATE TABLE verifications (
  id         text        COLLATE "C" PRIMARY KEY,
  identifier text        COLLATE "C" NOT NULL,
  value      text        NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verifications_by_identifier ON verifications (identifier, created_at);
CREATE INDEX verifications_by_expiry ON verifications (expires_at);

CREATE TABLE passkeys (
  id            uuid        PRIMARY KEY,
  person_id     uuid        NOT NULL REFERENCES people ON DELETE CASCADE,
  name          text,
  credential_id text        COLLATE "C" NOT NULL UNIQUE,
  public_key    text        NOT NULL,
  counter       bigint      NOT NULL,
  device_type   text        NOT NULL,
  backed_up     boolean     NOT NULL,
  transports    text,
  aaguid        text,
  -- Of the session in which it was added, and so of those that it opens. Without them it opens none.
  provider      sign_in_provider,
  proves        sign_in_proof,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX passkeys_of_person ON passkeys (person_id, id);

-- How often something was done since the first time in a window, by a hash of who did it: mailboxes that were only typed in
-- are not kept.
CREATE TABLE sign_in_counts (
  subject      bytea       PRIMARY KEY,
  window_start timestamptz NOT NULL,
  uses         integer     NOT NULL
);
CREATE INDEX sign_in_counts_by_age ON sign_in_counts (window_start);
