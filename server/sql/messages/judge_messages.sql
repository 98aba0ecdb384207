-- Decides the outcome of each message of a batch: 'accepted', 'replayed' (with the id of the original in message_ids), or the
-- name of the limit that refuses it. organisations[i] is the organisation that ledger i of the batch counts for, if any.
CREATE OR REPLACE FUNCTION judge_messages(
  messages prepared_message[], ledger_count integer, clock timestamptz,
  month_limit bigint, new_account_day_limit bigint, new_account_days integer, day_bytes_limit bigint,
  OUT outcomes text[], OUT message_ids uuid[], OUT organisations text[]
) LANGUAGE plpgsql
AS $$
DECLARE
  usage       record;
  original    record;
  message     prepared_message;
  month_used  bigint[] := array_fill(0::bigint, ARRAY[ledger_count]);
  day_used    bigint[] := month_used;
  bytes_used  bigint[] := month_used;
  is_new      boolean[] := array_fill(false, ARRAY[ledger_count]);
  -- day_ledgers[i] is the ledger in which the day's messages of ledger i are counted: domains of one organisation share a count.
  day_ledgers integer[] := array_fill(0, ARRAY[ledger_count]);
  counted_in  integer;
  n           integer := 0;
BEGIN
  organisations := array_fill(NULL::text, ARRAY[ledger_count]);
  FOR usage IN SELECT * FROM sender_usage(messages, clock, new_account_days) LOOP
    month_used[usage.ledger] := usage.month_messages;
    day_used[usage.ledger] := usage.day_messages;
    bytes_used[usage.ledger] := usage.day_bytes;
    is_new[usage.ledger] := usage.is_new;
    day_ledgers[usage.ledger] := usage.day_ledger;
    organisations[usage.ledger] := usage.organisation;
  END LOOP;

  outcomes := array_fill('accepted'::text, ARRAY[cardinality(messages)]);
  message_ids := ARRAY(SELECT (b.m).id FROM (SELECT unnest(messages) AS m) b);
  FOR original IN
    SELECT (b.m).first_with_key AS n, k.message_id
      FROM (SELECT unnest(messages) AS m) b
      JOIN idempotency_keys k ON k.party_id = (b.m).sender_id AND k.key = (b.m).idempotency_key AND k.expires_at > clock
  LOOP
    outcomes[original.n] := 'replayed';
    message_ids[original.n] := original.message_id;
  END LOOP;

  FOREACH message IN ARRAY messages LOOP
    n := n + 1;
    counted_in := day_ledgers[message.sender_ledger];
    IF outcomes[n] = 'replayed' THEN
      CONTINUE;
    ELSIF message.first_with_key <> n THEN
      outcomes[n] := CASE outcomes[message.first_with_key] WHEN 'accepted' THEN 'replayed' ELSE outcomes[message.first_with_key] END;
      message_ids[n] := message_ids[message.first_with_key];
    ELSIF message.inline_bytes > 0 AND day_bytes_limit > 0 AND bytes_used[message.sender_ledger] + message.inline_bytes > day_bytes_limit THEN
      outcomes[n] := 'daily_upload_bytes';
    ELSIF month_limit > 0 AND month_used[message.sender_ledger] >= month_limit THEN
      outcomes[n] := 'monthly_messages';
    ELSIF new_account_day_limit > 0 AND is_new[message.sender_ledger] AND day_used[counted_in] >= new_account_day_limit THEN
      outcomes[n] := 'new_account_daily_messages';
    ELSE
      month_used[message.sender_ledger] := month_used[message.sender_ledger] + 1;
      day_used[counted_in] := day_used[counted_in] + 1;
      bytes_used[message.sender_ledger] := bytes_used[message.sender_ledger] + message.inline_bytes;
    END IF;
  END LOOP;
END
$$;
