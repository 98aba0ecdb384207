import { isUtf8 } from 'node:buffer';

export interface HeaderField {
  /** In lower case. */
  name: string;
  /** On one line. */
  value: string;
}

const FIELD = /^([!-9;-~]+):(.*)$/s;

/**
 * The fields of a header, or undefined when a line of it is anything but a field or its continuation. Parsers guess
 * differently about such lines, and so could read different senders.
 */
export function parseHeader(header: Buffer): HeaderField[] | undefined {
  const text = header.toString(isUtf8(header) ? 'utf8' : 'latin1').replace(/(\r\n)+$/, '');
  const fields: HeaderField[] = [];
  if (text === '') return fields;
  for (const line of text.split('\r\n')) {
    if (/^[ \t]/.test(line)) {
      const last = fields.at(-1);
      if (!last || line.trim() === '') return undefined;
      last.value += line;
      continue;
    }
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    fields.push({ name: name.toLowerCase(), value });
  }
  return fields.map(({ name, value }) => ({ name, value: value.trim() }));
}
