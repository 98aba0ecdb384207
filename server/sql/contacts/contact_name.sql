-- The sort key of a contact: its label, or else its display name, without accents, and short enough for an index and a cursor.
CREATE OR REPLACE FUNCTION contact_name(folded_label text, folded_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(regexp_replace(normalize(coalesce(nullif(folded_label, ''), folded_name), NFKD), '[\u0300-\u036f]+', '', 'g'), 64);
