-- How many attempts recoveries of a webhook may still queue on a day, by the limits of the webhook and of its business. Steps of the business's
-- other recoveries wait until the end of the transaction: the row of the whole business, which has the nil UUID as its webhook, is locked.
CREATE OR REPLACE FUNCTION recoverable_today(party bigint, webhook uuid, today date, webhook_per_day integer, business_per_day integer)
RETURNS integer LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  used   record;
BEGIN
  INSERT INTO webhook_recovery_usage AS u (party_id, webhook_id, day, recoveries) VALUES (party, nobody, today, 0)
      ON CONFLICT (party_id, webhook_id, day) DO UPDATE SET queued = u.queued;
  SELECT coalesce(max(u.queued) FILTER (WHERE u.webhook_id = webhook), 0) AS by_webhook,
         coalesce(max(u.queued) FILTER (WHERE u.webhook_id = nobody), 0) AS by_business
    INTO used FROM webhook_recovery_usage u WHERE u.party_id = party AND u.webhook_id IN (webhook, nobody) AND u.day = today;
  RETURN least(webhook_per_day - used.by_webhook, business_per_day - used.by_business);
END
$$;
