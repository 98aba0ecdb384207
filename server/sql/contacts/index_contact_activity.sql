-- A follower of the thread index: when contacts were last active, and the names of new ones, for lists in these orders.
CREATE OR REPLACE FUNCTION index_contact_activity(entries indexed_entry[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  INSERT INTO contact_activity AS a (party_id, other_id, last_position)
  SELECT e.party_id, e.counterparty_id, max(e.position) FROM unnest(entries) AS e GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (party_id, other_id) DO UPDATE SET last_position = excluded.last_position WHERE a.last_position < excluded.last_position;
  PERFORM add_contact_names(array_agg(e.party_id), array_agg(e.counterparty_id)) FROM unnest(entries) AS e;
END
$$;
