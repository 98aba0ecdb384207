-- The attempts that a worker may lease of an ordered webhook, also as lease_webhook_attempts returns them: of each thread the first pending
-- one in order of delivery, and only while no attempt of the thread is leased. Others that are due get due_at = infinity, so that a long
-- thread is read once and not with each lease. release_threads makes them due again. The caller has the lock of the webhook's leases.
-- more_ms says when to look for more, after those that were read. Without any attempts, attempt_ids is null, or empty if there may be more.
CREATE OR REPLACE FUNCTION next_ordered_attempts(
  party bigint, webhook uuid, room integer, held uuid[], worker uuid, clock timestamptz, OUT attempt_ids uuid[], OUT attempts json, OUT more_ms integer
) LANGUAGE plpgsql
-- Without sorting, only the index of threads serves their order. Arrays of ids are unnested beside the webhook, so that no plan reads all its attempts.
-- Without these options, a plan made while tables were small read 3,868 rows in place of 2 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
#variable_conflict use_column
DECLARE
  rounds_max CONSTANT integer := 3;
  page       CONSTANT integer := greatest(room, 64);
  left_room  integer := room;
  chosen     uuid[] := '{}';
  taken      uuid[];
  busy       uuid[];
  round      record;
BEGIN
  taken := held || ARRAY(SELECT unnest(l.attempt_ids) FROM webhook_leases l
                          WHERE l.party_id = party AND l.webhook_id = webhook AND l.worker_id <> worker AND l.until > clock);
  busy := ARRAY(SELECT a.thread_id FROM (SELECT party AS party_id, webhook AS webhook_id, unnest(taken) AS id) t
                  JOIN webhook_attempts a ON a.party_id = t.party_id AND a.webhook_id = t.webhook_id AND a.id = t.id AND (a.status = 'pending') IS TRUE);
  FOR n IN 1 .. rounds_max LOOP
    EXIT WHEN left_room <= 0;
    SELECT count(*) AS due,
           coalesce(array_agg(DISTINCT coalesce(j.first_id, j.id)) FILTER (WHERE NOT j.is_busy AND (j.first_due_at <= clock OR j.is_free)), '{}') AS next,
           coalesce(array_agg(j.id) FILTER (WHERE j.is_busy OR j.first_id <> j.id), '{}') AS blocked,
           coalesce(array_agg(j.first_id) FILTER (WHERE NOT j.is_busy AND j.first_due_at = 'infinity'), '{}') AS freed
      INTO round
      FROM (SELECT d.id, f.id AS first_id, f.due_at AS first_due_at, d.thread_id IS NULL OR f.due_at = 'infinity' AS is_free,
                   coalesce(d.thread_id IN (SELECT unnest(busy)) OR f.id IN (SELECT unnest(taken)), false) AS is_busy
              FROM (SELECT a.id, a.thread_id FROM webhook_attempts a
                     WHERE a.party_id = party AND a.webhook_id >= webhook AND a.webhook_id <= webhook
                       AND a.status = 'pending' AND a.due_at <= clock AND a.id NOT IN (SELECT unnest(taken))
                     ORDER BY a.party_id, a.webhook_id, a.due_at LIMIT page) d
              LEFT JOIN LATERAL (SELECT b.id, b.due_at FROM webhook_attempts b
                     WHERE b.party_id = party AND b.webhook_id = webhook AND b.thread_id = d.thread_id AND b.thread_id IS NOT NULL AND b.status = 'pending'
                     ORDER BY b.position, b.id LIMIT 1) f ON true) j;
    chosen := chosen || round.next[1:left_room];
    more_ms := CASE WHEN round.due = page AND cardinality(round.next) < left_room THEN 1 END;
    EXIT WHEN cardinality(round.blocked) = 0;
    UPDATE webhook_attempts SET due_at = 'infinity' WHERE party_id = party AND webhook_id = webhook AND id = ANY (round.blocked);
    UPDATE webhook_attempts SET due_at = clock WHERE party_id = party AND webhook_id = webhook AND id = ANY (round.freed);
    taken := taken || round.next[1:left_room];
    left_room := left_room - cardinality(round.next);
  END LOOP;

  SELECT array_agg(a.id),
         coalesce(json_agg(json_build_object('id', a.id, 'messageId', a.message_id, 'event', a.event, 'subjectId', a.subject_id, 'isOrdered',
                                    a.thread_id IS NOT NULL, 'createdMs', CASE a.event WHEN 'message.test' THEN floor(extract(epoch FROM a.created_at) * 1000)::bigint ELSE 0 END)), '[]')
    INTO attempt_ids, attempts
    FROM (SELECT party AS party_id, webhook AS webhook_id, unnest(chosen) AS id) c
    JOIN webhook_attempts a ON a.party_id = c.party_id AND a.webhook_id = c.webhook_id AND a.id = c.id;
  IF more_ms IS NOT NULL THEN
    attempt_ids := coalesce(attempt_ids, '{}');
  END IF;
END
$$;
