-- In each shard:

-- Two indexes had replays and retries of a message twice. One serves both: the log looks for later attempts, a recovery for given-up ones.
DROP INDEX webhook_attempts_by_message;
DROP INDEX webhook_attempts_of_message;
CREATE INDEX webhook_attempts_of_message ON webhook_attempts (party_id, webhook_id, message_id, id)
  WHERE attempt > 1 OR event = 'message.replay' OR status IN ('dropped', 'failed');
