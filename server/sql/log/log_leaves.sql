-- Leaves for the log, at most 256 of 33 bytes each: in the log exactly if the transaction commits. The sequencer gives them their places
-- later, so that nobody waits for a counter. Returns the id of the batch; its leaves are counted from 0.
CREATE OR REPLACE FUNCTION log_leaves(leaves bytea, clock timestamptz) RETURNS uuid LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  batch uuid := new_uuid(clock);
BEGIN
  IF length(leaves) NOT BETWEEN 33 AND 8448 OR length(leaves) % 33 <> 0 THEN
    RAISE EXCEPTION 'a batch of % bytes is not one of leaves', length(leaves);
  END IF;
  INSERT INTO log_batches (id, leaves) VALUES (batch, log_leaves.leaves);
  RETURN batch;
END
$$;
