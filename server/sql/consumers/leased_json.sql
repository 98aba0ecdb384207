-- Leased messages as the service reads them, in order of delivery. Messages without tries are left out.
CREATE OR REPLACE FUNCTION leased_json(ids uuid[], senders bigint[], positions bigint[], sizes integer[], tries integer[]) RETURNS json LANGUAGE sql IMMUTABLE
AS $$
  SELECT json_agg(json_build_object('messageId', k.id, 'senderId', k.sender_id::text, 'position', k.position::text, 'bytes', k.bytes, 'tries', k.tries)
                  ORDER BY k.position)
    FROM unnest(ids, senders, positions, sizes, tries) AS k (id, sender_id, position, bytes, tries) WHERE k.tries IS NOT NULL
$$;
