-- Brings the next threads of a business, up to `most`, into the indexes of filters. Returns whether there may be more.
CREATE OR REPLACE FUNCTION filter_threads(party bigint, most integer) RETURNS boolean LANGUAGE plpgsql
-- Without this option, a plan made while tables were small read 603 rows in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
  above uuid;
  part  uuid[];
BEGIN
  -- Before the threads, as all others lock them.
  SELECT i.filtered_through INTO above FROM thread_index i WHERE i.party_id = party FOR UPDATE;
  part := ARRAY(SELECT t.thread_id FROM threads t WHERE t.party_id = party AND t.thread_id > above ORDER BY t.thread_id LIMIT most);
  UPDATE threads t SET is_filtered = true WHERE t.party_id = party AND t.thread_id = ANY (part) AND NOT t.is_filtered;
  UPDATE document_facts f SET is_filtered = true WHERE f.party_id = party AND f.thread_id = ANY (part) AND NOT f.is_filtered;
  UPDATE thread_index i SET filtered_through = greatest(i.filtered_through, coalesce(part[most], 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
   WHERE i.party_id = party AND i.filtered_through IS NOT NULL;
  RETURN cardinality(part) = most;
END
$$;
