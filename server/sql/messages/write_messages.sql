-- Writes the accepted messages of a batch: rows, ledger entries, idempotency keys, the use of limits, and what is to be relayed to recipients in other
-- shards. logged: the batch of the log in which each of them gets a leaf.
CREATE OR REPLACE FUNCTION write_messages(
  messages prepared_message[], hashes bytea[], bases bigint[], organisations text[], delivered timestamptz, clock timestamptz, key_window interval,
  mail_window interval, logged uuid, has_relays boolean
) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM insert_messages(messages, hashes, array_fill(delivered, ARRAY[cardinality(messages)]), logged);
  PERFORM insert_ledger_entries(messages, bases);
  PERFORM count_messages(messages, organisations, clock);

  INSERT INTO idempotency_keys AS k (party_id, key, message_id, expires_at, request_digest, mail_digest)
  SELECT (b.m).sender_id, (b.m).idempotency_key, (b.m).id, clock + CASE WHEN (b.m).mail_digest IS NULL THEN key_window ELSE mail_window END,
         (b.m).request_digest, (b.m).mail_digest
    FROM (SELECT unnest(messages) AS m) b WHERE (b.m).idempotency_key IS NOT NULL
  ON CONFLICT (party_id, key) DO UPDATE
    SET message_id = excluded.message_id, expires_at = excluded.expires_at, request_digest = excluded.request_digest, mail_digest = excluded.mail_digest;

  IF has_relays THEN
    INSERT INTO relays (sender_id, message_id, recipient_id, created_at)
    SELECT (b.m).sender_id, (b.m).id, (b.m).recipient_id, clock FROM (SELECT unnest(messages) AS m) b WHERE (b.m).recipient_ledger = 0;
  END IF;
END
$$;
