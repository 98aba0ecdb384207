-- Counts those of these messages that a recovery leaves to the retry that they wait for.
CREATE OR REPLACE FUNCTION count_retrying(party bigint, webhook uuid, selection text, messages uuid[]) RETURNS integer LANGUAGE plpgsql
AS $$
BEGIN
  RETURN (SELECT count(*)
            FROM unnest(messages) AS m (id)
           CROSS JOIN LATERAL (
             SELECT 1 FROM webhook_attempts a
              WHERE a.party_id = party AND a.webhook_id = webhook AND a.message_id >= m.id AND a.message_id <= m.id
                AND a.attempt > 1 AND (a.status = 'pending') IS TRUE
              ORDER BY a.party_id, a.webhook_id, a.message_id LIMIT 1) AS retry
           WHERE selection <> 'all');
END
$$;
