-- Moves a consumer to a position of the ledger, or to its end if that comes first. Messages that workers hold are forgotten. Parked messages stay.
-- Returns no row if there is no such consumer.
CREATE OR REPLACE FUNCTION seek_consumer(party bigint, consumer text, target bigint) RETURNS TABLE (through bigint) LANGUAGE plpgsql
-- Without these options, a plan made while one business had nearly all rows read 6,002 of them for another in place of 2 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  its  record;
  gone integer;
BEGIN
  SELECT c.id INTO its FROM consumers c WHERE c.party_id = party AND c.name = consumer FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  through := least(target, coalesce((SELECT l.head FROM ledgers l WHERE l.party_id = party), 0));
  DELETE FROM consumer_messages WHERE party_id = party AND consumer_id = its.id AND (state <> 'parked' OR position > through);
  GET DIAGNOSTICS gone = ROW_COUNT;
  UPDATE consumers SET taken_through = through, kept = kept - gone WHERE party_id = party AND name = consumer;
  RETURN NEXT;
END
$$;
