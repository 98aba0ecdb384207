import { COMMENT_MAX_CHARS, FILENAME_MAX_CHARS, NOTE_MAX_CHARS } from '../../../src/contract/limits.ts';

/** A character that takes long: it is a word, has three bytes, and is not ASCII. */
export const HAN = '漢';
/** Folding turns each of these into 18 characters. */
const SALAM = 'ﷺ';

export const han = (chars: number) => HAN.repeat(chars);
export const salam = (chars: number) => `${SALAM} `.repeat(chars / 2);
/** Words of the length at which words are cut. */
export const longSalam = (chars: number) => `${SALAM.repeat(64)} `.repeat(chars / 65);

export const LONGEST_NAMES = [han(FILENAME_MAX_CHARS), salam(FILENAME_MAX_CHARS)];
export const NAME_OF_LONG_WORDS = longSalam(FILENAME_MAX_CHARS);
export const LONGEST_NOTE = longSalam(NOTE_MAX_CHARS);
export const LONGEST_COMMENT = han(COMMENT_MAX_CHARS);
