-- Writes the documents of a queued thread, `entries_max` of them at most, and of all its comments. Returns how many entries were read.
CREATE OR REPLACE FUNCTION index_queued_thread(queued uuid, party bigint, thread uuid, after bigint, entries_max integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  part    indexed_entry[];
  through bigint;
BEGIN
  SELECT coalesce(array_agg(ROW (e.party_id, e.box, e.position, e.message_id,
                                 coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END),
                                 e.counterparty_id, e.thread_id, e.validation, e.type, e.segment, e.from_email,
                                 NULL, NULL, NULL, NULL, NULL, NULL)::indexed_entry), '{}'), max(e.position)
    INTO part, through
    FROM ((SELECT l.* FROM ledger_entries l WHERE l.party_id = party AND l.thread_id = thread AND l.box = 'in'
              AND l.position > after ORDER BY l.position LIMIT entries_max)
          UNION ALL
          (SELECT l.* FROM ledger_entries l WHERE l.party_id = party AND l.thread_id = thread AND l.box = 'out'
              AND l.position > after ORDER BY l.position LIMIT entries_max)
          ORDER BY position LIMIT entries_max) e;
  PERFORM write_comment_documents(party, thread, NULL) WHERE after = 0;
  PERFORM write_search_documents(part) WHERE part <> '{}';
  IF cardinality(part) = entries_max THEN
    UPDATE search_queue q SET after = through WHERE q.is_rebuild AND q.id = queued;
  ELSE
    DELETE FROM search_queue q WHERE q.is_rebuild AND q.id = queued;
  END IF;
  RETURN cardinality(part);
END
$$;
