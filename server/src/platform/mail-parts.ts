import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import {
  type AddressObject,
  type AttachmentStream,
  type Headers,
  MailParser,
  type MailParserOptions,
  type StructuredHeader,
} from 'mailparser';

/** A mail that is no well-formed tree of parts, or has too many. */
export class BrokenMail extends Error {}

/** A leaf of the tree of parts, decoded as far as bytes go. */
export interface MailPart {
  /** In lower case, without parameters. */
  contentType: string;
  charset: string | undefined;
  filename: string | undefined;
  /** Whether its sender calls it an attachment. */
  isAttachment: boolean;
  /** The same for all parts that say the same thing in different ways. */
  alternativeOf: object | undefined;
  /** To be read to its end. */
  bytes: AsyncIterable<Buffer>;
}

export interface MailHeader {
  subject: string;
  from: { address: string; name: string; isGroup: boolean }[];
}

/** What mailparser knows of the part it is at, and does not tell. */
interface Node {
  contentType?: string | false;
  parent?: Node;
}
interface Internals {
  curnode?: Node;
  textTypes: string[];
  splitter: EventEmitter;
}

const UNREAD_MAX_BYTES = 256 * 1024;
const PART_HEADER_MAX_BYTES = 128 * 1024;
const PARTS_MAX = 1_000;
/** Handed on to what splits the mail: a mail inside of the mail stays one part. */
const SPLITTING = { ignoreEmbedded: true, maxHeadSize: PART_HEADER_MAX_BYTES, maxChildNodes: PARTS_MAX } as MailParserOptions;

/** Reads a mail part by part, as its bytes are written. `visit` is called with one part after the other. */
export class MailReader {
  readonly #parser: MailParser & Writable;
  readonly #visit: (part: MailPart) => Promise<void>;
  readonly #failure = Promise.withResolvers<never>();
  #headers: Headers = new Map();
  #bytes: (Readable & Writable) | undefined;
  #visited: Promise<void> = Promise.resolve();

  constructor(visit: (part: MailPart) => Promise<void>) {
    this.#visit = visit;
    this.#parser = new MailParser(SPLITTING) as MailParser & Writable;
    const internals = this.#parser as unknown as Internals;
    // Texts too come as streams, so that a long one need not be kept in memory.
    internals.textTypes = [];
    // What is found to be broken at the end of a mail, the parser itself keeps to itself.
    internals.splitter.on('error', (error: Error) => this.#fail(new BrokenMail(error.message)));
    this.#parser.on('headers', (headers: Headers) => {
      this.#headers = headers;
    });
    this.#parser.on('data', (data: AttachmentStream | { type: 'text' }) => {
      if (data.type === 'attachment') this.#visited = this.#take(data).catch((error) => this.#fail(error));
    });
    this.#parser.on('error', (error: Error) => this.#fail(new BrokenMail(error.message)));
    this.#failure.promise.catch(() => {});
  }

  async write(chunk: Buffer): Promise<void> {
    if (!this.#parser.write(chunk)) await this.#happens(this.#parser, 'drain');
    // The parser hands on what it has decoded whether or not anybody takes it.
    while (this.#bytes && this.#bytes.writableLength > UNREAD_MAX_BYTES) await this.#happens(this.#bytes, 'drain');
    await this.#goesOn();
  }

  /** After the last byte: what the header says, once all parts were visited. */
  async end(): Promise<MailHeader> {
    const ended = this.#happens(this.#parser, 'end');
    this.#parser.end();
    await ended;
    await this.#visited;
    await this.#goesOn();
    const from = (this.#headers.get('from') as AddressObject | undefined)?.value ?? [];
    return {
      subject: String(this.#headers.get('subject') ?? ''),
      from: from.map(({ address = '', name, group }) => ({ address, name, isGroup: group !== undefined })),
    };
  }

  /** Ends the reading, wherever it is; nothing is visited any more once it resolves. */
  async abandon(reason: unknown): Promise<void> {
    this.#fail(reason);
    await this.#visited;
  }

  #fail(reason: unknown): void {
    this.#failure.reject(reason);
    this.#bytes?.destroy();
    this.#parser.destroy();
  }

  async #take(attachment: AttachmentStream): Promise<void> {
    const { content, release } = attachment as AttachmentStream & { content: Readable & Writable };
    this.#bytes = content;
    // Whoever reads it learns of it; unheard, it would end the process.
    content.on('error', () => {});
    const type = attachment.headers.get('content-type') as StructuredHeader | undefined;
    await this.#visit({
      contentType: (type?.value || attachment.contentType || 'text/plain').toLowerCase(),
      charset: type?.params?.charset,
      filename: attachment.filename || undefined,
      isAttachment: attachment.contentDisposition !== undefined && attachment.contentDisposition !== 'inline',
      alternativeOf: alternativeAbove((this.#parser as unknown as Internals).curnode),
      bytes: content,
    });
    release();
  }

  /** Throws if it has failed. */
  #goesOn(): Promise<void> {
    return Promise.race([this.#failure.promise, Promise.resolve()]);
  }

  #happens(emitter: Readable | Writable, event: string): Promise<void> {
    return Promise.race([this.#failure.promise, new Promise<void>((resolve) => emitter.once(event, () => resolve()))]);
  }
}

function alternativeAbove(node: Node | undefined): object | undefined {
  let found: Node | undefined;
  for (let above = node?.parent; above; above = above.parent) if (above.contentType === 'multipart/alternative') found = above;
  return found;
}
