-- A batch of leaves for the log (write_log_batch). Returns its id.
CREATE OR REPLACE FUNCTION log_leaves(leaves bytea, clock timestamptz) RETURNS uuid LANGUAGE plpgsql
AS $$
DECLARE
  batch uuid := new_uuid(clock);
BEGIN
  PERFORM write_log_batch(batch, leaves);
  RETURN batch;
END
$$;
