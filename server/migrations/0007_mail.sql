-- Mailboxes that want no notifications. What a person has asked for, such as a one-time code, is sent to them all the same.
CREATE TABLE unsubscribed_mailboxes (
  email           text        COLLATE "C" PRIMARY KEY,
  unsubscribed_at timestamptz NOT NULL DEFAULT now()
);

-- Mails of a service without a mail server, for the person at its machine to read.
CREATE TABLE kept_mails (
  id      uuid        PRIMARY KEY,
  kept_at timestamptz NOT NULL DEFAULT now(),
  mail    json        NOT NULL
);
CREATE INDEX kept_mails_by_time ON kept_mails (kept_at);

-- Queues a mail in the caller's transaction. The id stays the same however often the mail is tried. What nobody waits for
-- at a screen lets all others pass.
CREATE FUNCTION queue_mail(mail json) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM graphile_worker.add_job(
            'send-mail', json_build_object('id', new_uuid(clock_timestamp()), 'mail', mail), max_attempts => 25,
            priority => CASE WHEN mail -> 'headers' -> 'List-Unsubscribe' IS NULL THEN 0 ELSE 10 END);
END
$$;
