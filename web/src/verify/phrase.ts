import { visibleText } from '../../../server/src/contract/visible-text.ts';

/** Text by a stranger. Its invisible characters are escapes already. */
export interface Quoted {
  quoted: string;
  /** A handle, an address, a domain or a key: what decides is often its end. */
  isId?: true;
}

/** A sentence in which each text by a stranger is apart, so that it can be isolated and cut. */
export type Phrase = readonly (string | Quoted)[];

type Part = Phrase | Quoted | string | number;

export function say(texts: TemplateStringsArray, ...parts: Part[]): Phrase {
  return texts.flatMap((text, at) => [text, ...piecesOf(parts[at] ?? '')]).filter((piece) => piece !== '');
}

export function quote(text: string): Quoted {
  return { quoted: visibleText(text) };
}

export function quoteId(text: string): Quoted {
  return { quoted: visibleText(text), isId: true };
}

/** “one, two and three”. */
export function listed(parts: readonly Part[], last = 'and'): Phrase {
  return parts.flatMap((part, at) => [at === 0 ? '' : at === parts.length - 1 ? ` ${last} ` : ', ', ...piecesOf(part)]);
}

/** Text for where no element isolates the quoted texts: characters do (U+2068, U+2069). `width`: of each quoted text, in narrow letters. */
export function plain(phrase: Phrase, width: number): string {
  return phrase.map((piece) => (typeof piece === 'string' ? piece : `\u2068${fitted(piece, width)}\u2069`)).join('');
}

/** The text in this width. Of an id, the middle is left out, since anybody can begin a name with that of somebody else. */
export function fitted({ quoted, isId }: Quoted, width: number): string {
  if (!isId || cut(quoted, width) === quoted) return cut(quoted, width);
  const third = Math.floor(width / 3);
  return `${cut(quoted, third)}${[...quoted].slice(third + 1 - width).join('')}`;
}

/** Cuts a text to a width in narrow letters. Letters of East Asia, and emoji, are as wide as two. */
export function cut(text: string, width: number): string {
  let used = 0;
  let kept = '';
  for (const letter of text) {
    // What isolates a quoted text (`plain`) has no width, and is in no text by a stranger.
    if (!/[\u2068\u2069]/.test(letter)) used += /[\u1100-\u115f\u2e80-\u{1faff}]/u.test(letter) ? 2 : 1;
    if (used > width) return `${kept.trimEnd()}…`;
    // What has no width, such as accents on accents, counts too: a name can have hundreds.
    kept += letter;
  }
  return kept;
}

function piecesOf(part: Part): Phrase {
  if (typeof part === 'string') return [part];
  if (typeof part === 'number') return [String(part)];
  return 'quoted' in part ? [part] : part;
}
