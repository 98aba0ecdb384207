-- A program on a machine without a browser, such as the command line, that waits for a person to give it a key. The key is created when the
-- program fetches it, so that no secret is stored.
CREATE TABLE device_logins (
  device_hash bytea       PRIMARY KEY,
  -- What the person compares and types.
  user_code   text        COLLATE "C" NOT NULL UNIQUE,
  -- What the program calls itself.
  name        text        NOT NULL,
  -- Where the program asks from, so that nobody takes the places of all others.
  network     text        COLLATE "C" NOT NULL,
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  -- Null until a person has allowed it.
  party_id    bigint,
  agent_id    uuid,
  scope       key_scope,
  CHECK (num_nonnulls(party_id, agent_id, scope) IN (0, 3))
);
CREATE INDEX device_logins_by_expiry ON device_logins (expires_at);
CREATE INDEX device_logins_of_network ON device_logins (network);
