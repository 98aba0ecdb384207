-- A follower behind the commit: queues threads whose documents are to be read again, all of them.
CREATE OR REPLACE FUNCTION queue_document_threads(party bigint, wanted uuid[]) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO document_queue (is_rebuild, party_id, id, thread_id, after) SELECT true, party, new_uuid(clock_timestamp()), k, 0 FROM unnest(wanted) AS k;
END
$$;
