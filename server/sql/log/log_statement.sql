-- A leaf for the log about a statement in canonical JSON: the type of leaf, and the hash of the statement. Returns the id of its batch.
CREATE OR REPLACE FUNCTION log_statement(leaf_type bytea, statement text, clock timestamptz) RETURNS uuid LANGUAGE plpgsql
AS $$
BEGIN
  RETURN log_leaves(leaf_type || sha256(convert_to(statement, 'UTF8')), clock);
END
$$;
