import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * s3rver in a process of its own, because it has to be changed in a few places to behave as S3 does: it checks
 * signatures as if !'()* and the slash behind a bucket were never signed, lets unsigned requests pass, can't abort a
 * multipart upload, and shows half of an object while it is written. Not as in S3 either, and so not tested on it: ranges
 * other than first-last and first-, If-Range, and conditions on writes and copies, which it passes over.
 */
const [folder = '', bucket = ''] = process.argv.slice(2);
const SLOW_COPY_BYTES = 1_000_000;
const SLOW_COPY_MS = 300;

const lenient = globalThis.encodeURIComponent;
globalThis.encodeURIComponent = (text) =>
  lenient(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const S3rver = createRequire(import.meta.url)('@20minutes/s3rver');
const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory: folder, configureBuckets: [{ name: bucket }] });

interface Exchange {
  app: object;
  method: string;
  path: string;
  status: number;
  headers: Record<string, string | undefined>;
  query: Record<string, string | undefined>;
  state: { account?: unknown };
}

async function refuseUnsigned({ headers, query }: Exchange, next: () => Promise<void>): Promise<void> {
  if (headers.authorization !== undefined || query['X-Amz-Algorithm'] !== undefined) return next();
  throw Object.assign(new Error('Access Denied'), { code: 'AccessDenied', status: 403, expose: true });
}

/** A list is only looked at for whether it is signed, not for whether rightly so. */
async function acceptSlash(exchange: Exchange, next: () => Promise<void>): Promise<void> {
  if (exchange.path === `/${bucket}/`) exchange.app = Object.create(exchange.app, { allowMismatchedSignatures: { value: true } });
  return next();
}

async function abortUploads(exchange: Exchange, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } catch (error) {
    const { method, query, state } = exchange;
    const isAbort = method === 'DELETE' && state.account !== undefined && /^[0-9a-f]+$/.test(query.uploadId ?? '');
    if (!isAbort || (error as { code?: string }).code !== 'MethodNotAllowed') throw error;
    await fs.rm(path.join(folder, bucket, '._S3rver_uploads', query.uploadId as string), { recursive: true, force: true });
    exchange.status = 204;
  }
}

server.middleware.unshift(refuseUnsigned, acceptSlash, abortUploads);

let written = 0;

/** Lets a file be written under another name, which it loses once it is whole. */
async function whole<T>(target: string, write: (aside: string) => Promise<T>): Promise<T> {
  const aside = path.join(folder, `aside-${++written}`);
  try {
    const result = await write(aside);
    await fs.rename(aside, target);
    return result;
  } catch (error) {
    await fs.rm(aside, { force: true });
    throw error;
  }
}

const putContent = server.store.putContent.bind(server.store);
server.store.putContent = (target: string, content: unknown) => whole(target, (aside) => putContent(aside, content));
const { copyFile } = fs;
fs.copyFile = (source, target) =>
  whole(String(target), async (aside) => {
    await copyFile(source, aside);
    // To copy much takes S3 a while, in which other things happen.
    if ((await fs.stat(aside)).size >= SLOW_COPY_BYTES) await sleep(SLOW_COPY_MS);
  });

const { port } = await server.run();
console.log(port);
// The other end of the pipe closes when the tests end, however they end.
process.stdin.resume().on('end', () => process.exit());
