-- How often a person gets a mail about notifications.
CREATE TYPE mail_frequency AS ENUM ('at_once', 'hourly', 'daily', 'never');
ALTER TABLE people ADD COLUMN notification_mail mail_frequency NOT NULL DEFAULT 'at_once';

-- In each shard:

-- When a mail told of the notification, or need not any more. Nobody gets a mail about what is older than this column.
ALTER TABLE notifications ADD COLUMN mailed_at timestamptz;
UPDATE notifications SET mailed_at = created_at;
