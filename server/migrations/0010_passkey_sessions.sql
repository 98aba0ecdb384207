-- The name of the passkey with which the session was opened, as it was then.
ALTER TABLE sessions ADD COLUMN passkey text;
