-- The entries of a batch: each message once in its sender's ledger and once in its recipient's, at positions that
-- lock_ledgers has reserved. A ledger in another shard has the number 0. One row in committed_batches tells the thread index of them.
CREATE OR REPLACE FUNCTION insert_ledger_entries(messages prepared_message[], bases bigint[]) RETURNS void LANGUAGE plpgsql
AS $$
#variable_conflict use_column
BEGIN
  WITH entered AS (
    INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment, from_email, from_domain)
    SELECT (b.m).sender_id, 'out'::ledger_box, bases[(b.m).sender_ledger] + (b.m).sender_entry, (b.m).id, (b.m).recipient_id, (b.m).thread_id,
           (b.m).validation, (b.m).type, (b.m).segment, (b.m).from_email, (b.m).from_domain
      FROM (SELECT unnest(messages) AS m) b WHERE (b.m).sender_ledger > 0
    UNION ALL
    SELECT (b.m).recipient_id, 'in', bases[(b.m).recipient_ledger] + (b.m).recipient_entry, (b.m).id, (b.m).sender_id, (b.m).thread_id,
           (b.m).validation, (b.m).type, (b.m).segment, (b.m).from_email, (b.m).from_domain
      FROM (SELECT unnest(messages) AS m) b WHERE (b.m).recipient_ledger > 0
    RETURNING party_id
  )
  INSERT INTO committed_batches (id, party_ids) SELECT new_uuid(clock_timestamp()), array_agg(DISTINCT party_id) FROM entered;
END
$$;
