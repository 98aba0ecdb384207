-- Counts a batch toward the limits of its senders and of their organisations.
CREATE OR REPLACE FUNCTION count_messages(messages prepared_message[], organisations text[], clock timestamptz) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  today date := (clock AT TIME ZONE 'UTC')::date;
BEGIN
  INSERT INTO daily_usage AS u (party_id, day, messages, upload_bytes)
  SELECT (b.m).sender_id, today, count(*), sum((b.m).inline_bytes) FROM (SELECT unnest(messages) AS m) b GROUP BY (b.m).sender_id
  ON CONFLICT (party_id, day) DO UPDATE
    SET messages = u.messages + excluded.messages, upload_bytes = u.upload_bytes + excluded.upload_bytes;

  IF num_nonnulls(VARIADIC organisations) > 0 THEN
    UPDATE daily_organisation_usage u SET messages = u.messages + sent.messages
      FROM (SELECT organisations[(b.m).sender_ledger] AS organisation, count(*) AS messages FROM (SELECT unnest(messages) AS m) b GROUP BY 1) sent
     WHERE u.organisation = sent.organisation AND u.day = today;
  END IF;
END
$$;
