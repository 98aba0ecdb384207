-- Adds what the moved messages of a thread say to the contacts of the business that gets them (join_thread).
CREATE OR REPLACE FUNCTION join_contacts(unclaimed bigint, thread uuid, business bigint, moving uuid[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  INSERT INTO contacts AS c (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)
  SELECT business, e.counterparty_id, new_uuid(min(e.at)), min(e.at), max(e.at), (array_agg(e.box ORDER BY e.position DESC))[1],
         count(*) FILTER (WHERE e.box = 'in'), count(*) FILTER (WHERE e.box = 'out')
    FROM (SELECT *, to_timestamp(position / 4096 / 1000.0) AS at FROM ledger_entries WHERE party_id = unclaimed AND thread_id = thread) e
   WHERE e.message_id = ANY (moving) GROUP BY e.counterparty_id
  ON CONFLICT (party_id, other_id) DO UPDATE
    SET first_seen_at = least(c.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at),
        last_direction = CASE WHEN c.last_seen_at > excluded.last_seen_at THEN c.last_direction ELSE excluded.last_direction END,
        messages_in = c.messages_in + excluded.messages_in, messages_out = c.messages_out + excluded.messages_out;

  INSERT INTO contact_types (party_id, other_id, type)
  SELECT DISTINCT business, e.counterparty_id, e.type FROM ledger_entries e
   WHERE e.party_id = unclaimed AND e.thread_id = thread AND e.message_id = ANY (moving) AND e.type IS NOT NULL
  ON CONFLICT DO NOTHING;

  INSERT INTO contact_actors (party_id, other_id, actor_id, kind, name, email)
  SELECT DISTINCT ON (a.other_id, a.actor ->> 'id') business, a.other_id, a.actor ->> 'id', a.actor ->> 'kind', a.actor ->> 'name', a.actor ->> 'email'
    FROM (SELECT e.counterparty_id AS other_id, e.position, m.sender::json -> 'actor' AS actor
            FROM ledger_entries e JOIN messages m ON m.sender_id = e.counterparty_id AND m.id = e.message_id
           WHERE e.party_id = unclaimed AND e.thread_id = thread AND e.box = 'in' AND e.message_id = ANY (moving)) a
   ORDER BY a.other_id, a.actor ->> 'id', a.position DESC
  ON CONFLICT DO NOTHING;
END
$$;
