-- Takes messages of a thread out of the ledger of a party without a handle, for enter_thread to put them into that of a business, and
-- returns what goes with them: entries, contacts with the types and authors of their messages, files and objects.
-- The party's own files stay: its receipts show them.
CREATE OR REPLACE FUNCTION leave_thread(unclaimed bigint, thread uuid, moving uuid[]) RETURNS json LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  contacts json;
  types    json;
  actors   json;
  files    json;
  objects  json;
  entries  json;
BEGIN
  SELECT json_agg(c) INTO contacts
    FROM (SELECT e.counterparty_id AS other_id, min(e.at) AS first_seen_at, max(e.at) AS last_seen_at,
                 (array_agg(e.box ORDER BY e.position DESC))[1] AS last_direction,
                 count(*) FILTER (WHERE e.box = 'in') AS messages_in, count(*) FILTER (WHERE e.box = 'out') AS messages_out
            FROM (SELECT *, to_timestamp(position / 4096 / 1000.0) AS at FROM ledger_entries WHERE party_id = unclaimed AND thread_id = thread) e
           WHERE e.message_id = ANY (moving) GROUP BY e.counterparty_id) c;

  SELECT json_agg(t) INTO types
    FROM (SELECT DISTINCT e.counterparty_id AS other_id, e.type FROM ledger_entries e
           WHERE e.party_id = unclaimed AND e.thread_id = thread AND e.message_id = ANY (moving) AND e.type IS NOT NULL) t;

  SELECT json_agg(n) INTO actors
    FROM (SELECT DISTINCT ON (a.other_id, a.actor ->> 'id')
                 a.other_id, a.actor ->> 'id' AS actor_id, a.actor ->> 'kind' AS kind, a.actor ->> 'name' AS name, a.actor ->> 'email' AS email
            FROM (SELECT e.counterparty_id AS other_id, e.position, m.sender::json -> 'actor' AS actor
                    FROM ledger_entries e JOIN messages m ON m.sender_id = e.counterparty_id AND m.id = e.message_id
                   WHERE e.party_id = unclaimed AND e.thread_id = thread AND e.box = 'in' AND e.message_id = ANY (moving)) a
           ORDER BY a.other_id, a.actor ->> 'id', a.position DESC) n;

  SELECT json_agg(f) INTO files FROM files f WHERE f.party_id = unclaimed AND f.message_id = ANY (moving);
  SELECT json_agg(o) INTO objects
    FROM objects o JOIN files f ON f.owner_id = o.party_id AND f.object_id = o.id WHERE f.party_id = unclaimed AND f.message_id = ANY (moving);

  WITH gone AS (DELETE FROM ledger_entries e WHERE e.party_id = unclaimed AND e.thread_id = thread AND e.message_id = ANY (moving) RETURNING e.*)
  SELECT json_agg(g ORDER BY g.position) INTO entries FROM gone g;

  RETURN json_strip_nulls(json_build_object('contacts', contacts, 'types', types, 'actors', actors, 'files', files, 'objects', objects, 'entries', entries));
END
$$;
