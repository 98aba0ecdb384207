-- Locks the ledgers of a batch, which are in ascending order of their parties, and reserves positions for its entries:
-- entry n of ledger i gets the position bases[i] + n. filtered[i]: its entries are in the indexes of filters. Null if those of no ledger are.
CREATE OR REPLACE FUNCTION lock_ledgers(touched touched_ledger[], clock timestamptz, OUT delivery_ms bigint, OUT bases bigint[], OUT filtered boolean[])
LANGUAGE plpgsql
-- Nested loops lock the rows in the order of the array, so that two batches do not deadlock.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  clock_ms CONSTANT bigint := floor(extract(epoch FROM clock) * 1000);
  found    integer;
  earliest bigint;
BEGIN
  LOOP
    WITH locked AS (
      UPDATE ledgers l SET head = greatest(l.head, clock_ms * 4096) + t.entries
        FROM unnest(touched) WITH ORDINALITY AS t WHERE l.party_id = t.party_id RETURNING t.ordinality AS n, l.head - t.entries AS base, l.head,
              l.filters_left IS NOT NULL AS is_filtered
    )
    SELECT count(*), array_agg(l.base ORDER BY l.n), greatest(clock_ms, max(l.head) / 4096), (min(l.base) + 1) / 4096,
           CASE WHEN bool_or(l.is_filtered) THEN array_agg(l.is_filtered ORDER BY l.n) END
      INTO found, bases, delivery_ms, earliest, filtered FROM locked l;
    EXIT WHEN found = cardinality(touched);
    -- The first entry of a ledger. Two batches that add the same one at the same moment may deadlock, and are then repeated.
    INSERT INTO ledgers (party_id, head) SELECT t.party_id, 0 FROM unnest(touched) AS t ORDER BY t.party_id ON CONFLICT DO NOTHING;
  END LOOP;

  -- A ledger may be ahead of the clock: the clock was set back, or another batch began later and locked first. Then the whole
  -- batch is delivered at the later time, so that time and position agree in each ledger that it enters.
  IF earliest < delivery_ms THEN
    bases := ARRAY(SELECT CASE WHEN (b.base + 1) / 4096 < delivery_ms THEN delivery_ms * 4096 ELSE b.base END
                     FROM unnest(bases) WITH ORDINALITY AS b (base, n) ORDER BY b.n);
    UPDATE ledgers l SET head = bases[t.ordinality] + t.entries
      FROM unnest(touched) WITH ORDINALITY AS t WHERE l.party_id = t.party_id AND l.head < bases[t.ordinality] + t.entries;
  END IF;
END
$$;
