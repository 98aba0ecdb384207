-- The class of a thread, the sum of: 1 in the inbox, 2 in the outbox, 4 done, 8 assigned, 16 failed a schema (modules/threads/thread-class.ts).
CREATE OR REPLACE FUNCTION thread_class(in_count integer, out_count integer, is_done boolean, is_assigned boolean, failed_schema boolean)
RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (CASE WHEN in_count > 0 THEN 1 ELSE 0 END + CASE WHEN out_count > 0 THEN 2 ELSE 0 END + CASE WHEN is_done THEN 4 ELSE 0 END
        + CASE WHEN is_assigned THEN 8 ELSE 0 END + CASE WHEN failed_schema THEN 16 ELSE 0 END)::smallint;
