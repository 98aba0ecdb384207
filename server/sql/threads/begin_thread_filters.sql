-- Has the threads of a business brought into the indexes of filters: those with new entries by the thread index, which locks the row, and others by a job.
CREATE OR REPLACE FUNCTION begin_thread_filters(party bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE thread_index i SET filtered_through = '00000000-0000-0000-0000-000000000000' WHERE i.party_id = party AND i.filtered_through IS NULL;
  PERFORM queue_job('filter-threads', json_build_object('party_id', party::text), 'filter-threads ' || party);
END
$$;
