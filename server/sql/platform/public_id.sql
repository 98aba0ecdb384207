-- An id as the API shows it: a prefix, and the uuid in Crockford's base32.
CREATE OR REPLACE FUNCTION public_id(prefix text, id uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN prefix || '_' || (
  SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits FROM 5 * i + 1 FOR 5)::bit(5)::integer + 1, 1), '' ORDER BY i)
    FROM (SELECT B'00' || ('x' || replace(id::text, '-', ''))::bit(128) AS bits) b, generate_series(0, 25) AS i);
