-- Writes the accepted messages of a batch: rows, ledger entries, files, idempotency keys and the use of limits.
CREATE OR REPLACE FUNCTION write_messages(
  messages prepared_message[], hashes bytea[], files prepared_file[], bases bigint[], organisations text[], delivered timestamptz, clock timestamptz
) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM insert_messages(messages, hashes, delivered);
  PERFORM insert_ledger_entries(messages, bases);
  IF cardinality(files) > 0 THEN
    PERFORM insert_files(messages, files);
  END IF;
  PERFORM count_messages(messages, organisations, clock);

  INSERT INTO idempotency_keys (party_id, key, message_id, created_at)
  SELECT (b.m).sender_id, (b.m).idempotency_key, (b.m).id, clock FROM (SELECT unnest(messages) AS m) b WHERE (b.m).idempotency_key IS NOT NULL
  ON CONFLICT (party_id, key) DO UPDATE SET message_id = excluded.message_id, created_at = excluded.created_at;
END
$$;
