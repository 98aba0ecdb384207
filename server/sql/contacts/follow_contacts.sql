-- A follower behind the commit: brings the contacts of businesses up to date with new entries of their ledgers: counts, when they were last active, the types
-- of messages, who wrote them, and names for lists. Entries may come in any order, each once.
--
-- A party without a handle whose domain a business has verified stands for that business: its contacts have been merged, or soon are (merge_contact).
CREATE OR REPLACE FUNCTION follow_contacts(entries indexed_entry[]) RETURNS void LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 5,107 rows in place of 227 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  unnamed record;
BEGIN
  -- IS TRUE keeps the index of handles, which finds all parties that have none, from serving in place of the primary key.
  WITH seen AS MATERIALIZED (
    SELECT g.*, coalesce((SELECT v.party_id FROM parties p JOIN verified_domains v ON v.domain = p.domain WHERE p.id = g.party AND (p.handle IS NULL) IS TRUE), g.party) AS other_id
      FROM (SELECT e.party_id, CASE e.box WHEN 'in' THEN e.sender_id ELSE e.counterparty_id END AS party, e.box, e.type, e.sender,
                   min(e.received_at) AS first_at, max(e.received_at) AS last_at, max(e.position) AS last, count(*) FILTER (WHERE NOT e.is_counted) AS messages
              FROM unnest(entries) AS e GROUP BY 1, 2, 3, 4, 5) g
  ), typed AS (
    -- Mostly they are known already; then nothing is written, nor locked.
    INSERT INTO contact_types (party_id, other_id, type)
    SELECT DISTINCT s.party_id, s.other_id, s.type FROM seen s
     WHERE s.type IS NOT NULL
       AND NOT EXISTS (SELECT FROM contact_types t WHERE t.party_id = s.party_id AND t.other_id = s.other_id AND t.type = s.type)
     ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING
  ), written AS (
    INSERT INTO contact_actors AS c (party_id, other_id, actor_id, kind, name, email)
    SELECT DISTINCT ON (s.party_id, s.other_id, s.actor ->> 'id')
           s.party_id, s.other_id, s.actor ->> 'id', s.actor ->> 'kind', s.actor ->> 'name', s.actor ->> 'email'
      FROM (SELECT s.*, s.sender::json -> 'actor' AS actor FROM seen s WHERE s.box = 'in') s
     -- An entry that comes after later ones brings no former name back.
     WHERE NOT EXISTS (SELECT FROM contact_actors a
                        WHERE a.party_id = s.party_id AND a.other_id = s.other_id AND a.actor_id = s.actor ->> 'id'
                          AND (a.name = s.actor ->> 'name' AND a.email IS NOT DISTINCT FROM s.actor ->> 'email'
                               OR EXISTS (SELECT FROM contacts c WHERE c.party_id = s.party_id AND c.other_id = s.other_id
                                             AND c.last_seen_at > s.last_at)))
     ORDER BY s.party_id, s.other_id, s.actor ->> 'id', s.last DESC
    ON CONFLICT (party_id, other_id, actor_id) DO UPDATE SET kind = excluded.kind, name = excluded.name, email = excluded.email
  ), active AS (
    INSERT INTO contact_activity AS a (party_id, other_id, last_position)
    SELECT s.party_id, s.other_id, max(s.last) FROM seen s GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (party_id, other_id) DO UPDATE SET last_position = excluded.last_position WHERE a.last_position < excluded.last_position
  ), counted AS (
    -- Read by the main query, so that this part comes first: a transaction that changes a contact locks its row here before those of its actors and its activity.
    INSERT INTO contacts AS c (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)
    SELECT n.party_id, n.other_id, new_uuid(n.first_at), n.first_at, n.last_at, n.box, n.received, n.sent
      FROM (SELECT s.party_id, s.other_id, min(s.first_at) AS first_at, max(s.last_at) AS last_at, (array_agg(s.box ORDER BY s.last DESC, s.box))[1] AS box,
                   coalesce(sum(s.messages) FILTER (WHERE s.box = 'in'), 0) AS received, coalesce(sum(s.messages) FILTER (WHERE s.box = 'out'), 0) AS sent
              FROM seen s GROUP BY 1, 2) n ORDER BY 1, 2
    ON CONFLICT (party_id, other_id) DO UPDATE
      SET first_seen_at = least(c.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at),
          last_direction = CASE WHEN c.last_seen_at > excluded.last_seen_at THEN c.last_direction ELSE excluded.last_direction END,
          messages_in = c.messages_in + excluded.messages_in, messages_out = c.messages_out + excluded.messages_out
    RETURNING c.party_id, c.other_id
  )
  SELECT array_agg(c.party_id) AS owners, array_agg(c.other_id) AS others INTO unnamed FROM counted c
   WHERE NOT EXISTS (SELECT FROM contact_names n WHERE n.party_id = c.party_id AND n.other_id = c.other_id);
  IF unnamed.owners IS NOT NULL THEN
    PERFORM add_contact_names(unnamed.owners, unnamed.others);
  END IF;
END
$$;
