import { Refusal } from '../../contract/errors.ts';
import { faultIn } from './lossless-json.ts';

const NEWLINE = 0x0a;

/**
 * The refusal of a text that is not JSON in UTF-8. It says where, but shows nothing of the text. `path`: where the text is in the request.
 */
export function invalidJson(text: Buffer, path: string, message?: string): Refusal {
  const offset = faultIn(text);
  const lineStart = text.subarray(0, offset).lastIndexOf(NEWLINE) + 1;
  const line = 1 + count(text.subarray(0, lineStart), (byte) => byte === NEWLINE);
  // Columns count characters, so bytes that continue one don't count.
  const column = 1 + count(text.subarray(lineStart, offset), (byte) => (byte & 0xc0) !== 0x80);
  const where = offset === text.length ? 'it ends too early' : 'it is not JSON in UTF-8 from here on';
  return new Refusal('invalid_json', message, {
    details: [{ path, message: `line ${line}, column ${column}: ${where}`, line, column, offset }],
  });
}

function count(bytes: Buffer, fits: (byte: number) => boolean): number {
  let found = 0;
  for (const byte of bytes) if (fits(byte)) found++;
  return found;
}
