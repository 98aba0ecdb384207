-- A domain and all domains above it: of a.b.c, {a.b.c, b.c, c}.
CREATE OR REPLACE FUNCTION domain_with_parents(domain text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT array_agg(array_to_string(labels[i:], '.')) FROM string_to_array(domain, '.') AS labels, generate_subscripts(labels, 1) AS i);
