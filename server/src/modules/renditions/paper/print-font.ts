import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import { visibleText } from '../../../contract/visible-text.ts';

const { resolve } = createRequire(import.meta.url);
/** Shown for a character that the font does not have. */
const MISSING = '□';
const RIGHT_TO_LEFT = /^[\p{P}\p{S}\d]*[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** A font that is embedded, with the widths of its characters. It has Latin, Greek, Cyrillic, Arabic and Hebrew, and no Chinese, Japanese or Korean. */
export class PrintFont {
  readonly file: string;
  readonly #font: Font;
  /** The widths of characters at size 1. Undefined: the font does not have it. */
  readonly #widths = new Map<string, number | undefined>();

  constructor(name: string) {
    this.file = resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);
    const font = create(readFileSync(this.file));
    if (!('glyphForCodePoint' in font)) throw new Error(`${name} is a collection of fonts`);
    this.#font = font;
  }

  has(character: string): boolean {
    return this.#width(character) !== undefined;
  }

  width(text: string, size: number): number {
    let width = 0;
    for (const character of text) width += this.#width(character) ?? 0;
    return width * size;
  }

  #width(character: string): number | undefined {
    const known = this.#widths.get(character);
    if (known !== undefined || this.#widths.has(character)) return known;
    const code = character.codePointAt(0) ?? 0;
    const width = this.#font.hasGlyphForCodePoint(code)
      ? this.#font.glyphForCodePoint(code).advanceWidth / this.#font.unitsPerEm
      : undefined;
    this.#widths.set(character, width);
    return width;
  }
}

export const REGULAR = new PrintFont('DejaVuSansCondensed');
export const BOLD = new PrintFont('DejaVuSansCondensed-Bold');

/** A text by strangers as it can be drawn: what is invisible is shown as an escape, and what the font lacks as a box. */
export function printable(text: string, onMissing: () => void): string {
  let shown = '';
  for (const character of visibleText(text)) {
    const isDrawn = character === ' ' || REGULAR.has(character);
    if (!isDrawn) onMissing();
    shown += isDrawn ? character : MISSING;
  }
  return shown;
}

/** Cuts a text into lines of at most this width, at spaces where it can. Ends after `max` lines. */
export function brokenLines(text: string, font: PrintFont, size: number, width: number, max: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    let lineWidth = 0;
    for (const word of paragraph.match(/ +|[^ ]+/g) ?? []) {
      if (lines.length >= max) return lines;
      const wordWidth = font.width(word, size);
      if (lineWidth + wordWidth > width && line !== '') {
        lines.push(line.trimEnd());
        [line, lineWidth] = ['', 0];
        if (word.startsWith(' ')) continue;
      }
      if (wordWidth <= width) [line, lineWidth] = [line + word, lineWidth + wordWidth];
      else [line, lineWidth] = cutWord(word, font, size, width, max, lines);
    }
    if (lines.length >= max) return lines;
    lines.push(line.trimEnd());
  }
  return lines;
}

/** Adds the full lines of a word that is longer than a line. Returns its rest. */
function cutWord(word: string, font: PrintFont, size: number, width: number, max: number, into: string[]): [string, number] {
  let [line, lineWidth] = ['', 0];
  for (const character of word) {
    const characterWidth = font.width(character, size);
    if (lineWidth + characterWidth > width && line !== '') {
      into.push(line);
      if (into.length >= max) return ['', 0];
      [line, lineWidth] = ['', 0];
    }
    line += character;
    lineWidth += characterWidth;
  }
  return [line, lineWidth];
}

/** The words in the order in which they stand from left to right: words of Arabic and Hebrew that follow each other are turned around. */
export function inDrawnOrder(line: string): string {
  const words = line.split(' ');
  if (!words.some((word) => RIGHT_TO_LEFT.test(word))) return line;
  const drawn: string[] = [];
  let turned: string[] = [];
  for (const word of words) {
    if (RIGHT_TO_LEFT.test(word)) turned.unshift(word);
    else {
      drawn.push(...turned, word);
      turned = [];
    }
  }
  return [...drawn, ...turned].join(' ');
}
