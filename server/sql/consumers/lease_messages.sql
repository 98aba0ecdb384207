-- Leases messages to a worker: first what is due again, then what the ledger has after the consumer's position. Everything that is done with a
-- consumer's messages is done under the lock of its row, so that no message has two holders.
--
-- Returns what is due again and what is new, each in order of delivery; no row if there is no such consumer. has_more: another call may find more, because the ledger goes on behind what this one has read, or
-- because what was parked has freed another message of its thread. due_in_ms: if nothing was leased, when a message that has been taken is due again.
CREATE OR REPLACE FUNCTION lease_messages(
  party bigint, consumer text, worker text, lease interval, wanted integer, bytes_max integer, kept_max integer, entries_max integer
) RETURNS TABLE (again json, fresh json, lease_until timestamptz, has_more boolean, due_in_ms bigint) LANGUAGE plpgsql
-- Without these options, a plan for other sizes read all 3 to 6 consumers of the business in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  its   record;
  clock timestamptz;
  due   record;
  new   record;
BEGIN
  SELECT c.id, c.taken_through INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  clock := clock_timestamp();
  due_in_ms := next_due_in_ms(party, its.id, clock);
  -- The lock of a row is written to the disk. A look that can find nothing needs none.
  IF due_in_ms IS DISTINCT FROM 0
     AND (SELECT l.position FROM ledger_entries l WHERE l.party_id = party AND l.box = 'in' ORDER BY l.position DESC LIMIT 1) > its.taken_through IS NOT TRUE THEN
    has_more := false;
    RETURN NEXT;
    RETURN;
  END IF;

  SELECT c.id, c.target, c.types, c.validation, c.is_ordered, c.max_tries, c.taken_through, c.kept INTO its
    FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  clock := clock_timestamp();
  lease_until := clock + lease;

  SELECT * INTO due FROM lease_due_messages(party, its.id, worker, lease_until, clock, its.max_tries, wanted, bytes_max);
  SELECT * INTO new
    FROM lease_new_messages(party, its.id, its.target, its.types, its.validation, its.is_ordered, its.taken_through, worker, lease_until,
                            wanted - due.count, due.bytes, bytes_max, kept_max - its.kept, entries_max);
  again := due.leased;
  fresh := new.leased;

  -- A short walk past what does not match is repeated rather than written, because most looks at a quiet ledger would write.
  IF new.kept > 0 OR new.walked >= 100 THEN
    UPDATE consumers SET taken_through = new.through, kept = kept + new.kept WHERE party_id = party AND name = consumer;
  END IF;
  due_in_ms := CASE WHEN again IS NULL AND fresh IS NULL THEN next_due_in_ms(party, its.id, clock) END;
  has_more := new.walked >= entries_max OR due_in_ms IS NOT DISTINCT FROM 0;
  RETURN NEXT;
END
$$;
