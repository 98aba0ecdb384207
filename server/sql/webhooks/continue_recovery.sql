-- The next step of a recovery: walks some entries of the business's ledger, queues attempts for the messages that are wanted by the webhook's target and
-- types as they are now, and notes how far it came. All of it is one transaction, so that a crash repeats or skips nothing. At most waiting_max attempts of
-- the webhook wait at a time: the recovery goes on as the endpoint drains them. At the limit of a day, it goes on the next day.
-- Messages that wait for a retry are left to it, unless all messages are wanted.
--
-- Returns how many attempts were queued, or null if there was nothing to do or another process has the recovery.
CREATE OR REPLACE FUNCTION continue_recovery(
  party bigint, webhook uuid, recovery uuid, entries_max integer, waiting_max integer, webhook_per_day integer, business_per_day integer
) RETURNS integer LANGUAGE plpgsql
-- The settings also hold for the functions called here: without sorting, only the index of messages serves their order. A plan made while tables were small read 4 recoveries in place of 1.
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET enable_sort = off
AS $$
#variable_conflict use_column
DECLARE
  clock  CONSTANT timestamptz := clock_timestamp();
  hour   CONSTANT bigint := 3600000 * 4096::bigint;
  task   record;
  hook   record;
  room   integer;
  start  bigint;
  walked record;
  chosen uuid[];
BEGIN
  SELECT r.selection, r.position, r.last INTO task FROM webhook_recoveries r
   WHERE r.party_id = party AND r.webhook_id = webhook AND r.id = recovery AND r.state = 'running' FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT w.target, w.types, w.ordered INTO hook FROM webhooks w WHERE w.party_id = party AND w.id = webhook AND w.active;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;

  SELECT least(entries_max, waiting_max - count(*)) INTO room
    FROM (SELECT 1 FROM webhook_attempts a WHERE a.party_id = party AND a.webhook_id = webhook AND a.status = 'pending' LIMIT waiting_max) AS waiting;
  -- A step waits until there is room for many attempts, because it costs about as much as a hundred of its entries.
  IF room < waiting_max / 4 THEN
    RETURN NULL;
  END IF;

  SELECT e.position INTO start FROM ledger_entries e
   WHERE e.party_id = party AND e.box = 'in' AND e.position > task.position AND e.position <= task.last ORDER BY e.position LIMIT 1;
  IF start IS NULL THEN
    UPDATE webhook_recoveries SET state = 'completed', total = done, position = task.last, ended_at = clock
     WHERE party_id = party AND webhook_id = webhook AND id = recovery;
    RETURN NULL;
  END IF;

  room := least(room, recoverable_today(party, webhook, (clock AT TIME ZONE 'UTC')::date, webhook_per_day, business_per_day));
  IF room <= 0 THEN
    RETURN NULL;
  END IF;

  -- A step walks the entries of one hour at most, which bounds what it reads of the log of attempts.
  SELECT count(*) AS entries, max(e.position) AS through,
         coalesce(array_agg(e.message_id) FILTER (WHERE (hook.target IS NULL OR e.segment = hook.target) AND (hook.types IS NULL OR e.type LIKE ANY (hook.types))),
                  '{}') AS matching
    INTO walked
    FROM (SELECT l.position, l.message_id, l.segment, l.type FROM ledger_entries l
           WHERE l.party_id = party AND l.box = 'in' AND l.position >= start AND l.position <= least(task.last, start + hour)
           ORDER BY l.position LIMIT room) e;

  chosen := messages_to_recover(party, webhook, task.selection, walked.matching, start / 4096, walked.through / 4096);
  PERFORM queue_recovered(party, webhook, chosen, hook.ordered, clock);
  UPDATE webhook_recoveries
     SET position = walked.through, done = done + walked.entries, queued = queued + cardinality(chosen),
         retrying = retrying + count_retrying(party, webhook, task.selection, walked.matching)
   WHERE party_id = party AND webhook_id = webhook AND id = recovery;
  RETURN cardinality(chosen);
END
$$;
