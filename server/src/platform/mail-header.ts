import { isUtf8 } from 'node:buffer';

export interface HeaderField {
  /** In lower case. */
  name: string;
  /** On one line. */
  value: string;
  /** As it came, with its line breaks. */
  raw: Buffer;
}

const FIELD_NAME = /^([!-9;-~]+):/;

/**
 * The fields of a header, or undefined when a line of it is anything but a field or its continuation. Parsers guess
 * differently about such lines, and so could read different senders.
 */
export function parseHeader(header: Buffer): HeaderField[] | undefined {
  const encoding = isUtf8(header) ? 'utf8' : 'latin1';
  const found: { name: string; start: number; end: number }[] = [];
  let start = 0;
  for (const line of header
    .toString('latin1')
    .replace(/(\r\n)+$/, '')
    .split('\r\n')) {
    const end = start + line.length;
    const last = found.at(-1);
    if (/^[ \t]/.test(line)) {
      if (!last || line.trim() === '') return undefined;
      last.end = end;
    } else if (end > 0) {
      const name = FIELD_NAME.exec(line)?.[1];
      if (name === undefined) return undefined;
      found.push({ name, start, end });
    }
    start = end + 2;
  }
  return found.map(({ name, start, end }) => {
    const value = header.toString(encoding, start + name.length + 1, end);
    return { name: name.toLowerCase(), value: value.replaceAll('\r\n', '').trim(), raw: header.subarray(start, end) };
  });
}

/** A header of these fields, with the empty line that ends it. */
export function headerOf(fields: readonly HeaderField[]): Buffer {
  const lineBreak = Buffer.from('\r\n');
  return Buffer.concat([...fields.flatMap(({ raw }) => [raw, lineBreak]), lineBreak]);
}
