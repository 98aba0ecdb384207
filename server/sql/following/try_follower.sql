-- Hands entries to a follower. If it raises, nothing stays of what it has written, its entries are noted for each business, to be tried again
-- (retry_follower), and the other followers go on. Returns the error, or null.
CREATE OR REPLACE FUNCTION try_follower(follower text, by_entries boolean, entries indexed_entry[]) RETURNS text LANGUAGE plpgsql
AS $$
BEGIN
  EXECUTE format('SELECT %I($1)', follower) USING entries;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  IF is_passing_error(SQLSTATE) THEN
    RAISE;
  END IF;
  INSERT INTO follower_failures (party_id, id, follower, entries, thread_ids, error, tries, next_at)
  SELECT e.party_id, new_uuid(clock_timestamp()), follower, CASE WHEN by_entries THEN array_agg(e) END, array_agg(DISTINCT e.thread_id), SQLERRM, 1,
         clock_timestamp() + interval '10 seconds'
    FROM unnest(entries) AS e GROUP BY e.party_id;
  RETURN follower || ': ' || SQLERRM;
END
$$;
