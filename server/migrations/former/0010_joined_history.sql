-- What 0010_joined_history.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE ledger_entries ADD COLUMN author_id bigint;
CREATE TABLE joined_threads (
  party_id    bigint NOT NULL,
  thread_id   uuid   NOT NULL,
  business_id bigint NOT NULL,
  PRIMARY KEY (party_id, thread_id, business_id)
);
CREATE INDEX joined_threads_of_business ON joined_threads (business_id, thread_id);
