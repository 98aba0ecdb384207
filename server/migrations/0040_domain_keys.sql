-- What domains say of the signing keys of businesses, in /.well-known/waybill-keys.json: each statement that is in the log.
CREATE TABLE domain_key_statements (
  party_id  bigint      NOT NULL,
  domain    text        NOT NULL,
  -- From 1.
  number    integer     NOT NULL,
  at        timestamptz NOT NULL,
  -- In base64, sorted. Empty: from then on, the domain vouches for no key.
  keys      text[]      NOT NULL,
  -- What is in the log, in canonical JSON, and the batch of its leaf in the party's shard.
  statement text        NOT NULL,
  log_batch uuid        NOT NULL,
  PRIMARY KEY (party_id, domain, number)
);
CREATE INDEX domain_key_statements_by_time ON domain_key_statements (party_id, domain, at);

-- By which statements the domain vouches for each key.
CREATE TABLE domain_key_spans (
  party_id    bigint  NOT NULL,
  key         text    NOT NULL,
  domain      text    NOT NULL,
  from_number integer NOT NULL,
  -- The first later statement without the key. Null: there is none yet.
  to_number   integer,
  PRIMARY KEY (party_id, key, domain, from_number)
);

-- The files that are fetched each day, since their business asked for it.
CREATE TABLE domain_key_files (
  party_id      bigint      NOT NULL,
  domain        text        NOT NULL,
  asked_at      timestamptz NOT NULL,
  -- When the last fetch whose result counts began; -infinity before the first one.
  checked_at    timestamptz NOT NULL,
  -- Since when no valid file has been found, and why.
  missing_since timestamptz,
  problem       text,
  -- The number of the statement that holds. Null: the domain vouches for no key.
  holds         integer,
  PRIMARY KEY (party_id, domain)
);
