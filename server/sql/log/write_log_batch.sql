-- A batch of leaves for the log, at most 256 of 33 bytes each, counted from 0: in the log exactly if the transaction commits. The sequencer gives them their
-- places later, so that nobody waits for a counter.
CREATE OR REPLACE FUNCTION write_log_batch(batch uuid, leaves bytea) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  IF length(leaves) NOT BETWEEN 33 AND 8448 OR length(leaves) % 33 <> 0 THEN
    RAISE EXCEPTION 'a batch of % bytes is not one of leaves', length(leaves);
  END IF;
  INSERT INTO log_batches (id, leaves) VALUES (batch, write_log_batch.leaves);
END
$$;
