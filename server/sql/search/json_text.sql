-- The characters of a JSON text with its escapes resolved: escapes of characters that separate words become spaces. Never fails, even if
-- the text was cut, or has escapes that are no characters (\u0000, half of a surrogate pair).
CREATE OR REPLACE FUNCTION json_text(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  plain text := given;
BEGIN
  IF strpos(given, '\') = 0 THEN
    RETURN given;
  END IF;
  plain := regexp_replace(replace(plain, '\\', '  '), '\\["/bfnrt]', ' ', 'g');
  IF strpos(plain, '\u') > 0 THEN
    plain := regexp_replace(plain, '\\u00[01][0-9a-fA-F]', ' ', 'g');
    plain := regexp_replace(plain, '\\(?!u[0-9a-fA-F]{4})', ' ', 'g');
    BEGIN
      RETURN unistr(plain);
    EXCEPTION WHEN OTHERS THEN
      RETURN unistr(regexp_replace(plain, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', ' ', 'g'));
    END;
  END IF;
  RETURN replace(plain, '\', ' ');
END
$$;
