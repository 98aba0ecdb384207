-- What 0008_accounts.sql of release 0.1 did to tables. Functions are created from server/sql.
CREATE TABLE people (
  id             uuid        PRIMARY KEY,
  email          text        COLLATE "C" NOT NULL UNIQUE,
  email_verified boolean     NOT NULL,
  name           text        NOT NULL,
  image          text        CHECK (image IS NULL),
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now()
);
CREATE TYPE sign_in_provider AS ENUM ('email', 'google', 'microsoft', 'oidc');
CREATE TYPE sign_in_proof AS ENUM ('mailbox', 'domain', 'nothing');
CREATE TABLE sessions (
  id         uuid             PRIMARY KEY,
  person_id  uuid             NOT NULL REFERENCES people ON DELETE CASCADE,
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
CREATE TABLE sign_in_accounts (
  id                       uuid             PRIMARY KEY,
  person_id                uuid             NOT NULL REFERENCES people ON DELETE CASCADE,
  provider                 sign_in_provider NOT NULL,
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
  provider      sign_in_provider,
  proves        sign_in_proof,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX passkeys_of_person ON passkeys (person_id, id);
CREATE TABLE sign_in_counts (
  subject      bytea       PRIMARY KEY,
  window_start timestamptz NOT NULL,
  uses         integer     NOT NULL
);
CREATE INDEX sign_in_counts_by_age ON sign_in_counts (window_start);
