-- The statements about these received messages that are leaves of the log, with their numbers from 1: hand-overs, non-deliveries and acknowledgements. The
-- text of hand-overs and non-deliveries is made from these columns (modules/acknowledgements/chain.ts). What is from before there were numbers is left out.
CREATE OR REPLACE FUNCTION read_chains(party_ids bigint[], message_ids uuid[])
RETURNS TABLE (party_id bigint, message_id uuid, number smallint, said_at timestamptz, way hand_over_way, statement text, log_batch uuid, log_slot smallint)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT k.party_id, k.message_id, l.number, l.said_at, l.way, l.statement, l.log_batch, l.log_slot
    FROM unnest(party_ids, message_ids) AS k (party_id, message_id)
   CROSS JOIN LATERAL (
      SELECT h.number, h.handed_over_at AS said_at, h.way, NULL::text AS statement, h.log_batch, h.log_slot
        FROM hand_overs h WHERE h.party_id = k.party_id AND h.message_id = k.message_id AND h.number IS NOT NULL
      UNION ALL
      SELECT n.number, n.noted_at, NULL, NULL, n.log_batch, 0::smallint
        FROM non_deliveries n WHERE n.party_id = k.party_id AND n.message_id = k.message_id
      UNION ALL
      SELECT a.chain_number, NULL, NULL, a.statement, a.log_batch, 0::smallint
        FROM acknowledgements a WHERE a.party_id = k.party_id AND a.message_id = k.message_id AND a.chain_number IS NOT NULL) l
   ORDER BY k.party_id, k.message_id, l.number;
END
$$;
