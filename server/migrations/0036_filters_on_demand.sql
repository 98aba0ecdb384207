-- In each shard:

-- The indexes of filters have the entries and threads of those businesses only that use filters on long lists: most never do, and an entry of each index
-- would cost every message. NULL: not used yet. Otherwise all entries above this position are in the indexes: at 0, all are.
ALTER TABLE ledgers ADD COLUMN filters_left bigint;
ALTER TABLE ledger_entries ADD COLUMN is_filtered boolean NOT NULL DEFAULT false;

DROP INDEX ledger_entries_by_domain, ledger_entries_by_email, ledger_entries_by_segment, ledger_entries_by_sender, ledger_entries_by_type,
           ledger_entries_by_validation;
CREATE INDEX ledger_entries_by_domain ON ledger_entries (party_id, box, from_domain, position) WHERE is_filtered AND from_domain IS NOT NULL;
CREATE INDEX ledger_entries_by_email ON ledger_entries (party_id, box, from_email, position) WHERE is_filtered AND from_email IS NOT NULL;
CREATE INDEX ledger_entries_by_segment ON ledger_entries (party_id, segment, position) WHERE is_filtered AND box = 'in' AND segment IS NOT NULL;
CREATE INDEX ledger_entries_by_sender ON ledger_entries (party_id, counterparty_id, position) WHERE is_filtered AND box = 'in';
CREATE INDEX ledger_entries_by_type ON ledger_entries (party_id, box, type, position) WHERE is_filtered AND type IS NOT NULL;
CREATE INDEX ledger_entries_by_validation ON ledger_entries (party_id, box, validation, position) WHERE is_filtered;

-- The same for lists of threads. Otherwise all threads up to this one are in the indexes.
ALTER TABLE thread_index ADD COLUMN filtered_through uuid;
ALTER TABLE threads ADD COLUMN is_filtered boolean NOT NULL DEFAULT false;

DROP INDEX threads_by_counterparty, threads_by_segment, threads_by_type;
CREATE INDEX threads_by_counterparty ON threads (party_id, counterparty_id, last_position, thread_id) WHERE is_filtered;
CREATE INDEX threads_by_segment ON threads (party_id, segment, last_position, thread_id) WHERE is_filtered AND segment IS NOT NULL;
CREATE INDEX threads_by_type ON threads (party_id, type, last_position, thread_id) WHERE is_filtered AND type IS NOT NULL;
