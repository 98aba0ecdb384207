-- Reads threads of a business again from its ledger, as far as the index has read it; what comes later is new to the index. Status,
-- assignee and labels stay. A thread that is no longer in the ledger goes.
CREATE OR REPLACE FUNCTION rebuild_threads(party bigint, wanted uuid[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  entries indexed_entry[];
BEGIN
  SELECT array_agg(ROW (e.party_id, e.box, e.position, e.message_id,
                        coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END),
                        e.counterparty_id, e.thread_id, e.validation, e.type, e.segment, e.from_email)::indexed_entry)
    INTO entries
    FROM unnest(wanted) AS k (thread_id) JOIN thread_index i ON i.party_id = party
    JOIN ledger_entries e ON e.party_id = party AND e.thread_id = k.thread_id AND e.position <= i.indexed_through;

  UPDATE threads t
     SET message_count = 0, in_count = 0, out_count = 0, last_in_position = 0, has_files = false, failed_schema = false,
         subject = NULL, type = NULL, segment = NULL, from_email = NULL
   WHERE t.party_id = party AND t.thread_id = ANY (wanted);
  PERFORM index_threads(entries) WHERE entries IS NOT NULL;
  DELETE FROM threads t WHERE t.party_id = party AND t.thread_id = ANY (wanted) AND t.message_count = 0;
END
$$;
