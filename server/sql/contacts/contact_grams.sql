-- Hashes of all parts of a text that have `shortest` to 3 characters. The seed is the number of a party, so that an index of hashes reads nothing of
-- other parties; ~party in the sample of its contacts (find_contacts).
CREATE OR REPLACE FUNCTION contact_grams(seed bigint, words text, shortest integer) RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(DISTINCT (hashtextextended(substr(words, s.start, l.length) COLLATE "C", seed) & 2147483647)::integer)
          FROM generate_series(shortest, 3) AS l (length), generate_series(1, length(words) - l.length + 1) AS s (start));
