import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { invalid, Refusal } from '../../contract/errors.ts';

export interface FormPart {
  name: string;
  filename: string | undefined;
  contentType: string | undefined;
  /** Must be read to its end before the next form part. */
  bytes: AsyncIterable<Buffer>;
}

const PREAMBLE_MAX_BYTES = 1_024;
const HEADERS_MAX_BYTES = 32 * 1_024;
const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i;
const HEADERS_END = Buffer.from('\r\n\r\n');
/** Forms use no other encoding. Bytes in another one would be stored encoded, which the sender did not mean. */
const PLAIN_ENCODING = /^(binary|8bit|7bit)$/i;
const HEADER = /^([\w-]+):(.*)$/s;
const PARAMETER = /\s*;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))/gsy;

/**
 * Reads a multipart/form-data body (RFC 7578) as it arrives. A malformed body is refused: a lenient parser would skip a form part and lose its
 * content.
 */
export async function* readMultipart(contentType: string, body: Readable): AsyncGenerator<FormPart> {
  const match = BOUNDARY.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw malformed('has no boundary');
  const reader = new DelimitedReader(body);
  // The delimiter begins with a line break, which is optional before the first one.
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  reader.prepend(Buffer.from('\r\n'));
  await reader.readUntil(delimiter, PREAMBLE_MAX_BYTES, 'does not begin with its boundary');
  for (;;) {
    const mark = await reader.readUntil(Buffer.from('\r\n'), PREAMBLE_MAX_BYTES, 'has a broken boundary', '--');
    if (mark === undefined) return;
    if (mark.toString('latin1').trim() !== '') throw malformed('has a broken boundary');
    reader.prepend(Buffer.from('\r\n'));
    const headers = await reader.readUntil(HEADERS_END, HEADERS_MAX_BYTES, 'has a part with too long a header');
    const bytes = reader.stream(delimiter);
    yield { ...describe(headers), bytes };
    // Bytes that the caller did not read are skipped.
    for await (const _ of bytes);
  }
}

class DelimitedReader {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: Readable) {
    this.#source = source[Symbol.asyncIterator]();
  }

  prepend(bytes: Buffer): void {
    this.#held = Buffer.concat([bytes, this.#held]);
  }

  /** Returns the bytes before the marker, and skips the marker. Undefined: `end` is here instead. */
  readUntil(marker: Buffer, maxBytes: number, problem: string): Promise<Buffer>;
  readUntil(marker: Buffer, maxBytes: number, problem: string, end: string): Promise<Buffer | undefined>;
  async readUntil(marker: Buffer, maxBytes: number, problem: string, end?: string): Promise<Buffer | undefined> {
    for (;;) {
      if (end !== undefined && this.#held.length >= end.length && this.#held.toString('latin1', 0, end.length) === end) return undefined;
      const at = this.#held.indexOf(marker);
      if (at > maxBytes || (at < 0 && this.#held.length > maxBytes + marker.length)) throw malformed(problem);
      if (at >= 0) {
        const before = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + marker.length);
        return before;
      }
      await this.#more();
    }
  }

  async *stream(marker: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(marker);
      const sure = at >= 0 ? at : Math.max(0, this.#held.length - marker.length + 1);
      const chunk = this.#held.subarray(0, sure);
      this.#held = this.#held.subarray(at >= 0 ? at + marker.length : sure);
      if (chunk.length > 0) yield chunk;
      if (at >= 0) return;
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done) throw malformed('ended in the middle');
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
  }
}

function describe(block: Buffer): Omit<FormPart, 'bytes'> {
  const headers = new Map<string, string>();
  if (!isUtf8(block)) throw new Refusal('invalid_json', 'A header of the form is not in UTF-8.');
  for (const line of block.toString('utf8').split('\r\n')) {
    if (line === '') continue;
    const [, key, value] = HEADER.exec(line) ?? [];
    if (key === undefined || value === undefined || headers.has(key.toLowerCase())) throw malformed('has a part with a broken header');
    headers.set(key.toLowerCase(), value.trim());
  }
  if (!PLAIN_ENCODING.test(headers.get('content-transfer-encoding') ?? 'binary'))
    throw malformed('has a part with another encoding than binary');
  const parameters = parametersOf(headers.get('content-disposition') ?? '');
  const name = parameters.get('name');
  if (name === undefined) throw malformed('has a part without a name');
  return { name, filename: parameters.get('filename'), contentType: headers.get('content-type') };
}

/** Parses in order, so that quoted text is never taken for a parameter. */
function parametersOf(disposition: string): Map<string, string> {
  const parameters = new Map<string, string>();
  const list = /^form-data\s*(;.*)$/is.exec(disposition)?.[1] ?? '';
  let read = 0;
  for (const [text, key = '', quoted, token] of list.matchAll(PARAMETER)) {
    if (parameters.has(key.toLowerCase())) throw malformed('has a part with a broken header');
    parameters.set(key.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? token ?? '');
    read += text.length;
  }
  if (!/^\s*;?$/.test(list.slice(read))) throw malformed('has a part with a broken header');
  return parameters;
}

function malformed(problem: string): Refusal {
  return invalid([{ path: '', message: `the multipart body ${problem}` }]);
}
