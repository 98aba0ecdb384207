-- The words of a message's document, the same for both of its parties. Words that begin with "=" stand for what operators of a query ask
-- for: =f:<sender>, =t:<recipient>, =y:<type>, =file, =json.
CREATE OR REPLACE FUNCTION message_words(message uuid, thread uuid, sender json, recipient json, segment text, type text, subject text, note text, body text, file_names text)
RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  words_max CONSTANT integer := 2000;
  text_max  CONSTANT integer := 32768;
  -- Stands between two fields, so that no phrase goes across.
  boundary  CONSTANT text := E' \x1f ';
  mailbox   text;
  to_party  text;
  facts     text;
BEGIN
  mailbox := lower((sender #>> '{actor,email}') COLLATE "C");
  to_party := coalesce(recipient #>> '{party,handle}', recipient #>> '{party,domain}', recipient #>> '{party,email}');
  SELECT string_agg(' =' || replace(f, ' ', ''), '') INTO facts
    FROM unnest(ARRAY['f:' || coalesce(sender #>> '{party,handle}', sender #>> '{party,domain}', sender #>> '{party,email}'),
                      'f:' || mailbox, 'f:' || split_part(mailbox, '@', 2), 't:' || to_party, 't:' || segment, 't:' || to_party || '/' || segment,
                      'y:' || replace(search_words(type, words_max), ' ', '.'),
                      CASE WHEN file_names IS NOT NULL THEN 'file' END, CASE WHEN body IS NOT NULL THEN 'json' END]) AS f
   WHERE f IS NOT NULL;
  RETURN coalesce(facts, '') || ' ' || search_words(left(concat_ws(boundary, subject, type,
      sender #>> '{party,display_name}', sender #>> '{party,handle}', sender #>> '{party,domain}', sender #>> '{party,email}',
      sender #>> '{actor,name}', mailbox,
      recipient #>> '{party,display_name}', recipient #>> '{party,handle}', recipient #>> '{party,domain}', recipient #>> '{party,email}',
      segment, public_id('msg', message), public_id('thr', thread), left(file_names, text_max / 4), left(note, text_max / 4),
      json_text(left(body, text_max))), text_max), words_max) || ' ';
-- Nothing that anybody sends may keep the index from going on.
EXCEPTION WHEN data_exception OR program_limit_exceeded OR internal_error OR feature_not_supported THEN
  RETURN ' ' || search_words(concat_ws(boundary, public_id('msg', message), public_id('thr', thread)), words_max) || ' ';
END
$$;
