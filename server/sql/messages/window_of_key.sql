-- How long an idempotency key stands for its message. Keys made of mails contain a space, and outlive the time in which a signed
-- mail is accepted (MAIL_REPEAT_WINDOW_HOURS).
CREATE OR REPLACE FUNCTION window_of_key(key text, usual interval) RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN key LIKE 'mail-% %' THEN interval '96 hours' ELSE usual END;
