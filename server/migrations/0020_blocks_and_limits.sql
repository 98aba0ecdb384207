-- A business can be blocked as such: all of its agents, people and mailboxes, whatever its handle.
ALTER TABLE blocks
  ADD COLUMN business_id bigint,
  DROP CONSTRAINT blocks_check,
  ADD CHECK (num_nonnulls(user_id, email_domain, business_id) = 1),
  ADD UNIQUE (party_id, business_id);

-- An id as the API shows it: a prefix, and the uuid in Crockford's base32.
CREATE FUNCTION public_id(prefix text, id uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN prefix || '_' || (
  SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits FROM 5 * i + 1 FOR 5)::bit(5)::integer + 1, 1), '' ORDER BY i)
    FROM (SELECT B'00' || ('x' || replace(id::text, '-', ''))::bit(128) AS bits) b, generate_series(0, 25) AS i);

-- A domain and all above it.
CREATE FUNCTION domain_with_parents(domain text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT array_agg(array_to_string(labels[i:], '.')) FROM string_to_array(domain, '.') AS labels, generate_subscripts(labels, 1) AS i);

-- Whether a party wants to hear nothing of somebody: of the business or party that is written for, of whoever writes by the
-- id that envelopes show, of the mailbox that is proven to be theirs, or of a domain. A person and a mailbox that the person
-- has proven to hold are one. Each part finds its few candidates by index, however many blocks there are.
CREATE FUNCTION is_blocked(recipient bigint, sender bigint, actor text, mailbox text, mail_domain text) RETURNS boolean LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
BEGIN
  RETURN EXISTS (SELECT FROM blocks b WHERE b.party_id = recipient AND b.business_id = sender)
      OR EXISTS (SELECT FROM blocks b WHERE b.party_id = recipient AND b.email_domain = ANY (domain_with_parents(mail_domain)))
      OR EXISTS (SELECT FROM verified_domains d JOIN blocks b ON b.party_id = recipient AND b.email_domain = ANY (domain_with_parents(d.domain))
                  WHERE d.party_id = sender)
      OR EXISTS (SELECT FROM blocks b WHERE b.party_id = recipient AND b.user_id = ANY (ARRAY[
           actor,
           (SELECT public_id('mbx', m.id) FROM mailboxes m WHERE m.email = mailbox),
           (SELECT public_id('usr', p.id) FROM people p WHERE p.email = mailbox AND p.email_verified)]));
END
$$;

-- Who claimed a business, whoever owns it now: counted to limit how many one person claims.
ALTER TABLE parties ADD COLUMN claimed_by uuid;
UPDATE parties p SET claimed_by = (SELECT m.person_id FROM members m WHERE m.party_id = p.id AND m.role = 'owner' ORDER BY m.joined_at LIMIT 1)
 WHERE p.claimed_at IS NOT NULL;
CREATE INDEX parties_claimed_by ON parties (claimed_by, claimed_at) WHERE claimed_by IS NOT NULL;

-- The keys of one agent, of which the business may have many.
CREATE INDEX api_keys_of_agent ON api_keys (party_id, agent_id, id);

-- How many contacts a business has saved, so that the limit costs no count.
CREATE TABLE saved_contacts (
  party_id bigint  PRIMARY KEY,
  count    integer NOT NULL
);
INSERT INTO saved_contacts (party_id, count)
SELECT party_id, count(*) FROM contacts WHERE saved_at IS NOT NULL GROUP BY party_id;

-- Whose address books have a party.
CREATE INDEX contacts_by_other ON contacts (other_id);

-- In one address book, what is known of a party without a handle becomes part of what is known of the business that it has
-- become. The business's own label and notes stay, where there are any. Done again, it finds nothing.
CREATE FUNCTION merge_contact(owner bigint, unclaimed bigint, business bigint) RETURNS void LANGUAGE plpgsql
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
        label = CASE c.label WHEN '' THEN excluded.label ELSE c.label END,
        folded_label = CASE c.label WHEN '' THEN excluded.folded_label ELSE c.folded_label END,
        notes = CASE c.notes WHEN '' THEN excluded.notes ELSE c.notes END,
        first_seen_at = least(c.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at),
        last_direction = CASE WHEN c.last_seen_at >= excluded.last_seen_at OR excluded.last_seen_at IS NULL
                              THEN c.last_direction ELSE excluded.last_direction END,
        messages_in = c.messages_in + excluded.messages_in, messages_out = c.messages_out + excluded.messages_out;

  INSERT INTO contact_types (party_id, other_id, type)
  SELECT owner, business, t.type FROM contact_types t WHERE t.party_id = owner AND t.other_id = unclaimed ON CONFLICT DO NOTHING;
  DELETE FROM contact_types t WHERE t.party_id = owner AND t.other_id = unclaimed;

  INSERT INTO contact_actors (party_id, other_id, actor_id, kind, name, email)
  SELECT owner, business, a.actor_id, a.kind, a.name, a.email FROM contact_actors a WHERE a.party_id = owner AND a.other_id = unclaimed
  ON CONFLICT DO NOTHING;
  DELETE FROM contact_actors a WHERE a.party_id = owner AND a.other_id = unclaimed;
END
$$;
