-- Whether an error says nothing about the data at hand, so that the whole transaction is to be repeated: a connection or a server that is gone, a deadlock,
-- a full disk, a cancelled or timed out lock, a transaction that may not write.
CREATE OR REPLACE FUNCTION is_passing_error(state text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(state, 2) IN ('08', '25', '40', '53', '55', '57', '58');
