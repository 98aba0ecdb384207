-- Has the entries of a ledger brought into the indexes of filters: new ones at once, because every batch locks the row, and older ones by a job.
CREATE OR REPLACE FUNCTION begin_filters(party bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ledgers l SET filters_left = 9223372036854775807 WHERE l.party_id = party AND l.filters_left IS NULL;
  PERFORM queue_job('filter-entries', json_build_object('party_id', party::text), 'filter-entries ' || party);
END
$$;
