-- In each shard:

ALTER TABLE webhooks
  -- The last pause that is over.
  ADD COLUMN last_paused_at  timestamptz,
  ADD COLUMN last_resumed_at timestamptz;

-- Deliveries of earlier messages that a business asked for, by walking its ledger.
CREATE TABLE webhook_recoveries (
  party_id   bigint      NOT NULL,
  webhook_id uuid        NOT NULL,
  id         uuid        NOT NULL,
  selection  text        NOT NULL,
  state      text        NOT NULL DEFAULT 'running',
  -- Entries above the first position, up to the last one. Those up to `position` are done.
  first      bigint      NOT NULL,
  last       bigint      NOT NULL,
  position   bigint      NOT NULL,
  -- Null if there are too many to count.
  total      integer,
  done       integer     NOT NULL DEFAULT 0,
  queued     integer     NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  ended_at   timestamptz,
  PRIMARY KEY (party_id, webhook_id, id),
  CONSTRAINT webhook_recoveries_end CHECK ((ended_at IS NULL) = (state IN ('running', 'paused')))
);
CREATE UNIQUE INDEX webhook_recoveries_unfinished ON webhook_recoveries (party_id, webhook_id) WHERE state IN ('running', 'paused');

-- What a recovery must know of a message. An ordinary attempt that succeeds is not in it, and costs nothing more.
CREATE INDEX webhook_attempts_by_message ON webhook_attempts (party_id, webhook_id, message_id) WHERE event = 'message.replay' OR status = 'dropped';
