-- Reads entries of businesses that the followers have not read yet, at most `part_max` of each, and moves the position of each business behind them. The
-- positions are locked before the ledgers are read, so that each entry is read once, however many rounds there are at the same time. What followers need of
-- the message is read here, once for all of them.
CREATE OR REPLACE FUNCTION read_new_entries(parties bigint[], part_max integer) RETURNS indexed_entry[] LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 205 rows in place of 35 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  locked  record;
  entries indexed_entry[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('rounds ' || shard_name(), 0));
  LOOP
    SELECT array_agg(l.party_id) AS parties, array_agg(l.indexed_through) AS through, array_agg(l.counted_through) AS counted INTO locked
      FROM (SELECT i.party_id, i.indexed_through, i.counted_through FROM unnest(parties) AS k (party_id) JOIN thread_index i ON i.party_id = k.party_id
             ORDER BY i.party_id FOR UPDATE OF i) l;
    EXIT WHEN coalesce(cardinality(locked.parties), 0) = cardinality(parties);
    INSERT INTO thread_index (party_id, indexed_through) SELECT k, 0 FROM unnest(parties) AS k ORDER BY k ON CONFLICT DO NOTHING;
  END LOOP;

  SELECT array_agg(ROW (e.party_id, e.box, e.position, e.message_id,
                        coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END),
                        e.counterparty_id, e.thread_id, e.validation, e.type, e.segment, e.from_email,
                        m.subject, m.file_count > 0, m.received_at, CASE e.box WHEN 'in' THEN m.sender END, e.position <= k.counted, m.document)::indexed_entry)
    INTO entries
    FROM unnest(locked.parties, locked.through, locked.counted) AS k (party_id, through, counted)
   CROSS JOIN LATERAL (
      (SELECT l.* FROM ledger_entries l WHERE l.party_id = k.party_id AND l.box = 'in' AND l.position > k.through
        ORDER BY l.position LIMIT part_max)
      UNION ALL
      (SELECT l.* FROM ledger_entries l WHERE l.party_id = k.party_id AND l.box = 'out' AND l.position > k.through
        ORDER BY l.position LIMIT part_max)
      ORDER BY position LIMIT part_max) e
    LEFT JOIN LATERAL (
      SELECT m.subject, m.file_count, m.received_at, m.sender, m.document FROM messages m
       WHERE m.sender_id = coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END) AND m.id = e.message_id LIMIT 1) m ON true;

  UPDATE thread_index i SET indexed_through = n.through
    FROM (SELECT e.party_id, max(e.position) AS through FROM unnest(entries) AS e GROUP BY e.party_id) n WHERE i.party_id = n.party_id;
  RETURN coalesce(entries, '{}');
END
$$;
