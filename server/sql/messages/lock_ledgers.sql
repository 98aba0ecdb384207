-- Locks the ledgers of a batch, which are in ascending order of their parties, and reserves positions for its entries:
-- entry n of ledger i gets the position bases[i] + n.
CREATE OR REPLACE FUNCTION lock_ledgers(touched touched_ledger[], clock timestamptz, OUT delivery_ms bigint, OUT bases bigint[])
LANGUAGE plpgsql
AS $$
DECLARE
  clock_ms bigint := floor(extract(epoch FROM clock) * 1000);
  ledger   touched_ledger;
  new_head bigint;
BEGIN
  delivery_ms := clock_ms;
  -- One row at a time and in ascending order, so that two batches never deadlock.
  FOREACH ledger IN ARRAY touched LOOP
    UPDATE ledgers l SET head = greatest(l.head, clock_ms * 4096) + ledger.entries WHERE l.party_id = ledger.party_id RETURNING l.head INTO new_head;
    IF NOT FOUND THEN
      -- Its first entry.
      INSERT INTO ledgers AS l (party_id, head) VALUES (ledger.party_id, clock_ms * 4096 + ledger.entries)
      ON CONFLICT (party_id) DO UPDATE SET head = greatest(l.head, clock_ms * 4096) + ledger.entries RETURNING l.head INTO new_head;
    END IF;
    bases := bases || (new_head - ledger.entries);
    delivery_ms := greatest(delivery_ms, new_head / 4096);
  END LOOP;

  -- A ledger may be ahead of the clock: the clock was set back, or another batch began later and locked first. Then the whole
  -- batch is delivered at the later time, so that time and position agree in each ledger that it enters.
  FOR i IN 1 .. cardinality(touched) LOOP
    IF (bases[i] + 1) / 4096 < delivery_ms THEN
      bases[i] := delivery_ms * 4096;
      UPDATE ledgers l SET head = bases[i] + (touched[i]).entries WHERE l.party_id = (touched[i]).party_id;
    END IF;
  END LOOP;
END
$$;
