-- A word with letters beyond ASCII, without case and accents, so that "Muller" finds "MÜLLER". The locale of the database makes no difference. A decomposed
-- word is cut, because a letter may be as many as 18 when it is decomposed. modules/search/words.ts does the same.
CREATE OR REPLACE FUNCTION fold_word(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(normalize(
  replace(replace(replace(
    translate(lower(left(regexp_replace(normalize(word, NFKD), '[\u0300-\u036f]', '', 'g'), 256) COLLATE "C"),
      'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁЂЄЅІЈЉЊЋЏҐØøŁłĐđÐðŦŧıÆŒẞ',
      'αβγδεζηθικλμνξοπρστυφχψωσабвгдежзийклмнопрстуфхцчшщъыьэюяёђєѕіјљњћџґoollddddttiæœß'),
    'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), NFKC),
  '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f\u2000-\u206f]', '', 'g');
