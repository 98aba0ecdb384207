-- Reads threads of a business again from its ledger, as far as the index has read it. Later entries are new to the index. Status,
-- assignee and labels stay. A thread that is no longer in the ledger goes. One thread alone may have any number of entries.
CREATE OR REPLACE FUNCTION rebuild_threads(party bigint, wanted uuid[]) RETURNS void LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 11,214 rows in place of 2 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  part_max CONSTANT integer := 10000;
  through  bigint := (SELECT i.indexed_through FROM thread_index i WHERE i.party_id = party);
  after    bigint := 0;
  entries  indexed_entry[];
BEGIN
  UPDATE threads t
     SET message_count = 0, in_count = 0, out_count = 0, last_in_position = 0, has_files = false, failed_schema = false,
         subject = NULL, type = NULL, segment = NULL, from_email = NULL
   WHERE t.party_id = party AND t.thread_id = ANY (wanted);

  LOOP
    SELECT array_agg(ROW (e.party_id, e.box, e.position, e.message_id,
                          coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END),
                          e.counterparty_id, e.thread_id, e.validation, e.type, e.segment, e.from_email,
                          m.subject, m.file_count > 0, NULL, NULL, true, NULL)::indexed_entry),
           max(e.position)
      INTO entries, after
      FROM unnest(wanted) AS k (thread_id) CROSS JOIN LATERAL (
        (SELECT l.* FROM ledger_entries l WHERE l.party_id = party AND l.thread_id = k.thread_id AND l.box = 'in'
            AND l.position > after AND l.position <= through ORDER BY l.position LIMIT part_max)
        UNION ALL
        (SELECT l.* FROM ledger_entries l WHERE l.party_id = party AND l.thread_id = k.thread_id AND l.box = 'out'
            AND l.position > after AND l.position <= through ORDER BY l.position LIMIT part_max)
        ORDER BY position LIMIT CASE WHEN cardinality(wanted) = 1 THEN part_max END) e
        LEFT JOIN LATERAL (
          SELECT m.subject, m.file_count FROM messages m
           WHERE m.sender_id = coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END) AND m.id = e.message_id LIMIT 1) m ON true;
    EXIT WHEN entries IS NULL;
    PERFORM index_threads(entries);
    EXIT WHEN cardinality(wanted) > 1 OR cardinality(entries) < part_max;
  END LOOP;

  DELETE FROM threads t WHERE t.party_id = party AND t.thread_id = ANY (wanted) AND t.message_count = 0;
END
$$;
