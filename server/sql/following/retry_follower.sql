-- Tries a follower once more that has failed. If it fails again, its entries or threads are halved, so that one that it can't take soon stands alone and keeps
-- no other waiting; one that stands alone is tried again with growing pauses, up to an hour. Returns the error, or null.
CREATE OR REPLACE FUNCTION retry_follower(index text, rebuild text, party bigint, failure uuid) RETURNS text LANGUAGE plpgsql
AS $$
DECLARE
  noted  follower_failures;
  size   integer;
  first  integer := 1;
  last   integer;
BEGIN
  -- What is rebuilt must not change meanwhile. Of two workers that try the same, the second finds it done.
  PERFORM lock_position(party);
  SELECT * INTO noted FROM follower_failures f WHERE f.party_id = party AND f.id = failure;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  BEGIN
    IF noted.entries IS NULL THEN
      EXECUTE format('SELECT %I($1, $2)', rebuild) USING party, noted.thread_ids;
    ELSE
      EXECUTE format('SELECT %I($1)', index) USING noted.entries;
    END IF;
    DELETE FROM follower_failures f WHERE f.party_id = party AND f.id = failure;
    RETURN NULL;
  EXCEPTION WHEN OTHERS THEN
    IF is_passing_error(SQLSTATE) THEN
      RAISE;
    END IF;
    noted.error := SQLERRM;
  END;

  size := coalesce(cardinality(noted.entries), cardinality(noted.thread_ids));
  IF size = 1 THEN
    UPDATE follower_failures f
       SET error = noted.error, tries = noted.tries + 1, next_at = clock_timestamp() + make_interval(secs => least(3600, 10 * 2 ^ least(noted.tries, 10)))
     WHERE f.party_id = party AND f.id = failure;
    RETURN index || ': ' || noted.error;
  END IF;
  DELETE FROM follower_failures f WHERE f.party_id = party AND f.id = failure;
  FOREACH last IN ARRAY ARRAY[size / 2, size] LOOP
    INSERT INTO follower_failures (party_id, id, follower, entries, thread_ids, error, tries, next_at)
    VALUES (party, new_uuid(clock_timestamp()), index, noted.entries[first : last],
            CASE WHEN noted.entries IS NULL THEN noted.thread_ids[first : last]
                 ELSE ARRAY(SELECT DISTINCT e.thread_id FROM unnest(noted.entries[first : last]) AS e) END,
            noted.error, noted.tries, clock_timestamp());
    first := last + 1;
  END LOOP;
  RETURN index || ': ' || noted.error;
END
$$;
