-- Counts a batch toward the limits of its senders' organisations. The rows are there and locked: sender_usage has read them.
CREATE OR REPLACE FUNCTION count_for_organisations(senders touched_ledger[], organisations text[], clock timestamptz) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  IF num_nonnulls(VARIADIC organisations) > 0 THEN
    UPDATE daily_organisation_usage u SET messages = u.messages + s.messages
      FROM (SELECT organisations[l.ordinality] AS organisation, sum(l.sent) AS messages FROM unnest(senders) WITH ORDINALITY AS l GROUP BY 1) s
     WHERE u.organisation = s.organisation AND u.day = (clock AT TIME ZONE 'UTC')::date;
  END IF;
END
$$;
