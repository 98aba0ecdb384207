-- Delivers a batch of prepared messages, in one transaction that is a single round trip. Repeats of an idempotency key and
-- quotas are judged under the lock of the sender's ledger, so that the verdict holds for any number of batches and processes.
-- A refused message does not refuse others. A limit of 0 means no limit. Of a message to a recipient in another shard, only the
-- sender's half is written; receive_messages writes the other.
--
-- Returns a row for each message, in the order of the batch: for an accepted message its hash and what its followers need
-- (server/src/followers.ts), for a repeated one the id of the original.
CREATE OR REPLACE FUNCTION commit_messages(
  messages prepared_message[], ledgers touched_ledger[],
  month_limit bigint, new_account_day_limit bigint, new_account_days integer, day_bytes_limit bigint, key_window interval, mail_window interval
) RETURNS TABLE (ordinal integer, outcome text, message_id uuid, received_ms bigint, content_hash bytea, committed committed_message)
LANGUAGE plpgsql
-- Plans made for the values at hand would copy the whole batch into each plan, each time.
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  clock     timestamptz := clock_timestamp();
  placed    record;
  judged    record;
  delivered timestamptz;
  time_text text;
  hashes    bytea[];
  logged    uuid := new_uuid(clock);
BEGIN
  SELECT * INTO placed FROM lock_ledgers(ledgers, clock);
  SELECT * INTO judged
    FROM judge_messages(messages, cardinality(ledgers), clock, month_limit, new_account_day_limit, new_account_days, day_bytes_limit);

  delivered := to_timestamp(placed.delivery_ms / 1000.0);
  time_text := to_char(delivered AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  hashes := ARRAY(SELECT sha256(convert_to((b.m).hashed_before_time || time_text || (b.m).hashed_after_time, 'UTF8'))
                    FROM (SELECT unnest(messages) AS m) b);

  PERFORM write_messages(array_agg(b.m), array_agg(b.hash), placed.bases, judged.organisations, delivered, clock, key_window, mail_window, logged,
                         bool_or((b.m).recipient_ledger = 0))
     FROM (SELECT unnest(messages) AS m, unnest(hashes) AS hash, unnest(judged.outcomes) AS outcome) b
    WHERE b.outcome = 'accepted' HAVING count(*) > 0;

  RETURN QUERY
  SELECT b.ordinal, b.outcome, b.message_id, placed.delivery_ms, b.hash,
         CASE b.outcome WHEN 'accepted' THEN
           ROW ((b.m).sender_id, (b.m).recipient_id, (b.m).id, (b.m).segment, (b.m).in_reply_to, (b.m).sender, (b.m).type, delivered,
                CASE (b.m).recipient_ledger WHEN 0 THEN 'out' END, b.hash, logged)::committed_message
         END
    FROM (SELECT generate_series(1, cardinality(messages)) AS ordinal, unnest(messages) AS m, unnest(hashes) AS hash,
                 unnest(judged.outcomes) AS outcome, unnest(judged.message_ids) AS message_id) b;
END
$$;
