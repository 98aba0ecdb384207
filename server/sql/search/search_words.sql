-- The words of a text, folded, in their order, with one space between two. Whatever is neither letter nor digit separates words, so that
-- PO-4814 is two of them. Scripts without spaces have a word for each character. U+001F, between two fields, is a word of its own.
-- modules/search/words.ts does the same with a query.
CREATE OR REPLACE FUNCTION search_words(given text, words_max integer) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  -- A longer word is cut; so is that of a query.
  word_max CONSTANT integer := 64;
  separated text;
BEGIN
  IF octet_length(given) = char_length(given) THEN
    -- The usual case needs no folding, and no look at each word.
    separated := btrim(array_to_string((regexp_split_to_array(lower(given COLLATE "C"), '[^0-9a-z\x1f]+'))[1 : words_max + 1], ' '));
    IF separated ~ '[^ ]{65}' THEN
      RETURN (SELECT string_agg(left(w, word_max), ' ') FROM unnest(string_to_array(separated, ' ')) AS w);
    END IF;
    RETURN nullif(separated, '');
  END IF;
  separated := regexp_replace(lower(given COLLATE "C"), '[\u0001-\u001e\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d\u30fb\ufe10-\ufe1f\ufe30-\ufe6f\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufff0-\uffff]+', ' ', 'g');
  separated := regexp_replace(separated, '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff]', ' \& ', 'g');
  RETURN (SELECT string_agg(f, ' ')
            FROM (SELECT CASE WHEN octet_length(w) = char_length(w) THEN left(w, word_max)
                              -- Cut before it is folded, which takes the square of the time for some texts, and once more because it may grow.
                              ELSE left(fold_word(left(w, word_max)), word_max) END AS f
                    FROM unnest(string_to_array(separated, ' ')) AS w WHERE w <> '' LIMIT words_max) s
           WHERE f <> '');
END
$$;
