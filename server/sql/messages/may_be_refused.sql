-- Whether a message of the batch may have to be refused, or repeats another one. If not, judge_messages has nothing to do: no key of the batch is known or
-- stands in it twice, and all senders are businesses of some age that count for themselves and stay below their limits with the whole batch.
CREATE OR REPLACE FUNCTION may_be_refused(
  messages prepared_message[], ledgers touched_ledger[], has_keys boolean, clock timestamptz,
  month_limit bigint, new_account_day_limit bigint, new_account_days integer, day_bytes_limit bigint
) RETURNS boolean LANGUAGE plpgsql
AS $$
DECLARE
  today CONSTANT date := (clock AT TIME ZONE 'UTC')::date;
BEGIN
  RETURN
    has_keys AND EXISTS (
      SELECT FROM unnest(messages) WITH ORDINALITY AS m
        LEFT JOIN idempotency_keys k ON k.party_id = m.sender_id AND k.key = m.idempotency_key AND k.expires_at > clock
       WHERE k.key IS NOT NULL OR m.first_with_key <> m.ordinality)
    OR EXISTS (
      SELECT FROM unnest(ledgers) AS l JOIN parties p ON p.id = l.party_id
       WHERE l.sent > 0
         AND (p.handle IS NULL OR p.organisation IS NOT NULL
              OR new_account_day_limit > 0 AND p.claimed_at > clock - make_interval(days => new_account_days)
              OR (month_limit > 0 OR day_bytes_limit > 0 AND l.sent_bytes > 0)
                 AND (SELECT month_limit > 0 AND coalesce(sum(u.messages), 0) + l.sent > month_limit
                             OR day_bytes_limit > 0 AND coalesce(sum(u.upload_bytes) FILTER (WHERE u.day = today), 0) + l.sent_bytes > day_bytes_limit
                        FROM daily_usage u WHERE u.party_id = l.party_id AND u.day >= date_trunc('month', today)::date AND u.day <= today)));
END
$$;
