import { COMMENT_MAX_CHARS, FILENAME_MAX_CHARS, NOTE_MAX_CHARS } from '../../../src/contract/limits.ts';

/** Characters that take long: each is a word of its own, has three bytes, and is no ASCII. */
export const HAN = '漢';
/** Each becomes 18 characters when it is folded. */
export const SALAM = 'ﷺ ';

export const han = (chars: number) => HAN.repeat(chars);
export const salam = (chars: number) => SALAM.repeat(chars / 2);

export const LONGEST_NAMES = [han(FILENAME_MAX_CHARS), salam(FILENAME_MAX_CHARS)];
export const LONGEST_NOTE = salam(NOTE_MAX_CHARS);
export const LONGEST_COMMENT = han(COMMENT_MAX_CHARS);
