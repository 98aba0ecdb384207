-- A follower behind the commit: writes what is known of the documents in new messages. It queues threads for the worker that adds up the whole: those with a message that
-- is older than one that was indexed before it, or with it, because index_threads reads documents in the order in which they come; and those with a type that the business
-- has described itself, because the layout says where the document has its number.
CREATE OR REPLACE FUNCTION follow_documents(entries indexed_entry[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  WITH new AS MATERIALIZED (
    SELECT e.party_id, e.thread_id, e.message_id, e.position, e.type, e.document::json AS document, t.document_through, t.is_filtered, o.type IS NOT NULL AS is_own
      FROM unnest(entries) AS e LEFT JOIN threads t ON t.party_id = e.party_id AND t.thread_id = e.thread_id
      LEFT JOIN document_types o ON o.party_id = e.party_id AND o.type = e.type
     WHERE e.document IS NOT NULL OR o.type IS NOT NULL
  ), queued AS (
    INSERT INTO document_queue (is_rebuild, party_id, id, thread_id, after)
    SELECT false, n.party_id, new_uuid(clock_timestamp()), n.thread_id, min(n.position) - 1
      FROM new n WHERE n.message_id < n.document_through OR n.is_own GROUP BY n.party_id, n.thread_id
  )
  -- A message to oneself has two entries.
  INSERT INTO document_facts (party_id, thread_id, message_id, type, status, number, total, currency, due_date, is_filtered)
  SELECT n.party_id, n.thread_id, n.message_id, n.type, d.status, d.number, d.total, d.currency, d.due_date, coalesce(n.is_filtered, false)
    FROM new n CROSS JOIN LATERAL json_populate_record(NULL::message_document, n.document) AS d WHERE n.document IS NOT NULL
  ON CONFLICT DO NOTHING;
END
$$;
