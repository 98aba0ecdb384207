-- Lets a follower write again what follows from the entries of some threads. If it raises, nothing stays of what it has written, the threads are noted, to
-- be tried again (retry_follower), and the other followers go on. Returns the error, or null.
CREATE OR REPLACE FUNCTION try_rebuild(follower text, rebuild text, party bigint, threads uuid[]) RETURNS text LANGUAGE plpgsql
AS $$
BEGIN
  EXECUTE format('SELECT %I($1, $2)', rebuild) USING party, threads;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  IF is_passing_error(SQLSTATE) THEN
    RAISE;
  END IF;
  INSERT INTO follower_failures (party_id, id, follower, thread_ids, error, tries, next_at)
  VALUES (party, new_uuid(clock_timestamp()), follower, threads, SQLERRM, 1, clock_timestamp() + interval '10 seconds');
  RETURN follower || ': ' || SQLERRM;
END
$$;
