-- Takes messages of a thread out of the ledger of a party without a handle, for enter_thread to put them into that of a business, and
-- returns what goes with them: entries, files and objects.
-- The party's own files stay: its receipts show them.
CREATE OR REPLACE FUNCTION leave_thread(unclaimed bigint, thread uuid, moving uuid[]) RETURNS json LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  files   json;
  objects json;
  entries json;
BEGIN
  SELECT json_agg(f) INTO files FROM files f WHERE f.party_id = unclaimed AND f.message_id = ANY (moving);
  SELECT json_agg(o) INTO objects
    FROM objects o JOIN files f ON f.owner_id = o.party_id AND f.object_id = o.id WHERE f.party_id = unclaimed AND f.message_id = ANY (moving);

  WITH gone AS (DELETE FROM ledger_entries e WHERE e.party_id = unclaimed AND e.thread_id = thread AND e.message_id = ANY (moving) RETURNING e.*)
  SELECT json_agg(g ORDER BY g.position) INTO entries FROM gone g;

  RETURN json_strip_nulls(json_build_object('files', files, 'objects', objects, 'entries', entries));
END
$$;
