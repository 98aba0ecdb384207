import { PassThrough } from 'node:stream';
import { type BoundaryLine, BoundaryLines } from './boundary-lines.ts';
import { type PartHeader, parsePartHeader } from './part-header.ts';
import { type TransferDecoder, transferDecoder } from './transfer-decoder.ts';

export class BrokenMail extends Error {}

export interface MailPart extends Pick<PartHeader, 'contentType' | 'charset' | 'filename' | 'isAttachment'> {
  /** The same object for all MIME parts of one multipart/alternative. */
  alternativeOf: object | undefined;
  bytes: AsyncIterable<Buffer>;
}

export type MailHeader = Pick<PartHeader, 'subject' | 'from' | 'to'>;

/** A multipart whose last boundary has not come yet. */
interface Multipart {
  boundary: string;
  alternativeOf: object | undefined;
}

interface Leaf {
  bytes: PassThrough;
  decoder: TransferDecoder;
  visited: Promise<void>;
}

const PART_HEADER_MAX_BYTES = 8 * 1024;
/** The maximum over all MIME parts, because parsing takes time for each line. */
const PART_HEADER_LINES_MAX = 10_000;
const PARTS_MAX = 1_000;
const LINE_BREAK = Buffer.from('\r\n');
const DASHES = Buffer.from('\r\n--');

/**
 * Reads a mail as a stream and calls `visit` with one MIME part after the other. It searches only for boundaries, so that the time does not depend on
 * the number of lines.
 */
export class MailReader {
  readonly #visit: (part: MailPart) => Promise<void>;
  readonly #isTypeSigned: boolean;
  readonly #failure = Promise.withResolvers<never>();
  #open: Multipart[] = [];
  #boundaries = new BoundaryLines([]);
  #header: MailHeader | undefined;
  #partHeader: Buffer[] | undefined;
  #leaf: Leaf | undefined;
  #pending: Buffer = LINE_BREAK;
  /** How many of the pending bytes belong to the line break before the body. */
  #skipped = LINE_BREAK.length;
  /** The type of the mail is not signed, so the mail is plain text unless its first line is a boundary. */
  #isDoubtful = false;
  #parts = 0;
  #headerLines = 0;

  /** If Content-Type is not signed, the mail has MIME parts only if its body begins with a boundary. */
  constructor(visit: (part: MailPart) => Promise<void>, isTypeSigned: boolean) {
    this.#visit = visit;
    this.#isTypeSigned = isTypeSigned;
    this.#failure.promise.catch(() => {});
  }

  async begin(header: Buffer): Promise<void> {
    const parsed = parsePartHeader(header);
    this.#header = parsed;
    this.#enter(parsed);
    this.#isDoubtful = !this.#isTypeSigned && this.#open.length > 0;
  }

  async write(chunk: Buffer): Promise<void> {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    await this.#scan(false);
  }

  async end(): Promise<MailHeader> {
    await this.#scan(true);
    if (this.#partHeader) await this.#enterPart();
    await this.#leave();
    if (!this.#header) throw new Error('a mail was read that has not begun');
    return this.#header;
  }

  async abandon(reason: unknown): Promise<void> {
    this.#failure.reject(reason);
    this.#leaf?.bytes.destroy();
    await this.#leaf?.visited;
  }

  async #scan(isLast: boolean): Promise<void> {
    if (this.#isDoubtful && !this.#isJudged(isLast)) return;
    while (this.#partHeader ? await this.#scanHeader(isLast) : await this.#scanBody(isLast));
    await Promise.race([this.#failure.promise, Promise.resolve()]);
  }

  #isJudged(isLast: boolean): boolean {
    const line = this.#boundaries.read(this.#pending, this.#skipped);
    if (this.#boundaries.end === this.#pending.length && !isLast) return false;
    this.#isDoubtful = false;
    if (!line) {
      this.#nowOpen([]);
      this.#enter(PLAIN);
    }
    return true;
  }

  async #scanBody(isLast: boolean): Promise<boolean> {
    const bytes = this.#pending;
    let searched = 0;
    for (;;) {
      const start = this.#open.length === 0 ? -1 : startsWithDashes(bytes, searched) ? searched : bytes.indexOf(DASHES, searched);
      if (start < 0) {
        const kept = isLast ? 0 : lengthOfBeginning(bytes);
        await this.#handOn(bytes.subarray(0, bytes.length - kept));
        this.#keep(bytes.length - kept);
        return false;
      }
      const line = this.#boundaries.read(bytes, start + LINE_BREAK.length);
      searched = this.#boundaries.end;
      // Only the next line break shows where the line ends.
      if (bytes.length - searched < LINE_BREAK.length && !isLast) {
        await this.#handOn(bytes.subarray(0, start));
        this.#keep(start);
        return false;
      }
      if (!line) continue;
      await this.#handOn(bytes.subarray(0, start));
      await this.#leave();
      this.#pending = bytes.subarray(searched);
      this.#skipped = LINE_BREAK.length;
      this.#cross(line);
      return true;
    }
  }

  async #scanHeader(isLast: boolean): Promise<boolean> {
    const start = this.#skipped;
    const end = this.#pending.indexOf(LINE_BREAK, start);
    if (end < 0 && !isLast) return false;
    const line = this.#pending.subarray(start, end < 0 ? undefined : end);
    this.#pending = this.#pending.subarray(end < 0 ? this.#pending.length : end);
    this.#skipped = Math.min(LINE_BREAK.length, this.#pending.length);
    const boundaryLine = this.#boundaries.read(line, 0);
    if (boundaryLine || line.length === 0) await this.#enterPart();
    else this.#keepHeaderLine(line);
    if (boundaryLine) {
      await this.#leave();
      this.#cross(boundaryLine);
    }
    return end >= 0;
  }

  #keepHeaderLine(line: Buffer): void {
    const lines = this.#partHeader as Buffer[];
    lines.push(line, LINE_BREAK);
    if (++this.#headerLines > PART_HEADER_LINES_MAX)
      throw new BrokenMail(`the headers of its parts have more than ${PART_HEADER_LINES_MAX} lines`);
    if (lines.reduce((sum, { length }) => sum + length, 0) > PART_HEADER_MAX_BYTES)
      throw new BrokenMail(`the header of a part has more than ${PART_HEADER_MAX_BYTES} bytes`);
  }

  #nowOpen(parts: Multipart[]): void {
    this.#open = parts;
    this.#boundaries = new BoundaryLines(parts.map(({ boundary }) => boundary));
  }

  #cross({ boundary, isLast }: BoundaryLine): void {
    const depth = this.#open.findLastIndex((part) => part.boundary === boundary);
    this.#nowOpen(this.#open.slice(0, isLast ? depth : depth + 1));
    this.#partHeader = isLast ? undefined : [];
    if (!isLast && ++this.#parts > PARTS_MAX) throw new BrokenMail(`it has more than ${PARTS_MAX} parts`);
  }

  async #enterPart(): Promise<void> {
    const header = Buffer.concat([...(this.#partHeader ?? []), LINE_BREAK]);
    this.#partHeader = undefined;
    this.#enter(parsePartHeader(header));
  }

  #enter(header: PartHeader): void {
    const { contentType, boundary, transferEncoding } = header;
    const above = this.#open.at(-1)?.alternativeOf;
    if (contentType.startsWith('multipart/') && boundary !== undefined) {
      this.#nowOpen([...this.#open, { boundary, alternativeOf: above ?? (contentType === 'multipart/alternative' ? {} : undefined) }]);
      return;
    }
    const bytes = new PassThrough();
    // The reader of the stream gets the error. Without a listener, it would end the process.
    bytes.on('error', () => {});
    const part = { ...(contentType.startsWith('multipart/') ? PLAIN : header), alternativeOf: above, bytes };
    const visited = this.#visit(part).catch((error) => this.#failure.reject(error));
    this.#leaf = { bytes, decoder: transferDecoder(transferEncoding), visited };
  }

  async #leave(): Promise<void> {
    if (!this.#leaf) return;
    const { bytes, decoder, visited } = this.#leaf;
    await this.#give(bytes, decoder.end());
    bytes.end();
    await Promise.race([this.#failure.promise, visited]);
    this.#leaf = undefined;
  }

  /** Passes on the bytes of the body, without the line break before it. */
  async #handOn(bytes: Buffer): Promise<void> {
    if (this.#leaf) await this.#give(this.#leaf.bytes, this.#leaf.decoder.decode(bytes.subarray(this.#skipped)));
  }

  async #give(reader: PassThrough, bytes: Buffer): Promise<void> {
    if (bytes.length > 0 && !reader.write(bytes))
      await Promise.race([this.#failure.promise, new Promise<void>((resolve) => reader.once('drain', () => resolve()))]);
  }

  #keep(from: number): void {
    this.#skipped = Math.max(0, this.#skipped - from);
    this.#pending = Buffer.from(this.#pending.subarray(from));
  }
}

const PLAIN: PartHeader = {
  contentType: 'text/plain',
  charset: undefined,
  boundary: undefined,
  transferEncoding: '',
  filename: undefined,
  isAttachment: false,
  subject: '',
  from: [],
  to: [],
};

/** A comparison is faster than Buffer.indexOf if boundaries follow each other. */
function startsWithDashes(bytes: Buffer, at: number): boolean {
  return bytes[at + 2] === DASHES[2] && bytes[at + 3] === DASHES[3] && bytes[at] === DASHES[0] && bytes[at + 1] === DASHES[1];
}

function lengthOfBeginning(bytes: Buffer): number {
  for (let length = Math.min(DASHES.length - 1, bytes.length); length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(DASHES.subarray(0, length))) return length;
  return 0;
}
