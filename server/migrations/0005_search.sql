-- In each shard:

-- When somebody of the business first searched: from then on, its messages and comments have documents.
ALTER TABLE thread_index ADD COLUMN searched_at timestamptz;

-- What the search index has not written yet. New entries of ledgers, as the thread index has taken them, come first; party_id is their
-- sender, and senders take turns. Otherwise a thread of party_id is to be read again from the ledger, up to `after` already; if `after` is
-- negative, all threads of party_id below thread_id are.
CREATE TABLE search_queue (
  is_rebuild boolean NOT NULL,
  id         uuid    NOT NULL,
  party_id   bigint  NOT NULL,
  entries    indexed_entry[],
  thread_id  uuid,
  after      bigint  NOT NULL DEFAULT 0,
  PRIMARY KEY (is_rebuild, id),
  CHECK (is_rebuild = (entries IS NULL) AND is_rebuild = (thread_id IS NOT NULL))
);
CREATE INDEX search_queue_by_party ON search_queue (is_rebuild, party_id, id);

-- The words of a message or comment, for those who have it: a row for each entry of a ledger of a business, and for each comment.
CREATE TABLE search_documents (
  party_id  bigint NOT NULL,
  -- That of the entry; of a comment, the first one of its millisecond.
  position  bigint NOT NULL,
  -- Of the message or comment.
  id        uuid   NOT NULL,
  -- Null for a comment.
  box       ledger_box,
  thread_id uuid   NOT NULL,
  -- Folded words (sql/search/search_words.sql) in their order, with a space before and after each.
  words     text   COLLATE "C" NOT NULL,
  PRIMARY KEY (party_id, position, id)
);
-- Each word as <party>:<word>, so that a search reads nothing of other parties. The expression is written out, and of immutable functions
-- of PostgreSQL alone, so that it works on every node of Citus; search-store.ts has it again.
CREATE INDEX search_documents_by_word ON search_documents
  USING gin (array_to_tsvector(string_to_array(ltrim(replace(rtrim(words), ' ', ' ' || party_id::text || ':')), ' ')))
  WITH (fastupdate = on, gin_pending_list_limit = 512);
