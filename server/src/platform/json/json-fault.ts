import { Refusal } from '../../contract/errors.ts';
import { faultIn } from './lossless-json.ts';

const NEWLINE = 0x0a;

/**
 * The refusal of a text that is not JSON in UTF-8. It says where, but shows nothing of the text. `path`: where the text is in the request. `offset`: that
 * of its first wrong byte.
 */
export function invalidJson(text: Buffer, path: string, message?: string, offset = faultIn(text)): Refusal {
  const lineStart = text.subarray(0, offset).lastIndexOf(NEWLINE) + 1;
  let line = 1;
  for (let at = text.indexOf(NEWLINE); at >= 0 && at < offset; at = text.indexOf(NEWLINE, at + 1)) line++;
  // Columns count characters, so bytes that continue one don't count.
  let column = 1;
  for (let at = lineStart; at < offset; at++) if (((text[at] ?? 0) & 0xc0) !== 0x80) column++;
  const where = offset === text.length ? 'it ends too early' : 'it is not JSON in UTF-8 from here on';
  return new Refusal('invalid_json', message, {
    details: [{ path, message: `line ${line}, column ${column}: ${where}`, line, column, offset }],
  });
}
