-- Writes the accepted messages of a batch in one statement: their rows, an entry in each of the two ledgers at the positions that lock_ledgers has reserved, the
-- leaves of the log, the use of limits, and one row that tells the thread index. A ledger in another shard has the number 0.
--
-- logged: the batch of leaves; null where the sender is in another shard. There, hash and time were decided (known_hashes, known_times).
CREATE OR REPLACE FUNCTION write_messages(
  messages prepared_message[], ledgers touched_ledger[], bases bigint[], filtered boolean[], delivered timestamptz, clock timestamptz, logged uuid,
  known_hashes bytea[] DEFAULT NULL, known_times timestamptz[] DEFAULT NULL,
  OUT hashes bytea, OUT committed committed_message[]
) LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  time_text CONSTANT text := to_char(delivered AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
BEGIN
  WITH m AS MATERIALIZED (
    SELECT m.*, coalesce(known_times[m.ordinality], delivered) AS received_at,
           coalesce(known_hashes[m.ordinality], sha256(convert_to(m.hashed_before_time || time_text || m.hashed_after_time, 'UTF8'))) AS hash
      FROM unnest(messages) WITH ORDINALITY AS m
  ), written AS (
    -- The texts of the sender stand last: a new one is added in these two lines (contract/message-fields.ts).
    INSERT INTO messages (sender_id, id, recipient_id, segment, thread_id, in_reply_to, sender, recipient, json, json_sha256, json_bytes_sha256, validation,
                          validation_errors, received_at, content_hash, receipt_token, idempotency_key, file_count, log_batch, log_slot, document,
                          type, subject, note, expires_at)
    SELECT fixed.*, m.type, m.subject, m.note, m.expires_at
      FROM m, LATERAL (
           SELECT m.sender_id, m.id, m.recipient_id, m.segment, m.thread_id, m.in_reply_to, m.sender, m.recipient, m.json, m.json_sha256, m.json_bytes_sha256,
                  m.validation, m.validation_errors, m.received_at, m.hash, m.receipt_token, CASE WHEN m.mail_digest IS NULL THEN m.idempotency_key END,
                  m.file_count, logged, CASE WHEN logged IS NOT NULL THEN m.ordinality - 1 END, m.document) fixed
  ), entered AS (
    INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment, from_email, from_domain,
                                is_filtered)
    SELECT m.sender_id, 'out'::ledger_box, bases[m.sender_ledger] + m.sender_entry, m.id, m.recipient_id, m.thread_id, m.validation, m.type, m.segment,
           m.from_email, m.from_domain, coalesce(filtered[m.sender_ledger], false)
      FROM m WHERE m.sender_ledger > 0
    UNION ALL
    SELECT m.recipient_id, 'in', bases[m.recipient_ledger] + m.recipient_entry, m.id, m.sender_id, m.thread_id, m.validation, m.type, m.segment,
           m.from_email, m.from_domain, coalesce(filtered[m.recipient_ledger], false)
      FROM m WHERE m.recipient_ledger > 0
  ), told AS (
    INSERT INTO committed_batches (id, party_ids) SELECT new_uuid(clock), ARRAY(SELECT l.party_id FROM unnest(ledgers) AS l)
  ), leaves AS (
    INSERT INTO log_batches (id, leaves) SELECT logged, string_agg('\x01'::bytea || m.hash, ''::bytea ORDER BY m.ordinality) FROM m HAVING logged IS NOT NULL
  ), used AS (
    INSERT INTO daily_usage AS u (party_id, day, messages, upload_bytes)
    SELECT l.party_id, (clock AT TIME ZONE 'UTC')::date, l.sent, l.sent_bytes FROM unnest(ledgers) AS l WHERE l.sent > 0
    ON CONFLICT (party_id, day) DO UPDATE SET messages = u.messages + excluded.messages, upload_bytes = u.upload_bytes + excluded.upload_bytes
  )
  SELECT string_agg(m.hash, ''::bytea ORDER BY m.ordinality),
         array_agg(ROW (m.sender_id, m.recipient_id, m.id, m.segment, m.in_reply_to, m.sender, m.type, m.received_at,
                        CASE WHEN m.recipient_ledger = 0 THEN 'out' WHEN m.sender_ledger = 0 THEN 'in' END)::committed_message ORDER BY m.ordinality)
    INTO hashes, committed FROM m;
END
$$;
