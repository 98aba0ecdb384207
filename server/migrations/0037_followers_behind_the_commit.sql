-- What followers need of the message of an entry, read once for all of them.
ALTER TYPE indexed_entry ADD ATTRIBUTE subject text, ADD ATTRIBUTE has_files boolean, ADD ATTRIBUTE received_at timestamptz,
  -- JSON as in the envelope; of received messages only.
  ADD ATTRIBUTE sender text,
  -- Whether the contacts of the business have counted it already.
  ADD ATTRIBUTE is_counted boolean;

-- In each shard:

-- Entries for which a follower behind the commit has failed, while the others went on. It is tried again with growing pauses.
CREATE TABLE follower_failures (
  party_id   bigint          NOT NULL,
  id         uuid            NOT NULL,
  -- The SQL function that takes new entries.
  follower   text            NOT NULL,
  -- These are handed to it once more. Null: the threads are rebuilt.
  entries    indexed_entry[],
  thread_ids uuid[]          NOT NULL,
  error      text            NOT NULL,
  tries      integer         NOT NULL,
  next_at    timestamptz     NOT NULL,
  PRIMARY KEY (party_id, id)
);
CREATE INDEX follower_failures_by_time ON follower_failures (next_at);

-- Entries up to this position have been counted in contacts by the transaction that delivered them, as it was before followers behind the commit did so.
ALTER TABLE thread_index ADD COLUMN counted_through bigint NOT NULL DEFAULT 0;
INSERT INTO thread_index AS i (party_id, indexed_through, counted_through)
SELECT l.party_id, 0, l.head FROM ledgers l JOIN parties p ON p.id = l.party_id WHERE p.handle IS NOT NULL
ON CONFLICT (party_id) DO UPDATE SET counted_through = excluded.counted_through WHERE i.indexed_through < excluded.counted_through;
