-- What 0007_mail.sql of release 0.1 did to tables. Functions are created from server/sql.
CREATE TABLE unsubscribed_mailboxes (
  email           text        COLLATE "C" PRIMARY KEY,
  unsubscribed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE kept_mails (
  id      uuid        PRIMARY KEY,
  kept_at timestamptz NOT NULL DEFAULT now(),
  mail    json        NOT NULL
);
CREATE INDEX kept_mails_by_time ON kept_mails (kept_at);
