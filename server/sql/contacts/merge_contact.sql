-- Merges, in the contacts of one owner, a party without a handle into the business that the party has become. The label and
-- notes of the business stay, if it has any. A second call finds nothing to merge.
CREATE OR REPLACE FUNCTION merge_contact(owner bigint, unclaimed bigint, business bigint) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  gone contacts;
  kept contacts;
BEGIN
  -- In the order in which deliveries lock them.
  PERFORM FROM contacts c WHERE c.party_id = owner AND c.other_id IN (unclaimed, business) ORDER BY c.other_id FOR UPDATE;
  DELETE FROM contacts c WHERE c.party_id = owner AND c.other_id = unclaimed RETURNING * INTO gone;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO kept FROM contacts c WHERE c.party_id = owner AND c.other_id = business;
  IF FOUND AND gone.saved_at IS NOT NULL AND kept.saved_at IS NOT NULL THEN
    UPDATE saved_contacts s SET count = s.count - 1 WHERE s.party_id = owner;
  END IF;

  INSERT INTO contacts AS c (party_id, other_id, id, saved_at, archived, label, folded_label, notes, first_seen_at, last_seen_at,
                             last_direction, messages_in, messages_out)
  VALUES (owner, business, gone.id, gone.saved_at, gone.archived, gone.label, gone.folded_label, gone.notes, gone.first_seen_at,
          gone.last_seen_at, gone.last_direction, gone.messages_in, gone.messages_out)
  ON CONFLICT (party_id, other_id) DO UPDATE
    SET id = CASE WHEN c.saved_at IS NULL AND excluded.saved_at IS NOT NULL THEN excluded.id ELSE c.id END,
        saved_at = least(c.saved_at, excluded.saved_at),
        archived = CASE WHEN c.saved_at IS NULL AND excluded.saved_at IS NOT NULL THEN excluded.archived ELSE c.archived END,
        label = CASE WHEN c.label = '' THEN excluded.label ELSE c.label END,
        folded_label = CASE WHEN c.label = '' THEN excluded.folded_label ELSE c.folded_label END,
        notes = CASE WHEN c.notes = '' THEN excluded.notes ELSE c.notes END,
        first_seen_at = least(c.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at),
        last_direction = CASE WHEN c.last_seen_at >= excluded.last_seen_at OR excluded.last_seen_at IS NULL
                              THEN c.last_direction ELSE excluded.last_direction END,
        messages_in = c.messages_in + excluded.messages_in, messages_out = c.messages_out + excluded.messages_out;

  INSERT INTO contact_activity AS t (party_id, other_id, last_position)
  SELECT owner, business, a.last_position FROM contact_activity a WHERE a.party_id = owner AND a.other_id = unclaimed
  ON CONFLICT (party_id, other_id) DO UPDATE SET last_position = greatest(t.last_position, excluded.last_position);
  DELETE FROM contact_activity a WHERE a.party_id = owner AND a.other_id = unclaimed;
  DELETE FROM contact_names n WHERE n.party_id = owner AND n.other_id = unclaimed;
  PERFORM rename_contact(ARRAY[owner], business);

  INSERT INTO contact_types (party_id, other_id, type)
  SELECT owner, business, t.type FROM contact_types t WHERE t.party_id = owner AND t.other_id = unclaimed ON CONFLICT DO NOTHING;
  DELETE FROM contact_types t WHERE t.party_id = owner AND t.other_id = unclaimed;

  INSERT INTO contact_actors (party_id, other_id, actor_id, kind, name, email)
  SELECT owner, business, a.actor_id, a.kind, a.name, a.email FROM contact_actors a WHERE a.party_id = owner AND a.other_id = unclaimed
  ON CONFLICT DO NOTHING;
  DELETE FROM contact_actors a WHERE a.party_id = owner AND a.other_id = unclaimed;
END
$$;
