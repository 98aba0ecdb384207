-- Brings the names for sort=name up to date that these owners have for a contact, after a change of its label or display name, and takes away the grams of
-- the former words.
CREATE OR REPLACE FUNCTION rename_contact(owners bigint[], other bigint) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  renamed record;
BEGIN
  -- Under the lock, the later of two changes writes the name. Deliveries lock contacts in the same order, so there is no deadlock.
  PERFORM FROM contacts c WHERE c.party_id = ANY (owners) AND c.other_id = other ORDER BY c.party_id FOR UPDATE;
  SELECT array_agg(c.party_id) AS owners, array_agg(contact_name(c.folded_label, p.folded_name)) AS names INTO renamed
    FROM unnest(owners) AS k (owner) JOIN contacts c ON c.party_id = k.owner AND c.other_id = other JOIN parties p ON p.id = c.other_id;
  INSERT INTO contact_names AS n (party_id, other_id, name)
  SELECT r.owner, other, r.name FROM unnest(renamed.owners, renamed.names) AS r (owner, name) ORDER BY 1
  ON CONFLICT (party_id, other_id) DO UPDATE SET name = excluded.name, grams = NULL WHERE n.name <> excluded.name OR n.grams IS NOT NULL;
END
$$;
