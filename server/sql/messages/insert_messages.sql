-- The rows of a batch in the table of messages. logged: the batch of leaves that has a leaf for each of them; null where the sender is in another shard.
CREATE OR REPLACE FUNCTION insert_messages(messages prepared_message[], hashes bytea[], times timestamptz[], logged uuid) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  -- The texts of the sender stand last: a new one is added in these two lines (contract/message-fields.ts).
  INSERT INTO messages (sender_id, id, recipient_id, segment, thread_id, in_reply_to, sender, recipient, json, json_sha256, json_bytes_sha256,
                        validation, validation_errors, received_at, content_hash, receipt_token, idempotency_key, file_count, log_batch, log_slot,
                        type, subject, note)
  SELECT fixed.*, (b.m).type, (b.m).subject, (b.m).note
    FROM (SELECT unnest(messages) AS m, unnest(hashes) AS hash, unnest(times) AS received_at,
                 generate_series(0, cardinality(messages) - 1)::smallint AS slot) b,
         LATERAL (SELECT (b.m).sender_id, (b.m).id, (b.m).recipient_id, (b.m).segment, (b.m).thread_id, (b.m).in_reply_to, (b.m).sender, (b.m).recipient,
                         (b.m).json, (b.m).json_sha256, (b.m).json_bytes_sha256, (b.m).validation, (b.m).validation_errors, b.received_at, b.hash,
                         (b.m).receipt_token, CASE WHEN (b.m).mail_digest IS NULL THEN (b.m).idempotency_key END, (b.m).file_count, logged,
                         CASE WHEN logged IS NOT NULL THEN b.slot END) fixed;
END
$$;
