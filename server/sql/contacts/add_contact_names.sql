-- Names for sort=name of contacts that have none yet. Locks no contact: sends and changes of contacts go on, and a name that they write stays.
CREATE OR REPLACE FUNCTION add_contact_names(owners bigint[], others bigint[]) RETURNS void LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 381 rows in place of 45, and in another run 3,603 in place of 151 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  missing record;
BEGIN
  SELECT array_agg(k.owner) AS owners, array_agg(k.other) AS others, array_agg(contact_name(c.folded_label, p.folded_name)) AS names
    INTO missing
    FROM (SELECT DISTINCT u.owner, u.other FROM unnest(owners, others) AS u (owner, other)) k
    JOIN contacts c ON c.party_id = k.owner AND c.other_id = k.other
    JOIN parties p ON p.id = k.other
   WHERE NOT EXISTS (SELECT 1 FROM contact_names n WHERE n.party_id = k.owner AND n.other_id = k.other);
  INSERT INTO contact_names (party_id, other_id, name)
  SELECT m.owner, m.other, m.name FROM unnest(missing.owners, missing.others, missing.names) AS m (owner, other, name) ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
END
$$;
