import { createHash, type Hash } from 'node:crypto';

const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const CRLF = Buffer.from('\r\n');
const EMPTY_LINES = Buffer.from('\r\n'.repeat(4_096));

export class RelaxedBody {
  /** The last byte was white space. It counts as one space, unless the line ends here. */
  #isAfterSpace = false;

  relax(chunk: Buffer): Buffer {
    const isPlain =
      !this.#isAfterSpace && !chunk.includes(TAB) && !chunk.includes('  ') && !chunk.includes(' \r') && chunk.at(-1) !== SPACE;
    if (isPlain) return chunk;
    const out = Buffer.allocUnsafe(chunk.length + 1);
    let length = 0;
    let isAfterSpace = this.#isAfterSpace;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      if (byte === SPACE || byte === TAB) {
        isAfterSpace = true;
        continue;
      }
      if (isAfterSpace && byte !== CR) out[length++] = SPACE;
      isAfterSpace = false;
      out[length++] = byte;
    }
    this.#isAfterSpace = isAfterSpace;
    return out.subarray(0, length);
  }
}

/**
 * The hash of a mail's body by RFC 6376, in one of its two canonical forms, over at most `maxBytes`. Each byte is read once, however long the lines.
 * Lines must end in CR LF.
 */
export class BodyHash {
  readonly isRelaxed: boolean;
  readonly #maxBytes: number | undefined;
  readonly #digest: Hash;
  hash: string | undefined;
  byteLength = 0;
  canonicalizedLength = 0;
  bodyHashedBytes = 0;
  /** Line breaks that count only if more bytes follow. */
  #emptyLines = 0;
  #isAfterCr = false;

  constructor(isRelaxed: boolean, algorithm: string, maxBytes: number | undefined) {
    this.isRelaxed = isRelaxed;
    this.#maxBytes = maxBytes;
    this.#digest = createHash(algorithm);
  }

  /** If `isRelaxed`, the bytes must come from RelaxedBody. */
  update(chunk: Buffer): void {
    this.byteLength += chunk.length;
    this.#takeLines(chunk);
  }

  digest(): string {
    // Line breaks at the end are omitted, and the last line ends in exactly one.
    if (this.canonicalizedLength > 0 || !this.isRelaxed) this.#take(CRLF);
    return this.#digest.digest('base64');
  }

  /** mailauth calls this to search for boundaries, which MailReader does instead. */
  setContentType(): void {}

  getMimeStructureStart(): number {
    return -1;
  }

  /** Holds back line breaks, because those at the end of the body don't count. */
  #takeLines(bytes: Buffer): void {
    let start = 0;
    if (this.#isAfterCr && bytes[0] === LF) {
      this.#emptyLines++;
      start = 1;
    }
    if (bytes.length > 0) this.#isAfterCr = false;
    while (bytes[start] === CR && bytes[start + 1] === LF) {
      this.#emptyLines++;
      start += 2;
    }
    let end = bytes.length;
    if (end > start && bytes[end - 1] === CR) {
      this.#isAfterCr = true;
      end--;
    }
    let breaks = 0;
    while (end - 2 >= start && bytes[end - 2] === CR && bytes[end - 1] === LF) {
      breaks++;
      end -= 2;
    }
    if (end <= start) return;
    while (this.#emptyLines > 0) {
      const lines = Math.min(this.#emptyLines, EMPTY_LINES.length / CRLF.length);
      this.#take(EMPTY_LINES.subarray(0, lines * CRLF.length));
      this.#emptyLines -= lines;
    }
    this.#take(bytes.subarray(start, end));
    this.#emptyLines = breaks;
  }

  #take(bytes: Buffer): void {
    this.canonicalizedLength += bytes.length;
    const room = this.#maxBytes === undefined ? bytes.length : Math.max(0, this.#maxBytes - this.bodyHashedBytes);
    const hashed = bytes.subarray(0, room);
    this.bodyHashedBytes += hashed.length;
    if (hashed.length > 0) this.#digest.update(hashed);
  }
}
