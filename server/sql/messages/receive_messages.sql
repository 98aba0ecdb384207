-- Delivers a batch of messages whose senders are in another shard, where the sender's half has been committed. A message that is
-- here already stays as it is, so that after a crash all can be delivered again. A message may stand at a later time in its
-- recipient's ledger than in received_at, never at an earlier one.
--
-- Returns what the followers of each new message need.
CREATE OR REPLACE FUNCTION receive_messages(
  messages prepared_message[], hashes bytea[], times timestamptz[], ledgers touched_ledger[]
) RETURNS TABLE (ordinal bigint, committed committed_message)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  placed record;
  fresh  record;
BEGIN
  SELECT * INTO placed FROM lock_ledgers(ledgers, greatest(clock_timestamp(), (SELECT max(t) FROM unnest(times) AS t)));

  SELECT array_agg(b.m) AS messages, array_agg(b.hash) AS hashes, array_agg(b.received_at) AS times INTO fresh
    FROM (SELECT unnest(messages) AS m, unnest(hashes) AS hash, unnest(times) AS received_at) b
   WHERE NOT EXISTS (SELECT 1 FROM messages k WHERE k.sender_id = (b.m).sender_id AND k.id = (b.m).id);
  IF fresh.messages IS NULL THEN
    RETURN;
  END IF;

  PERFORM insert_messages(fresh.messages, fresh.hashes, fresh.times, NULL);
  PERFORM insert_ledger_entries(fresh.messages, placed.bases);

  RETURN QUERY
  SELECT b.ordinal,
         ROW ((b.m).sender_id, (b.m).recipient_id, (b.m).id, (b.m).segment, (b.m).in_reply_to, (b.m).sender, (b.m).type, b.received_at,
              'in', b.hash, NULL)::committed_message
    FROM (SELECT generate_series(1, cardinality(fresh.messages))::bigint AS ordinal, unnest(fresh.messages) AS m, unnest(fresh.hashes) AS hash,
                 unnest(fresh.times) AS received_at) b;
END
$$;
