-- The public keys with which agents sign their requests. They stay after they are revoked: proofs of what they signed name them.
CREATE TABLE signing_keys (
  party_id         bigint      NOT NULL,
  id               uuid        NOT NULL,
  agent_id         uuid        NOT NULL,
  public_key       bytea       NOT NULL CHECK (length(public_key) = 32),
  created_at       timestamptz NOT NULL,
  revoked_at       timestamptz,
  -- The statements that are in the log, in canonical JSON, and the batches of their leaves in the party's shard.
  registration     text        NOT NULL,
  log_batch        uuid        NOT NULL,
  revocation       text,
  revocation_batch uuid,
  PRIMARY KEY (party_id, id)
);
CREATE INDEX signing_keys_of_agent ON signing_keys (party_id, agent_id, id);

-- The signature of a message request; written by platform/binary-array.ts in this order.
CREATE TYPE prepared_signature AS (
  sender_id       bigint,
  message_id      uuid,
  key_id          uuid,
  signature_input text,
  signature       bytea,
  components      text,
  body_before     bytea,
  body_after      bytea
);

CREATE TYPE acknowledgement_status AS ENUM ('accepted', 'rejected', 'processed');

-- In each shard:

-- The signatures of messages, where their senders are.
CREATE TABLE message_signatures (
  sender_id       bigint NOT NULL,
  message_id      uuid   NOT NULL,
  key_id          uuid   NOT NULL,
  -- The value of @signature-params (RFC 9421).
  signature_input text   NOT NULL,
  signature       bytea  NOT NULL,
  -- The values of the components that it covers, as a JSON object.
  components      text   NOT NULL,
  -- The body of the request around the message's json. Without json, all of the body is before it.
  body_before     bytea  NOT NULL,
  body_after      bytea  NOT NULL,
  PRIMARY KEY (sender_id, message_id)
);

-- What recipients say of messages: a row with each of both parties.
CREATE TABLE acknowledgements (
  party_id        bigint                 NOT NULL,
  message_id      uuid                   NOT NULL,
  -- From 1.
  number          smallint               NOT NULL,
  -- The party that acknowledged. Its shard has the batch.
  recipient_id    bigint                 NOT NULL,
  status          acknowledgement_status NOT NULL,
  -- What is in the log, in canonical JSON.
  statement       text                   NOT NULL,
  log_batch       uuid                   NOT NULL,
  -- Of a signed request, as in message_signatures.
  key_id          uuid,
  signature_input text,
  signature       bytea,
  components      text,
  body            bytea,
  PRIMARY KEY (party_id, message_id, number),
  CHECK (num_nonnulls(key_id, signature_input, signature, components, body) IN (0, 5))
);
