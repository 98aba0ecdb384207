-- Brings up to `most` older entries of a ledger into the indexes of filters, the newest first. Returns whether there may be more. An entry that is moved into
-- the ledger later is in them from the start (enter_thread).
CREATE OR REPLACE FUNCTION filter_entries(party bigint, most integer) RETURNS boolean LANGUAGE plpgsql
-- Without this option, a plan made while tables were small read 603 rows in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
  through CONSTANT bigint := (SELECT l.filters_left FROM ledgers l WHERE l.party_id = party);
  part    record;
BEGIN
  SELECT min(e.position) AS lowest, count(*) = most AS is_full INTO part
    FROM ((SELECT l.position FROM ledger_entries l WHERE l.party_id = party AND l.box = 'in' AND l.position <= through ORDER BY l.position DESC LIMIT most)
          UNION ALL
          (SELECT l.position FROM ledger_entries l WHERE l.party_id = party AND l.box = 'out' AND l.position <= through ORDER BY l.position DESC LIMIT most)
          ORDER BY position DESC LIMIT most) e;
  UPDATE ledger_entries l SET is_filtered = true
   WHERE l.party_id = party AND l.box IN ('in', 'out') AND l.position >= part.lowest AND l.position <= through AND NOT l.is_filtered;
  -- Last, because sends of the business wait for the lock.
  UPDATE ledgers l SET filters_left = least(l.filters_left, CASE WHEN part.is_full THEN part.lowest - 1 ELSE 0 END)
   WHERE l.party_id = party AND l.filters_left IS NOT NULL;
  RETURN part.is_full;
END
$$;
