-- The contacts in whose name, display name or label a case-folded text occurs, in any order. Null if a walk through the list finds them as well: there
-- are few contacts, or the text may occur in more than `most`; or if too many have no grams yet, which are then queued to be indexed.
--
-- GIN gives no order and can't stop early: to find a text that each of 100,000 contacts has took 10 to 28 ms. So a sample is counted first, one contact
-- in 61, which took 1.3 ms at most. Of a text that is not common, few entries are then read: 0.4 ms if there are none, 9 ms for 800.
CREATE OR REPLACE FUNCTION find_contacts(party bigint, q text) RETURNS bigint[] LANGUAGE plpgsql
-- Without this option, a plan made while tables were small read 8,270 rows in place of 501 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
  few         CONSTANT integer := 500;
  most        CONSTANT integer := 1000;
  -- A text that so many of the sample have is in about 3,000 contacts.
  sampled     CONSTANT integer := 50;
  -- The rarest of these grams decides how many entries are read.
  part        CONSTANT text := left(q, 32);
  shortest    CONSTANT integer := least(3, length(part));
  grams_of_q  CONSTANT integer[] := contact_grams(party, part, shortest);
  sample_of_q CONSTANT integer[] := contact_grams(~party, part, shortest);
  candidates  bigint[];
BEGIN
  -- "+ 0" keeps other indexes out.
  IF NOT EXISTS (SELECT 1 FROM contact_names n WHERE n.party_id = party OFFSET few)
     OR EXISTS (SELECT 1 FROM contact_names n WHERE n.grams @> sample_of_q AND n.party_id + 0 = party OFFSET sampled) THEN
    RETURN NULL;
  END IF;
  candidates := ARRAY(SELECT n.other_id FROM contact_names n WHERE n.party_id = party AND n.grams IS NULL LIMIT most + 1);
  IF cardinality(candidates) > most THEN
    PERFORM queue_job('index-contacts', json_build_object('party_id', party::text), 'index-contacts ' || party);
    RETURN NULL;
  END IF;
  candidates := candidates || ARRAY(SELECT n.other_id FROM contact_names n WHERE n.grams @> grams_of_q AND n.party_id + 0 = party LIMIT most + 1);
  IF cardinality(candidates) > most THEN
    RETURN NULL;
  END IF;
  -- OFFSET 0: a lookup for each candidate, however few contacts there were when the plan was made.
  RETURN ARRAY(
    SELECT a.other_id FROM (SELECT DISTINCT unnest(candidates)) AS a (other_id),
           LATERAL (SELECT n.folded_label AS label FROM contacts n WHERE n.party_id = party AND n.other_id = a.other_id OFFSET 0) c,
           LATERAL (SELECT coalesce(n.handle, n.domain, n.email) AS name, n.folded_name FROM parties n WHERE n.id = a.other_id OFFSET 0) p
     WHERE strpos(p.name, q) > 0 OR strpos(p.folded_name, q) > 0 OR strpos(c.label, q) > 0);
END
$$;
