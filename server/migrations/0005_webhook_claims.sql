-- What each worker has taken and not yet written down the end of. A row is renewed whenever its worker takes more for the
-- same webhook; one that is not renewed until its time is that of a worker that died, or has nothing left to do.
-- Unlogged, because a crash of the database that forgets claims costs repetitions at most.
CREATE UNLOGGED TABLE webhook_claims (
  party_id    bigint      NOT NULL,
  webhook_id  uuid        NOT NULL,
  worker_id   uuid        NOT NULL,
  attempt_ids uuid[]      NOT NULL,
  until       timestamptz NOT NULL,
  PRIMARY KEY (party_id, webhook_id, worker_id)
);
-- Ids are random, so to try to compress them is work in vain.
ALTER TABLE webhook_claims ALTER COLUMN attempt_ids SET STORAGE EXTERNAL;

-- Takes the attempts longest due, of each of these webhooks as many as there is room for, and says so in webhook_claims, for
-- others to leave them alone until `lease` from now. `helds` has for each webhook the attempts that this worker has from
-- before, as the text of an array: they are left alone too, and claimed anew along with the others. The attempts themselves
-- are not written to, which would cost three entries in indexes for each: `due_at` now says no more than from when on they
-- may be taken. Nothing here waits for the disk. Webhooks of which another process is taking at this moment are left to it.
--
-- Each webhook is one row, with what its attempts have as lists with commas, in one order: a column costs the reader more
-- than what is in it. NOT IN with a subquery looks ids up in a hash table; compared to an array, each would be compared to all.
--
-- Few rows of a large table are found by their keys, whatever its statistics say at the moment: the order names all columns
-- of the one index that serves it.
DROP FUNCTION claim_webhook_attempts(bigint[], uuid[], integer[], interval);
CREATE FUNCTION claim_webhook_attempts(worker uuid, party_ids bigint[], webhook_ids uuid[], rooms integer[], helds text[], lease interval)
RETURNS TABLE (webhook_id uuid, url text, secret text, ids text, message_ids text, events text, created_ms text, clock_ms bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  clock   timestamptz := clock_timestamp();
  wanted  record;
  claimed uuid[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  clock_ms := floor(extract(epoch FROM clock) * 1000);
  FOR wanted IN
    SELECT w.party_id, w.id AS webhook_id, w.url, w.secret, k.room, k.held::uuid[] AS held
      FROM unnest(party_ids, webhook_ids, rooms, helds) AS k (party_id, webhook_id, room, held)
      JOIN webhooks w ON w.party_id = k.party_id AND w.id = k.webhook_id AND w.active
  LOOP
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(uuid_hash_extended(wanted.webhook_id, 0));

    SELECT array_agg(d.id), string_agg(d.id::text, ','), string_agg(d.message_id::text, ','), string_agg(d.event, ','),
           string_agg(floor(extract(epoch FROM d.created_at) * 1000)::bigint::text, ',')
      INTO claimed, ids, message_ids, events, created_ms
      FROM (SELECT a.id, a.message_id, a.event, a.created_at FROM webhook_attempts a
             WHERE a.party_id = wanted.party_id AND a.webhook_id = wanted.webhook_id AND a.status = 'pending' AND a.due_at <= clock
               AND a.id NOT IN (SELECT unnest(wanted.held))
               AND a.id NOT IN (SELECT unnest(c.attempt_ids) FROM webhook_claims c
                                 WHERE c.party_id = wanted.party_id AND c.webhook_id = wanted.webhook_id AND c.worker_id <> worker AND c.until > clock)
             ORDER BY a.party_id, a.webhook_id, a.due_at LIMIT wanted.room) d;
    CONTINUE WHEN claimed IS NULL;

    INSERT INTO webhook_claims (party_id, webhook_id, worker_id, attempt_ids, until)
    VALUES (wanted.party_id, wanted.webhook_id, worker, wanted.held || claimed, clock + lease)
    ON CONFLICT (party_id, webhook_id, worker_id) DO UPDATE SET attempt_ids = excluded.attempt_ids, until = excluded.until;
    webhook_id := wanted.webhook_id;
    url := wanted.url;
    secret := wanted.secret;
    RETURN NEXT;
  END LOOP;
END
$$;
