-- When the next message that a consumer has taken can be leased again, by its lease that lapses or its delay that ends: in so many milliseconds,
-- 0 if it can be leased now, null if there is none.
CREATE OR REPLACE FUNCTION next_due_in_ms(party bigint, consumer uuid, clock timestamptz) RETURNS bigint LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  next timestamptz;
BEGIN
  SELECT min(d.due_at) INTO next
    FROM ((SELECT m.due_at FROM consumer_messages m WHERE m.party_id = party AND m.consumer_id = consumer AND m.state = 'leased'
            ORDER BY m.due_at LIMIT 1)
          UNION ALL
          (SELECT m.due_at FROM consumer_messages m WHERE m.party_id = party AND m.consumer_id = consumer AND m.state = 'waiting'
            ORDER BY m.due_at LIMIT 1)) d;
  -- greatest() passes over nulls.
  RETURN CASE WHEN next IS NOT NULL THEN greatest(0, ceil(extract(epoch FROM next - clock) * 1000)) END;
END
$$;
