import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '../../../../server/src/contract/canonical-json.ts';

/** The input: texts, the bytes of a file, or JSON, which is hashed in canonical form and as written. */
export type Task = { texts: string[] } | { file: Blob } | { json: string | Blob };
/** doneBytes: the progress. unreadable: why it is not JSON. failed: the file has changed since it was chosen. */
export type Report = { doneBytes: number } | { hashes: string[] } | { unreadable: string } | { failed: true };

/** Read in chunks, because files may be larger than the memory. */
const CHUNK_BYTES = 4 * 1024 * 1024;

const shown = (hash: Uint8Array): string => `sha256:${bytesToHex(hash)}`;

addEventListener('message', ({ data }: MessageEvent<Task>) => {
  run(data).then(report, () => report({ failed: true }));
});

async function run(task: Task): Promise<Report> {
  if ('texts' in task) return { hashes: task.texts.map((text) => shown(sha256(utf8ToBytes(text)))) };
  if ('file' in task) return { hashes: [await hashOfFile(task.file)] };
  return hashOfJson(typeof task.json === 'string' ? utf8ToBytes(task.json) : new Uint8Array(await task.json.arrayBuffer()));
}

function report(message: Report): void {
  postMessage(message);
}

async function hashOfFile(file: Blob): Promise<string> {
  const hash = sha256.create();
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    hash.update(new Uint8Array(await file.slice(at, at + CHUNK_BYTES).arrayBuffer()));
    report({ doneBytes: Math.min(at + CHUNK_BYTES, file.size) });
  }
  return shown(hash.digest());
}

function hashOfJson(json: Uint8Array): Report {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(json);
    const value: unknown = JSON.parse(text);
    return { hashes: [canonicalJson(value), text.trim()].map((one) => shown(sha256(utf8ToBytes(one)))) };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
}
