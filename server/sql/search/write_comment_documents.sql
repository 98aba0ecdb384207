-- Writes the documents of the comments on a thread, or of one of them, if the business searches.
CREATE OR REPLACE FUNCTION write_comment_documents(party bigint, thread uuid, comment uuid) RETURNS void LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 71 rows in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  is_searching boolean;
  c            record;
BEGIN
  -- With a lock, so that a comment is never missed by a first search at the same moment.
  SELECT i.searched_at IS NOT NULL INTO is_searching FROM thread_index i WHERE i.party_id = party FOR SHARE;
  IF is_searching IS NOT TRUE THEN
    RETURN;
  END IF;
  FOR c IN
    SELECT t.id, t.author_name, t.text, floor(extract(epoch FROM t.created_at) * 1000)::bigint * 4096 AS position
      FROM thread_comments t WHERE t.party_id = party AND t.thread_id = thread AND (comment IS NULL OR t.id = comment)
  LOOP
    INSERT INTO search_documents AS d (party_id, position, id, thread_id, words)
    VALUES (party, c.position, c.id, thread,
            ' ' || search_words(concat_ws(E' \x1f ', public_id('cmt', c.id), public_id('thr', thread), c.author_name, c.text), 2000) || ' ')
    ON CONFLICT (party_id, position, id) DO UPDATE SET words = excluded.words WHERE d.words <> excluded.words;
  END LOOP;
END
$$;
