-- Writes the accepted messages of a batch: rows, leaves for the log, ledger entries, files, idempotency keys, the use of limits, and what
-- is to be relayed to recipients in other shards.
CREATE OR REPLACE FUNCTION write_messages(
  messages prepared_message[], hashes bytea[], files prepared_file[], bases bigint[], organisations text[], delivered timestamptz, clock timestamptz,
  has_relays boolean
) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  logged uuid := log_leaves((SELECT string_agg('\x01'::bytea || h, ''::bytea) FROM unnest(hashes) AS h), clock);
BEGIN
  PERFORM insert_messages(messages, hashes, array_fill(delivered, ARRAY[cardinality(messages)]), logged);
  PERFORM insert_ledger_entries(messages, bases);
  IF cardinality(files) > 0 THEN
    PERFORM insert_files(messages, files);
  END IF;
  PERFORM count_messages(messages, organisations, clock);

  INSERT INTO idempotency_keys (party_id, key, message_id, created_at, request_digest)
  SELECT (b.m).sender_id, (b.m).idempotency_key, (b.m).id, clock, (b.m).request_digest
    FROM (SELECT unnest(messages) AS m) b WHERE (b.m).idempotency_key IS NOT NULL
  ON CONFLICT (party_id, key) DO UPDATE SET message_id = excluded.message_id, created_at = excluded.created_at, request_digest = excluded.request_digest;

  IF has_relays THEN
    INSERT INTO relays (sender_id, message_id, recipient_id, created_at)
    SELECT (b.m).sender_id, (b.m).id, (b.m).recipient_id, clock FROM (SELECT unnest(messages) AS m) b WHERE (b.m).recipient_ledger = 0;
  END IF;
END
$$;
