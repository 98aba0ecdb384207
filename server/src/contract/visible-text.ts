/**
 * Names, subjects and file names come from strangers. Invisible characters, and those that reorder the text around them (bidi controls), are shown as
 * escapes such as ⟨U+202E⟩, on pages and in mails. The API carries text unchanged.
 */

/** Controls, line and paragraph separators, lone surrogates, invisible characters, and the blank of Braille. */
const UNSEEN = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]`;

/** Scripts in which joiners decide how neighbouring letters are drawn. */
const JOINING = `[${[
  ...['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu'],
  ...['Kannada', 'Malayalam', 'Sinhala', 'Myanmar', 'Khmer', 'Tibetan', 'Tai_Tham', 'Balinese', 'Javanese'],
]
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('')}]`;

/** Invisible characters that people need: each is allowed only where it has an effect. */
const KEPT = [
  // Joiners between letters of these scripts.
  String.raw`(?<=${JOINING}\p{M}{0,4})[\u200c\u200d](?=${JOINING})`,
  // The joiner of emoji such as families and professions.
  String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})`,
  // Variation selectors of emoji, and key caps.
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  // The flags of England, Scotland and Wales.
  String.raw`(?<=\u{1f3f4})[\u{e0061}-\u{e007a}]{5}\u{e007f}`,
  // Variants of ideographs and of Mongolian letters.
  String.raw`(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]`,
].join('|');

/** Tests the class of invisible characters first, because most characters are not in it. */
const KEPT_OR_UNSEEN = new RegExp(`(?=${UNSEEN})(?:(?<kept>${KEPT})|.)`, 'gsu');

interface Piece {
  text: string;
  isEscape: boolean;
}

export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plainFrom = 0;
  for (const { 0: found, index, groups } of text.matchAll(KEPT_OR_UNSEEN)) {
    if (groups?.['kept'] !== undefined) continue;
    if (index > plainFrom) pieces.push({ text: text.slice(plainFrom, index), isEscape: false });
    pieces.push({ text: escapeOf(found), isEscape: true });
    plainFrom = index + found.length;
  }
  if (plainFrom < text.length) pieces.push({ text: text.slice(plainFrom), isEscape: false });
  return pieces;
}

export function visibleText(text: string): string {
  return text.replace(KEPT_OR_UNSEEN, (found, kept?: string) => (kept === undefined ? escapeOf(found) : found));
}

export function withoutUnseen(text: string, replacement = ''): string {
  return text.replace(KEPT_OR_UNSEEN, (found, kept?: string) => (kept === undefined ? replacement : found));
}

function escapeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
