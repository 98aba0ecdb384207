-- Writes the grams of `most` contacts that have none yet, and returns how many. A contact that is being changed is left for the next time.
CREATE OR REPLACE FUNCTION index_contacts(party bigint, most integer) RETURNS integer LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  others  bigint[];
  written integer;
BEGIN
  -- Locked before label and name are read: a later change of them waits, and takes the grams away again.
  others := ARRAY(SELECT n.other_id FROM contact_names n WHERE n.party_id = party AND n.grams IS NULL LIMIT most FOR UPDATE SKIP LOCKED);
  UPDATE contact_names n
     SET grams = contact_grams(party, w.words, 1) || CASE WHEN n.other_id % 61 = 0 THEN contact_grams(~party, w.words, 1) END
    FROM (SELECT c.other_id, concat_ws(E'\n', p.handle, p.domain, p.email, p.folded_name, c.folded_label) AS words
            FROM contacts c JOIN parties p ON p.id = c.other_id WHERE c.party_id = party AND c.other_id = ANY (others)) w
   WHERE n.party_id = party AND n.other_id = w.other_id;
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END
$$;
