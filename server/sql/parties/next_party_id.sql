-- The id of a new party without a handle. In a distributed database, the domains of an organisation get ids of one shard, where they
-- share a day's limit.
CREATE OR REPLACE FUNCTION next_party_id(organisation text) RETURNS bigint LANGUAGE plpgsql
AS $$
DECLARE
  shard_count bigint := (SELECT count(*) FROM shards);
  next_id     bigint := nextval('parties_id_seq');
BEGIN
  WHILE shard_count > 1 AND organisation IS NOT NULL AND (next_id # hashtextextended(organisation, 0)) & (shard_count - 1) <> 0 LOOP
    next_id := nextval('parties_id_seq');
  END LOOP;
  RETURN next_id;
END
$$;
