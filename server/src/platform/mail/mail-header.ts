import { isUtf8 } from 'node:buffer';

export interface HeaderField {
  name: string;
  value: string;
  raw: Buffer;
}

/** The pattern allows a space before the colon, which some programs write. */
const FIELD_NAME = /^([!-9;-~]+)([ \t]*):/;

/** Returns the fields of a header. A line that is neither a field nor a continuation is left out, and makes the header malformed. */
export function readHeader(header: Buffer): { fields: HeaderField[]; isWellFormed: boolean } {
  const encoding = isUtf8(header) ? 'utf8' : 'latin1';
  const found: { name: string; start: number; valueStart: number; end: number }[] = [];
  let isWellFormed = true;
  let start = 0;
  for (const line of header
    .toString('latin1')
    .replace(/(\r\n)+$/, '')
    .split('\r\n')) {
    const end = start + line.length;
    const last = found.at(-1);
    if (/^[ \t]/.test(line)) {
      if (last) last.end = end;
      if (!last || line.trim() === '') isWellFormed = false;
    } else if (end > 0) {
      const [beforeValue = '', name = '', space] = FIELD_NAME.exec(line) ?? [];
      if (name !== '') found.push({ name, start, valueStart: start + beforeValue.length, end });
      if (space !== '') isWellFormed = false;
    }
    start = end + 2;
  }
  const fields = found.map(({ name, start, valueStart, end }) => {
    const value = header.toString(encoding, valueStart, end);
    return { name: name.toLowerCase(), value: value.replaceAll('\r\n', '').trim(), raw: header.subarray(start, end) };
  });
  return { fields, isWellFormed };
}

/** Returns undefined for a malformed header: parsers read malformed lines in different ways, and so could see different senders. */
export function parseHeader(header: Buffer): HeaderField[] | undefined {
  const { fields, isWellFormed } = readHeader(header);
  return isWellFormed ? fields : undefined;
}

export function headerOf(fields: readonly HeaderField[]): Buffer {
  const lineBreak = Buffer.from('\r\n');
  return Buffer.concat([...fields.flatMap(({ raw }) => [raw, lineBreak]), lineBreak]);
}
