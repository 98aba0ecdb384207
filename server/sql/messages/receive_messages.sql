-- Delivers a batch of messages whose senders are in another shard, where the sender's half has been committed. A message that is
-- here already stays as it is, so that after a crash all can be delivered again. A message may stand at a later time in its
-- recipient's ledger than in received_at, never at an earlier one.
--
-- Returns one row: what the followers of the new messages need, or null if there is none.
CREATE OR REPLACE FUNCTION receive_messages(
  messages prepared_message[], hashes bytea[], times timestamptz[], ledgers touched_ledger[], OUT committed committed_message[]
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  clock  CONSTANT timestamptz := clock_timestamp();
  placed record;
  fresh  record;
BEGIN
  SELECT * INTO placed FROM lock_ledgers(ledgers, greatest(clock, (SELECT max(t) FROM unnest(times) AS t)));

  SELECT array_agg(b.m) AS messages, array_agg(b.hash) AS hashes, array_agg(b.received_at) AS times INTO fresh
    FROM (SELECT unnest(messages) AS m, unnest(hashes) AS hash, unnest(times) AS received_at) b
   WHERE NOT EXISTS (SELECT 1 FROM messages k WHERE k.sender_id = (b.m).sender_id AND k.id = (b.m).id);
  IF fresh.messages IS NOT NULL THEN
    SELECT w.committed INTO committed
      FROM write_messages(fresh.messages, ledgers, placed.bases, placed.filtered, clock, clock, NULL, fresh.hashes, fresh.times) w;
  END IF;
END
$$;
