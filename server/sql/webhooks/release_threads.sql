-- After attempts of ordered webhooks were recorded: what comes next in their threads is due. The caller has called lock_ordered_webhooks.
CREATE OR REPLACE FUNCTION release_threads(made made_attempt[]) RETURNS void LANGUAGE plpgsql
-- Without sorting, only the index of threads serves their order.
-- Without these options, a plan made while tables were small read 491 rows in place of 4 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
#variable_conflict use_column
DECLARE
  clock CONSTANT timestamptz := now();
BEGIN
  UPDATE webhook_attempts n SET due_at = clock
    FROM (SELECT DISTINCT a.party_id, a.webhook_id, a.thread_id FROM unnest(made) AS m
            JOIN webhook_attempts a ON a.party_id = m.party_id AND a.webhook_id = m.webhook_id AND a.id = m.id
           WHERE m.is_ordered AND a.thread_id IS NOT NULL) t
   CROSS JOIN LATERAL (SELECT b.id FROM webhook_attempts b
           WHERE b.party_id = t.party_id AND b.webhook_id = t.webhook_id AND b.thread_id = t.thread_id AND b.status = 'pending' AND b.thread_id IS NOT NULL
           ORDER BY b.position, b.id LIMIT 1) f
   WHERE n.party_id = t.party_id AND n.webhook_id = t.webhook_id AND n.id = f.id AND n.due_at = 'infinity';
END
$$;
