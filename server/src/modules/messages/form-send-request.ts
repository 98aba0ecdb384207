import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalid, Refusal } from '../../contract/errors.ts';
import { FILES_PER_MESSAGE_MAX, JSON_MAX_BYTES } from '../../contract/limits.ts';
import type { Party } from '../../contract/parties.ts';
import { pointerPart } from '../../contract/validation.ts';
import { invalidJson } from '../../platform/json/json-fault.ts';
import { scanJson, type WrittenValue } from '../../platform/json/lossless-json.ts';
import { type FormPart, readMultipart } from '../../platform/mail/multipart.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';
import type { Files } from '../files/files.ts';
import { checkFields, FormSchema, type SendRequest, type SendRequestFields, sendRequestOf } from './send-request.ts';

const TEXT_FIELDS = Object.keys(FormSchema.properties).filter((name) => !['json', 'files', 'file'].includes(name));
/** Enough for the longest note in characters of four bytes. */
const TEXT_FIELD_MAX_BYTES = 64 * 1024;
const JSON_FIELD_MAX_BYTES = JSON_MAX_BYTES + 64 * 1024;
/** The hint for a form part that has a file name and the name of a field. */
const MEANT_AS_FILE = 'to send it as a file, name the form part "file"';

class Form {
  readonly fields: Record<string, unknown> & { files?: string[] } = {};
  readonly stored: DeliveredFile[] = [];
  json: WrittenValue | undefined;
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  async take({ name, filename, contentType, bytes }: FormPart): Promise<void> {
    if (name === 'json' || TEXT_FIELDS.includes(name)) return this.#takeField(name, filename !== undefined, bytes);
    if (filename === undefined && name !== 'files')
      throw invalid([{ path: `/${pointerPart(name)}`, message: 'is not a field of this request; a file must have a filename' }]);
    if (this.stored.length + (this.fields.files?.length ?? 0) === FILES_PER_MESSAGE_MAX)
      throw invalid([{ path: '/files', message: `must be at most ${FILES_PER_MESSAGE_MAX}, uploads included` }]);
    if (filename !== undefined) this.stored.push(await this.#files.storeInline(filename, contentType, bytes));
    else this.fields.files = [...(this.fields.files ?? []), await textOf(name, false, bytes)];
  }

  async #takeField(name: string, isFile: boolean, bytes: AsyncIterable<Buffer>): Promise<void> {
    if (Object.hasOwn(this.fields, name) || (name === 'json' && this.json)) throw problem(name, isFile, 'is given more than once');
    if (name === 'json') this.json = await jsonOf(isFile, bytes);
    else this.fields[name] = await textOf(name, isFile, bytes);
  }
}

/** Reads a message request in the form of multipart/form-data. Files are stored as they arrive. If the form is refused, none stays. */
export async function readFormSendRequest(request: IncomingMessage, files: Files, sender: Party): Promise<SendRequest> {
  const form = new Form(files);
  try {
    for await (const part of readMultipart(request.headers['content-type'] ?? '', request)) await form.take(part);
    checkFields(form.fields);
    await files.chargeInline(sender, form.stored);
    return sendRequestOf(form.fields as SendRequestFields, form.json, form.stored);
  } catch (error) {
    await files.discard(form.stored);
    throw error;
  }
}

async function jsonOf(isFile: boolean, bytes: AsyncIterable<Buffer>): Promise<WrittenValue> {
  const text = await collect(bytes, JSON_FIELD_MAX_BYTES, () => new Refusal('json_too_large'));
  const written = scanJson(text);
  if (!written) throw invalidJson(text, '/json', `The field json is not valid JSON in UTF-8${isFile ? `; ${MEANT_AS_FILE}` : ''}.`);
  return written;
}

async function textOf(name: string, isFile: boolean, bytes: AsyncIterable<Buffer>): Promise<string> {
  const text = await collect(bytes, TEXT_FIELD_MAX_BYTES, () => problem(name, isFile, 'is too long'));
  if (!isUtf8(text)) throw new Refusal('invalid_json', `The field ${name} is not in UTF-8${isFile ? `; ${MEANT_AS_FILE}` : ''}.`);
  return text.toString('utf8');
}

function problem(name: string, isFile: boolean, message: string): Refusal {
  return invalid([{ path: `/${pointerPart(name)}`, message: isFile ? `${message}; ${MEANT_AS_FILE}` : message }]);
}

async function collect(bytes: AsyncIterable<Buffer>, maxBytes: number, tooLong: () => Refusal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
