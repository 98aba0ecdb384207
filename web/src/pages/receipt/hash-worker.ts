import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '../../../../server/src/contract/canonical-json.ts';

/** texts: as they are; file: its bytes; json: its canonical form. */
export type Task = { texts: string[] } | { file: Blob } | { json: string | Blob };
/** doneBytes: how far it has come. unreadable: why it is no JSON. */
export type Report = { doneBytes: number } | { hashes: string[] } | { unreadable: string };

/** A few megabytes at a time: files may be larger than the memory. */
const CHUNK_BYTES = 4 * 1024 * 1024;

const shown = (hash: Uint8Array): string => `sha256:${bytesToHex(hash)}`;

onmessage = async ({ data }: MessageEvent<Task>) => {
  if ('texts' in data) tell({ hashes: data.texts.map((text) => shown(sha256(utf8ToBytes(text)))) });
  else if ('file' in data) tell({ hashes: [await hashOfFile(data.file)] });
  else tell(await hashOfJson(data.json));
};

function tell(report: Report): void {
  postMessage(report);
}

async function hashOfFile(file: Blob): Promise<string> {
  const hash = sha256.create();
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    hash.update(new Uint8Array(await file.slice(at, at + CHUNK_BYTES).arrayBuffer()));
    tell({ doneBytes: Math.min(at + CHUNK_BYTES, file.size) });
  }
  return shown(hash.digest());
}

async function hashOfJson(json: string | Blob): Promise<Report> {
  try {
    const text = typeof json === 'string' ? json : new TextDecoder('utf-8', { fatal: true }).decode(await json.arrayBuffer());
    return { hashes: [shown(sha256(utf8ToBytes(canonicalJson(JSON.parse(text)))))] };
  } catch (error) {
    return { unreadable: (error as Error).message };
  }
}
