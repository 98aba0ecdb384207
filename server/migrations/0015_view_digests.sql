CREATE TYPE digest_frequency AS ENUM ('hourly', 'daily');

-- In each shard:

-- Members who get a mail about new messages in threads of a saved view: hourly or daily.
CREATE TABLE view_digests (
  party_id     bigint           NOT NULL,
  view_id      uuid             NOT NULL,
  person_id    uuid             NOT NULL,
  frequency    digest_frequency NOT NULL,
  -- Messages up to this position were mailed, or need not be.
  told_through bigint           NOT NULL,
  due_at       timestamptz      NOT NULL,
  PRIMARY KEY (party_id, view_id, person_id)
);
CREATE INDEX view_digests_by_time ON view_digests (due_at);
