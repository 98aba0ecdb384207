-- A follower behind the commit: queues threads with new messages that may have a document, for a worker that reads their JSON. Plain notes cost nothing.
CREATE OR REPLACE FUNCTION queue_documents(entries indexed_entry[]) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO document_queue (is_rebuild, party_id, id, thread_id, after)
  SELECT false, e.party_id, new_uuid(clock_timestamp()), e.thread_id, min(e.position) - 1
    FROM unnest(entries) AS e WHERE e.has_json OR e.type IS NOT NULL GROUP BY e.party_id, e.thread_id;
END
$$;
