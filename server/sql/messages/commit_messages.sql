-- Delivers a batch of prepared messages, in one transaction that is a single round trip. Repeats of an idempotency key and
-- quotas are judged under the lock of the sender's ledger, so that the verdict holds for any number of batches and processes.
-- A refused message does not refuse others. A limit of 0 means no limit. Of a message to a recipient in another shard, only the
-- sender's half is written; receive_messages writes the other.
--
-- There are few statements, because to start one costs about as much as a message. The caller adds up what can be added up, and most batches need no
-- judgement.
--
-- Returns one row. outcomes and message_ids: null if all were accepted; otherwise one for each message, with the id of the original of a repeat. hashes:
-- 32 bytes for each accepted message. bases: of the positions in each ledger (lock_ledgers). committed: what the followers of the accepted ones need (server/src/followers.ts).
CREATE OR REPLACE FUNCTION commit_messages(
  messages prepared_message[], ledgers touched_ledger[], has_keys boolean, has_relays boolean,
  month_limit bigint, new_account_day_limit bigint, new_account_days integer, day_bytes_limit bigint, key_window interval, mail_window interval,
  OUT received_ms bigint, OUT outcomes text[], OUT message_ids uuid[], OUT hashes bytea, OUT bases bigint[], OUT committed committed_message[]
) LANGUAGE plpgsql
-- Plans made for the values at hand would copy the whole batch into each plan, each time.
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  clock    timestamptz := clock_timestamp();
  accepted prepared_message[] := messages;
  senders  touched_ledger[] := ledgers;
  placed   record;
  judged   record;
BEGIN
  SELECT * INTO placed FROM lock_ledgers(ledgers, clock);
  received_ms := placed.delivery_ms;
  bases := placed.bases;

  IF may_be_refused(messages, ledgers, has_keys, clock, month_limit, new_account_day_limit, new_account_days, day_bytes_limit) THEN
    SELECT * INTO judged
      FROM judge_messages(messages, cardinality(ledgers), clock, month_limit, new_account_day_limit, new_account_days, day_bytes_limit);
    outcomes := judged.outcomes;
    message_ids := judged.message_ids;
    SELECT array_agg(b.m) INTO accepted FROM (SELECT unnest(messages) AS m, unnest(outcomes) AS outcome) b WHERE b.outcome = 'accepted';
    IF accepted IS NULL THEN
      RETURN;
    END IF;
    senders := ARRAY(SELECT ROW (l.party_id, l.entries, count(m.id), coalesce(sum(m.inline_bytes), 0))::touched_ledger
                       FROM unnest(ledgers) WITH ORDINALITY AS l LEFT JOIN unnest(accepted) AS m ON m.sender_ledger = l.ordinality
                      GROUP BY l.ordinality, l.party_id, l.entries ORDER BY l.ordinality);
    PERFORM count_for_organisations(senders, judged.organisations, clock);
  END IF;

  SELECT w.hashes, w.committed INTO hashes, committed
    FROM write_messages(accepted, senders, placed.bases, placed.filtered, to_timestamp(received_ms / 1000.0), clock, new_uuid(clock)) w;

  -- The statements below run only if they have something to write: even one that writes nothing takes time.
  IF has_keys THEN
    INSERT INTO idempotency_keys AS k (party_id, key, message_id, expires_at, request_digest, mail_digest)
    SELECT m.sender_id, m.idempotency_key, m.id, clock + CASE WHEN m.mail_digest IS NULL THEN key_window ELSE mail_window END, m.request_digest, m.mail_digest
      FROM unnest(accepted) AS m WHERE m.idempotency_key IS NOT NULL
    ON CONFLICT (party_id, key) DO UPDATE
      SET message_id = excluded.message_id, expires_at = excluded.expires_at, request_digest = excluded.request_digest, mail_digest = excluded.mail_digest;
  END IF;
  IF has_relays THEN
    INSERT INTO relays (sender_id, message_id, recipient_id, created_at)
    SELECT m.sender_id, m.id, m.recipient_id, clock FROM unnest(accepted) AS m WHERE m.recipient_ledger = 0;
  END IF;
END
$$;
