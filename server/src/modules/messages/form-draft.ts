import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalid, Refusal } from '../../contract/errors.ts';
import { FILES_PER_MESSAGE_MAX, JSON_MAX_BYTES } from '../../contract/limits.ts';
import type { Party } from '../../contract/parties.ts';
import { readMultipart } from '../../http/multipart.ts';
import { pointerPart } from '../../http/validation.ts';
import { scanJson } from '../../platform/lossless-json.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';
import type { Files } from '../files/files.ts';
import { checkFields, type Draft, type DraftFields, draftOf } from './draft.ts';

const TEXT_FIELDS = ['to', 'in_reply_to', 'type', 'subject', 'note'];
/** Room for the longest note in characters of four bytes. */
const TEXT_FIELD_MAX_BYTES = 64 * 1024;
const JSON_FIELD_MAX_BYTES = JSON_MAX_BYTES + 64 * 1024;

/** A draft that came as a form, with files in it. Those are stored as they arrive; if the form is refused, none stays. */
export async function readFormDraft(request: IncomingMessage, files: Files, sender: Party): Promise<Draft> {
  const fields: Record<string, unknown> = {};
  const stored: DeliveredFile[] = [];
  let json: Buffer | undefined;
  try {
    for await (const { name, filename, contentType, bytes } of readMultipart(request.headers['content-type'] ?? '', request)) {
      if (filename !== undefined) {
        if (stored.length === FILES_PER_MESSAGE_MAX)
          throw invalid([{ path: '/files', message: `must be at most ${FILES_PER_MESSAGE_MAX}` }]);
        stored.push(await files.storeInline(filename, contentType, bytes));
      } else if (Object.hasOwn(fields, name) || (name === 'json' && json))
        throw invalid([{ path: `/${pointerPart(name)}`, message: 'is given more than once' }]);
      else if (name === 'json') json = await collect(bytes, JSON_FIELD_MAX_BYTES, () => new Refusal('json_too_large'));
      else if (TEXT_FIELDS.includes(name)) fields[name] = await textOf(name, bytes);
      else throw invalid([{ path: `/${pointerPart(name)}`, message: 'is not a field of this request; a file has to have a filename' }]);
    }
    const written = json && scanJson(json);
    if (json && !written) throw new Refusal('invalid_json', 'The field json is not valid JSON in UTF-8.');
    checkFields(fields);
    await files.chargeInline(sender, stored);
    return draftOf(fields as DraftFields, written, stored);
  } catch (error) {
    await files.discard(stored);
    throw error;
  }
}

async function textOf(name: string, bytes: AsyncIterable<Buffer>): Promise<string> {
  const text = await collect(bytes, TEXT_FIELD_MAX_BYTES, () => invalid([{ path: `/${pointerPart(name)}`, message: 'is too long' }]));
  if (!isUtf8(text)) throw new Refusal('invalid_json', `The field ${name} is not in UTF-8.`);
  return text.toString('utf8');
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
