CREATE TYPE document_state AS ENUM
  ('none', 'requested', 'quoted', 'ordered', 'changed', 'confirmed', 'despatched', 'received', 'invoiced', 'disputed', 'credited', 'paid', 'rejected');

-- What the document in a message says of its thread, as messages have it in JSON.
CREATE TYPE message_document AS (
  -- Documents that change the state have 0, others of the catalogue 1, guesses 2.
  rank     smallint,
  state    document_state,
  -- A thread in one of these states stays there.
  keep     document_state[],
  -- What a confirmation says of the order.
  status   text,
  number   text,
  total    numeric,
  currency text,
  due_date date
);
ALTER TYPE prepared_message DROP ATTRIBUTE type, DROP ATTRIBUTE subject, DROP ATTRIBUTE note, DROP ATTRIBUTE expires_at;
ALTER TYPE prepared_message ADD ATTRIBUTE document text,
  ADD ATTRIBUTE type text, ADD ATTRIBUTE subject text, ADD ATTRIBUTE note text, ADD ATTRIBUTE expires_at text;
ALTER TYPE indexed_entry ADD ATTRIBUTE document text;

-- The document that a thread is about, as far as its messages have been read. through: the newest of them that has a document.
CREATE TYPE thread_document AS (
  state    document_state,
  type     text,
  number   text,
  total    numeric,
  currency text,
  due_date date,
  rank     smallint,
  through  uuid
);

-- In each shard:

-- A message_document as JSON. Messages of before have none: a worker reads their JSON.
ALTER TABLE messages ADD COLUMN document text;

-- The document that a thread is about. Null: it has none.
ALTER TABLE threads
  ADD COLUMN document_state    document_state,
  ADD COLUMN document_type     text,
  ADD COLUMN document_number   text COLLATE "C",
  ADD COLUMN document_total    numeric,
  ADD COLUMN document_currency text,
  ADD COLUMN document_due      date,
  ADD COLUMN document_rank     smallint,
  ADD COLUMN document_through  uuid;
CREATE INDEX threads_by_state ON threads (party_id, document_state, last_position, thread_id) WHERE is_filtered AND document_state IS NOT NULL;
CREATE INDEX threads_by_due ON threads (party_id, document_state, document_due, thread_id) WHERE is_filtered AND document_due IS NOT NULL;
CREATE INDEX threads_by_total ON threads (party_id, document_state, document_total, thread_id) WHERE is_filtered AND document_total IS NOT NULL;
CREATE INDEX threads_by_number ON threads (party_id, document_state, document_number, thread_id) WHERE is_filtered AND document_number IS NOT NULL;

-- What is known of the document in each message of a business, from which that of the thread follows.
CREATE TABLE document_facts (
  party_id    bigint  NOT NULL,
  thread_id   uuid    NOT NULL,
  message_id  uuid    NOT NULL,
  type        text,
  -- What a confirmation says of the order.
  status      text,
  number      text    COLLATE "C",
  total       numeric,
  currency    text,
  due_date    date,
  -- The business uses filters of threads.
  is_filtered boolean NOT NULL,
  PRIMARY KEY (party_id, thread_id, message_id)
);
CREATE INDEX document_facts_by_number ON document_facts (party_id, lower(number), message_id) WHERE is_filtered AND number IS NOT NULL;

-- Threads whose documents a worker adds up again, once the entry behind the position `after` is indexed. is_rebuild: all messages behind it are read again;
-- otherwise only those of types that the business has described itself. -1: the threads of the business below this one.
CREATE TABLE document_queue (
  is_rebuild boolean NOT NULL,
  party_id   bigint  NOT NULL,
  id         uuid    NOT NULL,
  thread_id  uuid    NOT NULL,
  after      bigint  NOT NULL,
  PRIMARY KEY (is_rebuild, party_id, id)
);
INSERT INTO document_queue (is_rebuild, party_id, id, thread_id, after)
SELECT true, i.party_id, gen_random_uuid(), 'ffffffff-ffff-ffff-ffff-ffffffffffff', -1 FROM thread_index i;
