import { isUtf8 } from 'node:buffer';
import { invalid } from '../../contract/errors.ts';
import {
  FILENAME_MAX_CHARS,
  FILES_PER_MESSAGE_MAX,
  JSON_MAX_BYTES,
  MAIL_TEXT_MAX_BYTES,
  NOTE_MAX_CHARS,
  SUBJECT_MAX_CHARS,
} from '../../contract/limits.ts';
import { Breaks } from '../../platform/fairness/breaks.ts';
import type { HtmlTexts } from '../../platform/mail/html-text/html-text.ts';
import type { MailPart } from '../../platform/mail/mail-parts.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';
import type { Files } from '../files/files.ts';

export interface Contents {
  subject: string | null;
  note: string | null;
  files: DeliveredFile[];
  /** The only attached JSON document, which is among the files too. */
  json: { file: DeliveredFile; bytes: Buffer } | undefined;
}

interface Text {
  isHtml: boolean;
  text: string;
  alternativeOf: object | undefined;
}

const EXTENSIONS: Record<string, string> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'message/rfc822': 'eml',
  'text/calendar': 'ics',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
};
const CUT = '\n[The whole text is in note.txt.]';
const UNREADABLE = '[The text of this mail could not be shown. It is in note.html.]';

/** Collects the contents of a mail, MIME part by MIME part. Files are stored at once, and the caller discards them if nothing is sent. */
export class MailContents {
  readonly stored: DeliveredFile[] = [];
  readonly #files: Files;
  readonly #htmlTexts: HtmlTexts;
  readonly #texts: Text[] = [];
  readonly #json: { file: DeliveredFile; bytes: Buffer | undefined }[] = [];
  readonly #breaks = new Breaks();
  #textBytes = 0;

  constructor(files: Files, htmlTexts: HtmlTexts) {
    this.#files = files;
    this.#htmlTexts = htmlTexts;
  }

  async visit(part: MailPart): Promise<void> {
    // A mail of 64 KB can have a thousand MIME parts.
    await this.#breaks.takeIfDue();
    const isText = /^text\/(plain|html)$/.test(part.contentType) && !part.isAttachment && part.filename === undefined;
    if (isText) await this.#keepText(part);
    else if (part.contentType === 'application/json') await this.#storeJson(part);
    else await this.#store(nameOf(part, this.stored.length + 1), part.contentType, part.bytes);
  }

  async finish(fullSubject: string): Promise<Contents> {
    const words = onOneLine(fullSubject);
    const subject = cut(words, SUBJECT_MAX_CHARS, '…');
    const body = await this.#body();
    // A subject that is too long is repeated in full in the note.
    const text = subject === words ? body : `${words}\n\n${body}`.trimEnd();
    const note = cut(text.replaceAll('\0', '\u{fffd}'), NOTE_MAX_CHARS, CUT);
    if (note !== text) await this.#store('note.txt', 'text/plain; charset=utf-8', [Buffer.from(text)]);
    const [json, another] = this.#json;
    return {
      subject: subject === '' ? null : subject,
      note: note === '' ? null : note,
      files: this.stored,
      json: json?.bytes !== undefined && another === undefined ? { file: json.file, bytes: json.bytes } : undefined,
    };
  }

  async #keepText({ contentType, charset, bytes, alternativeOf }: MailPart): Promise<void> {
    const isHtml = contentType === 'text/html';
    const chunks: Buffer[] = [];
    const source = bytes[Symbol.asyncIterator]();
    for (let next = await source.next(); !next.done; next = await source.next()) {
      chunks.push(next.value);
      this.#textBytes += next.value.length;
      if (this.#textBytes <= MAIL_TEXT_MAX_BYTES) continue;
      const type = charset === undefined ? contentType : `${contentType}; charset=${charset}`;
      await this.#store(isHtml ? 'note.html' : 'note.txt', type, joined(chunks, source));
      return;
    }
    this.#texts.push({ isHtml, text: decode(Buffer.concat(chunks), charset), alternativeOf });
  }

  /** JSON is stored like any file: whether it is the only JSON document is known at the end. */
  async #storeJson(part: MailPart): Promise<void> {
    const chunks: Buffer[] = [];
    let size = 0;
    const watched = async function* () {
      for await (const chunk of part.bytes) {
        size += chunk.length;
        if (size <= JSON_MAX_BYTES) chunks.push(chunk);
        yield chunk;
      }
    };
    const file = await this.#store(nameOf(part, this.stored.length + 1), part.contentType, watched());
    this.#json.push({ file, bytes: size <= JSON_MAX_BYTES ? Buffer.concat(chunks) : undefined });
  }

  async #store(name: string, type: string, bytes: AsyncIterable<Buffer> | Buffer[]): Promise<DeliveredFile> {
    if (this.stored.length === FILES_PER_MESSAGE_MAX)
      throw invalid([{ path: '/files', message: `must be at most ${FILES_PER_MESSAGE_MAX}` }]);
    const file = await this.#files.storeInline(name, type, all(bytes));
    this.stored.push(file);
    return file;
  }

  /** Joins the plain version of each text. HTML without a plain version is converted to text, and kept as a file. */
  async #body(): Promise<string> {
    const isSaidPlainly = ({ alternativeOf }: Text) =>
      alternativeOf !== undefined &&
      this.#texts.some((other) => !other.isHtml && other.alternativeOf === alternativeOf && other.text.trim() !== '');
    const shown = this.#texts.filter((text) => !text.isHtml || !isSaidPlainly(text));
    const words: string[] = [];
    for (const { isHtml, text } of shown) {
      if (text.trim() === '') continue;
      if (isHtml) await this.#store('note.html', 'text/html; charset=utf-8', [Buffer.from(text)]);
      words.push(
        isHtml ? ((await this.#htmlTexts.textOf(text))?.trim() ?? UNREADABLE) : text.replaceAll('\r\n', '\n').replace(/^\n+/, '').trimEnd(),
      );
    }
    return words.filter((text) => text !== '').join('\n\n');
  }
}

async function* all(bytes: AsyncIterable<Buffer> | Buffer[]): AsyncGenerator<Buffer> {
  yield* bytes;
}

async function* joined(chunks: Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function nameOf({ filename, contentType }: MailPart, number: number): string {
  const name = onOneLine((filename ?? '').replaceAll('\0', ''));
  return name === '' ? `attachment-${number}.${EXTENSIONS[contentType] ?? 'bin'}` : cut(name, FILENAME_MAX_CHARS, '');
}

function decode(bytes: Buffer, charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8', { fatal: charset === undefined }).decode(bytes);
  } catch {
    return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  }
}

function onOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u{2028}\u{2029}]+/gu, ' ')
    .trim();
}

function cut(text: string, maxChars: number, mark: string): string {
  if (text.length <= maxChars) return text;
  // A long text is sliced first, so that no more of it is split than needed.
  const characters = [...text.slice(0, 2 * maxChars + 2)];
  return characters.length <= maxChars ? text : characters.slice(0, maxChars - [...mark].length).join('') + mark;
}
