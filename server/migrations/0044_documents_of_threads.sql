CREATE TYPE document_state AS ENUM
  ('none', 'requested', 'quoted', 'ordered', 'changed', 'confirmed', 'despatched', 'received', 'invoiced', 'disputed', 'credited', 'paid', 'rejected');

-- Whether the message of an entry has JSON.
ALTER TYPE indexed_entry ADD ATTRIBUTE has_json boolean;

-- In each shard:

-- The document that a thread is about. Null: it has none.
ALTER TABLE threads
  ADD COLUMN document_state    document_state,
  ADD COLUMN document_type     text,
  ADD COLUMN document_number   text COLLATE "C",
  ADD COLUMN document_total    numeric,
  ADD COLUMN document_currency text,
  ADD COLUMN document_due      date;
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

-- Threads whose documents are to be read: from the entry behind the position `after`, or all of them again. -1: the threads of the business below this one.
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
