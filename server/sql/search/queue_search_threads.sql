-- A follower behind the commit: queues threads whose documents are to be written again, if the business searches.
CREATE OR REPLACE FUNCTION queue_search_threads(party bigint, wanted uuid[]) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM thread_index i WHERE i.party_id = party AND i.searched_at IS NOT NULL) THEN
    INSERT INTO search_queue (is_rebuild, id, party_id, thread_id) SELECT true, new_uuid(clock_timestamp()), party, k FROM unnest(wanted) AS k;
  END IF;
END
$$;
