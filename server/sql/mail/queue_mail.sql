-- Queues a mail in the caller's transaction. The id stays the same for all tries of the mail. Lower priorities go first:
-- one-time codes (0), for which somebody waits, then mails that people have caused, then notifications.
CREATE OR REPLACE FUNCTION queue_mail(mail json, priority integer DEFAULT 5) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM graphile_worker.add_job(
            'send-mail', json_build_object('id', new_uuid(clock_timestamp()), 'mail', mail), max_attempts => 25,
            priority => CASE WHEN mail -> 'headers' -> 'List-Unsubscribe' IS NULL THEN priority ELSE 10 END);
END
$$;
