import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Breaks } from '../platform/fairness/breaks.ts';

const LONG_LIST_ITEMS = 20;
/** Longer texts are encoded and hashed in their own turns. */
export const LONG_TEXT_CHARS = 128 * 1024;
const CHUNK_CHARS = 64 * 1024;

/** The body as it is sent. Long lists and texts are serialized in turns, with other requests in between. */
export async function serialize(body: unknown): Promise<string | Buffer | Readable | undefined> {
  if (body === undefined || Buffer.isBuffer(body) || body instanceof Readable) return body;
  const text = typeof body === 'string' ? body : hasLongList(body) ? await listJson(body) : JSON.stringify(body);
  if (text.length < LONG_TEXT_CHARS) return text;
  await setImmediate();
  const encoded = Buffer.isBuffer(text) ? text : Buffer.from(text);
  await setImmediate();
  return encoded;
}

function hasLongList(body: unknown): body is object {
  return (
    typeof body === 'object' && body !== null && Object.values(body).some((value) => Array.isArray(value) && value.length > LONG_LIST_ITEMS)
  );
}

async function listJson(body: object): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const breaks = new Breaks();
  let text = '';
  const write = async (more: string) => {
    text += more;
    if (text.length < CHUNK_CHARS) return;
    chunks.push(Buffer.from(text));
    text = '';
    await breaks.takeIfDue();
  };
  let separator = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    await write(`${separator}${JSON.stringify(name)}:`);
    separator = ',';
    if (!Array.isArray(value) || value.length <= LONG_LIST_ITEMS) await write(JSON.stringify(value));
    else {
      for (const [i, item] of value.entries()) await write(`${i === 0 ? '[' : ','}${JSON.stringify(item) ?? 'null'}`);
      await write(']');
    }
  }
  return Buffer.concat([...chunks, Buffer.from(`${text}}`)]);
}
