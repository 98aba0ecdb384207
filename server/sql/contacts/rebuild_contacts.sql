-- What threads that were read again say of contacts: when they were last active, and names for lists. Counts can't be read again thread by thread, and stay:
-- they are right as long as each entry has come to follow_contacts once.
CREATE OR REPLACE FUNCTION rebuild_contacts(party bigint, wanted uuid[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  owners bigint[];
  others bigint[];
BEGIN
  INSERT INTO contact_activity AS a (party_id, other_id, last_position)
  SELECT t.party_id, t.counterparty_id, max(t.last_position) FROM threads t
   WHERE t.party_id = party AND t.thread_id = ANY (wanted) GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (party_id, other_id) DO UPDATE SET last_position = excluded.last_position WHERE a.last_position < excluded.last_position;
  SELECT array_agg(t.party_id), array_agg(t.counterparty_id) INTO owners, others FROM threads t WHERE t.party_id = party AND t.thread_id = ANY (wanted);
  PERFORM add_contact_names(owners, others);
END
$$;
