-- The usage of the senders of a batch, in this month and on this day, which their limits are compared with. Without a handle, or with a handle
-- claimed less than `new_account_days` ago and no verified domain, a sender counts as new.
--
-- Domains of one organisation share a day's limit: their messages are counted in the ledger of the first of them, day_ledger.
-- The row of an organisation is locked until the end of the transaction; organisations come in sorted order, so that two
-- batches never deadlock.
CREATE OR REPLACE FUNCTION sender_usage(messages prepared_message[], clock timestamptz, new_account_days integer)
RETURNS TABLE (ledger integer, day_ledger integer, organisation text, month_messages bigint, day_messages bigint, day_bytes bigint, is_new boolean)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  today             date := (clock AT TIME ZONE 'UTC')::date;
  used              record;
  organisation_used bigint;
BEGIN
  FOR used IN
    SELECT s.ledger, coalesce(p.organisation, p.domain) AS organisation,
           CASE WHEN p.handle IS NULL THEN true
                WHEN p.claimed_at > clock - make_interval(days => new_account_days)
                THEN NOT EXISTS (SELECT FROM verified_domains d WHERE d.party_id = p.id) END AS is_new,
           coalesce(sum(u.messages), 0) AS month, coalesce(sum(u.messages) FILTER (WHERE u.day = today), 0) AS day,
           coalesce(sum(u.upload_bytes) FILTER (WHERE u.day = today), 0) AS bytes
      FROM (SELECT DISTINCT (b.m).sender_id AS party_id, (b.m).sender_ledger AS ledger FROM (SELECT unnest(messages) AS m) b) s
      JOIN parties p ON p.id = s.party_id
      LEFT JOIN daily_usage u ON u.party_id = p.id AND u.day >= date_trunc('month', today)::date AND u.day <= today
     GROUP BY s.ledger, p.id, p.organisation, p.domain, p.handle, p.claimed_at ORDER BY coalesce(p.organisation, p.domain)
  LOOP
    IF used.organisation IS NULL THEN
      day_ledger := used.ledger;
    ELSE
      IF used.organisation IS DISTINCT FROM organisation THEN
        day_ledger := used.ledger;
        INSERT INTO daily_organisation_usage AS u (organisation, day, messages) VALUES (used.organisation, today, 0)
        ON CONFLICT (organisation, day) DO UPDATE SET messages = u.messages RETURNING u.messages INTO organisation_used;
      END IF;
      used.day := organisation_used;
    END IF;
    ledger := used.ledger;
    organisation := used.organisation;
    month_messages := used.month;
    day_messages := used.day;
    day_bytes := used.bytes;
    is_new := coalesce(used.is_new, false);
    RETURN NEXT;
  END LOOP;
END
$$;
