/** Sends a file of up to 5 GB: announce it, PUT its bytes as they come from the disk, send the message. Node 24, no packages. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';

interface Upload {
  upload_id: string;
  upload_url: string;
  method: string;
  headers: Record<string, string>;
}

interface Envelope {
  id: string;
  receipt_url: string;
  files: { sha256: string | null }[];
}

const [url, key, recipient, file] = process.argv.slice(2);
if (!url || !key || !recipient || !file) {
  console.error('Usage: node large-upload.ts <service-url> <key> <recipient> <file>');
  process.exit(2);
}

async function post<T>(resource: string, body: object, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(`${url}/v1/${resource}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${resource}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** Reads the file once: hashes the bytes on their way, and reports the progress on stderr. */
async function* bytesOf(source: string, size: number, see: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  let sent = 0;
  let told = -1;
  for await (const chunk of createReadStream(source, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
    see(chunk);
    yield chunk;
    sent += chunk.length;
    const percent = Math.floor((100 * sent) / size);
    if (percent > told) process.stderr.write(`\r${percent} % of ${size} bytes`);
    told = percent;
  }
  process.stderr.write('\n');
}

async function put({ upload_url, method, headers }: Upload, source: string, size: number): Promise<string> {
  const hash = createHash('sha256');
  const response = await fetch(upload_url, {
    method,
    // A stream has no length of its own, but a bucket requires one.
    headers: { ...headers, 'Content-Length': String(size) },
    body: ReadableStream.from(bytesOf(source, size, (chunk) => hash.update(chunk))),
    duplex: 'half',
  });
  if (!response.ok) throw new Error(`upload: ${response.status} ${await response.text()}`);
  return `sha256:${hash.digest('hex')}`;
}

try {
  const { size } = await stat(file);
  const upload = await post<Upload>('uploads', {
    filename: path.basename(file),
    content_type: 'application/octet-stream',
    size_bytes: size,
  });
  const own = await put(upload, file, size);
  // With the key, a repeat after a lost response sends nothing twice.
  const message = await post<Envelope>('messages', { to: recipient, files: [upload.upload_id] }, { 'idempotency-key': upload.upload_id });
  // Files over 100 MB are hashed after delivery, so there may be nothing to compare yet.
  const arrived = message.files[0]?.sha256;
  if (arrived && arrived !== own) throw new Error(`The service has ${arrived}, but the file is ${own}.`);
  console.log(`message ${message.id}\nreceipt ${message.receipt_url}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
