-- Notes that systems of these parties took these messages. In one order, so that two batches can't wait for each other. Only the first time counts;
-- whether this is the first time is found out later, with the number and the leaf of the hand-over (hand-over-sweep.ts and chains.ts in
-- modules/acknowledgements), because this is in the transaction that records deliveries.
CREATE OR REPLACE FUNCTION note_hand_overs(party_ids bigint[], message_ids uuid[], way hand_over_way, clock timestamptz) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO noted_hand_overs (party_id, message_id, way, handed_over_at)
  SELECT h.party_id, h.message_id, note_hand_overs.way, clock FROM unnest(party_ids, message_ids) AS h (party_id, message_id) ORDER BY 1, 2
  ON CONFLICT (party_id, message_id) DO NOTHING;
END
$$;
