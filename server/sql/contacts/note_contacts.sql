-- A follower of messages: brings the contacts of both parties, or of the one in this shard, up to date, with the types of their messages
-- and who wrote them. Between two shards, a message may come after a later one of the other direction.
CREATE OR REPLACE FUNCTION note_contacts(messages committed_message[]) RETURNS void LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 433 rows in place of 18 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO contacts AS c (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)
  SELECT s.party_id, s.other_id, new_uuid(min(s.at)), min(s.at), max(s.at), (array_agg(s.box ORDER BY s.n DESC, s.box))[1],
         count(*) FILTER (WHERE s.box = 'in'), count(*) FILTER (WHERE s.box = 'out')
    FROM (SELECT m.recipient_id AS party_id, m.sender_id AS other_id, 'in'::ledger_box AS box, m.received_at AS at, m.ordinality AS n
            FROM unnest(messages) WITH ORDINALITY AS m WHERE m.half IS DISTINCT FROM 'out'
          UNION ALL
          SELECT m.sender_id, m.recipient_id, 'out', m.received_at, m.ordinality
            FROM unnest(messages) WITH ORDINALITY AS m WHERE m.half IS DISTINCT FROM 'in') s
   GROUP BY s.party_id, s.other_id ORDER BY s.party_id, s.other_id
  ON CONFLICT (party_id, other_id) DO UPDATE
    SET first_seen_at = least(c.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at),
        last_direction = excluded.last_direction, messages_in = c.messages_in + excluded.messages_in,
        messages_out = c.messages_out + excluded.messages_out;

  -- Mostly they are known already; then nothing is written, nor locked.
  INSERT INTO contact_types (party_id, other_id, type)
  SELECT DISTINCT s.party_id, s.other_id, s.type
    FROM (SELECT m.recipient_id AS party_id, m.sender_id AS other_id, m.type FROM unnest(messages) AS m WHERE m.half IS DISTINCT FROM 'out'
          UNION ALL
          SELECT m.sender_id, m.recipient_id, m.type FROM unnest(messages) AS m WHERE m.half IS DISTINCT FROM 'in') s
   WHERE s.type IS NOT NULL
     AND NOT EXISTS (SELECT FROM contact_types t WHERE t.party_id = s.party_id AND t.other_id = s.other_id AND t.type = s.type)
  ON CONFLICT DO NOTHING;

  INSERT INTO contact_actors AS c (party_id, other_id, actor_id, kind, name, email)
  SELECT DISTINCT ON (s.recipient_id, s.sender_id, s.actor ->> 'id')
         s.recipient_id, s.sender_id, s.actor ->> 'id', s.actor ->> 'kind', s.actor ->> 'name', s.actor ->> 'email'
    FROM (SELECT m.recipient_id, m.sender_id, m.sender::json -> 'actor' AS actor, max(m.ordinality) AS n
            FROM unnest(messages) WITH ORDINALITY AS m WHERE m.half IS DISTINCT FROM 'out'
           GROUP BY m.recipient_id, m.sender_id, m.sender) s
   WHERE NOT EXISTS (SELECT FROM contact_actors a
                      WHERE a.party_id = s.recipient_id AND a.other_id = s.sender_id AND a.actor_id = s.actor ->> 'id'
                        AND a.name = s.actor ->> 'name' AND a.email IS NOT DISTINCT FROM s.actor ->> 'email')
   ORDER BY s.recipient_id, s.sender_id, s.actor ->> 'id', s.n DESC
  ON CONFLICT (party_id, other_id, actor_id) DO UPDATE SET kind = excluded.kind, name = excluded.name, email = excluded.email;
END
$$;
