-- An id as the API shows it: a prefix, and the uuid in Crockford's base32. Written out: a query over the letters takes several times as long.
CREATE OR REPLACE FUNCTION public_id(prefix text, id uuid) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
  letters CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
  hex     CONSTANT text := replace(id::text, '-', '');
  hi      CONSTANT bigint := ('x' || left(hex, 16))::bit(64)::bigint;
  lo      CONSTANT bigint := ('x' || right(hex, 16))::bit(64)::bigint;
BEGIN
  RETURN prefix || '_' ||
    concat(substr(letters, ((hi >> 61) & 7)::integer + 1, 1), substr(letters, ((hi >> 56) & 31)::integer + 1, 1), substr(letters, ((hi >> 51) & 31)::integer + 1, 1),
                    substr(letters, ((hi >> 46) & 31)::integer + 1, 1), substr(letters, ((hi >> 41) & 31)::integer + 1, 1), substr(letters, ((hi >> 36) & 31)::integer + 1, 1),
                    substr(letters, ((hi >> 31) & 31)::integer + 1, 1), substr(letters, ((hi >> 26) & 31)::integer + 1, 1), substr(letters, ((hi >> 21) & 31)::integer + 1, 1),
                    substr(letters, ((hi >> 16) & 31)::integer + 1, 1), substr(letters, ((hi >> 11) & 31)::integer + 1, 1), substr(letters, ((hi >> 6) & 31)::integer + 1, 1),
                    substr(letters, ((hi >> 1) & 31)::integer + 1, 1), substr(letters, (((lo >> 60) & 15) | ((hi & 1) << 4))::integer + 1, 1), substr(letters, ((lo >> 55) & 31)::integer + 1, 1),
                    substr(letters, ((lo >> 50) & 31)::integer + 1, 1), substr(letters, ((lo >> 45) & 31)::integer + 1, 1), substr(letters, ((lo >> 40) & 31)::integer + 1, 1),
                    substr(letters, ((lo >> 35) & 31)::integer + 1, 1), substr(letters, ((lo >> 30) & 31)::integer + 1, 1), substr(letters, ((lo >> 25) & 31)::integer + 1, 1),
                    substr(letters, ((lo >> 20) & 31)::integer + 1, 1), substr(letters, ((lo >> 15) & 31)::integer + 1, 1), substr(letters, ((lo >> 10) & 31)::integer + 1, 1),
                    substr(letters, ((lo >> 5) & 31)::integer + 1, 1), substr(letters, (lo & 31)::integer + 1, 1));
END
$$;
