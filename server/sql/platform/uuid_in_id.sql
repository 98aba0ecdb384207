-- The uuid in an id such as agt_01h455vb4pex5vsknk084sn02q: 26 digits of Crockford's base32, of which the first has two bits too many.
CREATE OR REPLACE FUNCTION uuid_in_id(id text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
  SELECT encode(substr(bit_send(substr(string_agg((strpos('0123456789abcdefghjkmnpqrstvwxyz', digit) - 1)::bit(5)::text, '' ORDER BY place), 3)::bit(128)), 5), 'hex')::uuid
    FROM regexp_split_to_table(right(id, 26), '') WITH ORDINALITY AS digits (digit, place)
$$;
