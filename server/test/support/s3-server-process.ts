import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * s3rver in a separate process, changed in several places to behave like S3. Without the changes it checks signatures as if !'()* and the
 * slash after a bucket were never signed, lets unsigned requests pass, can neither abort a multipart upload nor list its parts, accepts
 * parts of uploads that have ended or were never begun, ignores If-None-Match on writes and x-amz-copy-source-if-match on copies, does not compare
 * completed parts with the received ones, shows half of an object while it is written, and copies half of the old and half of the new one. Other
 * differences remain, so they are not tested on it: ranges other than first-last and first-, If-Range, other conditions on copies, If-Match on
 * writes, and the minimum size of a part.
 */
const [folder = '', bucket = ''] = process.argv.slice(2);
const SLOW_COPY_BYTES = 1_000_000;
const SLOW_COPY_MS = 300;
/** Fewer than S3's 1,000, so that a test has more than one page. */
const PARTS_PER_PAGE = 20;

const lenient = globalThis.encodeURIComponent;
globalThis.encodeURIComponent = (text) =>
  lenient(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const require = createRequire(import.meta.url);
const S3rver = require('@20minutes/s3rver');
const S3Error = require('@20minutes/s3rver/lib/models/error');
const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory: folder, configureBuckets: [{ name: bucket }] });

interface Exchange {
  app: object;
  method: string;
  path: string;
  status: number;
  body: unknown;
  headers: Record<string, string | undefined>;
  query: Record<string, string | undefined>;
  state: { account?: unknown };
}

async function refuseUnsigned({ headers, query }: Exchange, next: () => Promise<void>): Promise<void> {
  if (headers['authorization'] !== undefined || query['X-Amz-Algorithm'] !== undefined) return next();
  throw Object.assign(new Error('Access Denied'), { code: 'AccessDenied', status: 403, expose: true });
}

/** Accepts any signature for a list of the bucket. */
async function acceptSlash(exchange: Exchange, next: () => Promise<void>): Promise<void> {
  if (exchange.path === `/${bucket}/`) exchange.app = Object.create(exchange.app, { allowMismatchedSignatures: { value: true } });
  return next();
}

const fileOf = (key: string) => path.join(folder, `${decodeURIComponent(key)}._S3rver_object`);

async function checkConditions({ method, path: target, headers }: Exchange, next: () => Promise<void>): Promise<void> {
  const [source, etag] = [headers['x-amz-copy-source'], headers['x-amz-copy-source-if-match']];
  const isExisting = headers['if-none-match'] === '*' && (await fs.stat(fileOf(target)).catch(() => undefined)) !== undefined;
  const md5 = source && etag && (await fs.readFile(`${fileOf(source)}.md5`, 'utf8').catch(() => undefined));
  if (method === 'PUT' && (isExisting || (md5 !== undefined && `"${md5}"` !== etag)))
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  return next();
}

const folderOf = (uploadId: string) => path.join(folder, bucket, '._S3rver_uploads', uploadId);

/** Refuses an upload that was completed, aborted or never begun. */
async function requireUpload(uploadId: string): Promise<void> {
  const isThere = /^[0-9a-f]+$/.test(uploadId) && (await fs.stat(path.join(folderOf(uploadId), 'key')).catch(() => undefined));
  if (!isThere) throw new S3Error('NoSuchUpload', 'The specified multipart upload does not exist.');
}

/** Like S3, it sends NextPartNumberMarker on the last page, too. Only IsTruncated says whether there is another. */
async function listParts(uploadId: string, marker: number): Promise<string> {
  const names = (await fs.readdir(folderOf(uploadId))).filter((name) => /^\d+$/.test(name));
  const after = names.map(Number).filter((number) => number > marker);
  const numbers = after.toSorted((a, b) => a - b).slice(0, PARTS_PER_PAGE);
  const parts = numbers.map(async (number) => {
    const { size } = await fs.stat(path.join(folderOf(uploadId), String(number)));
    const etag = await etagOf(uploadId, number);
    return `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag><Size>${size}</Size></Part>`;
  });
  const isTruncated = after.length > numbers.length;
  const next = numbers.at(-1) ?? marker;
  const head = `<IsTruncated>${isTruncated}</IsTruncated><NextPartNumberMarker>${next}</NextPartNumberMarker>`;
  return `<?xml version="1.0"?><ListPartsResult>${head}${(await Promise.all(parts)).join('')}</ListPartsResult>`;
}

const etagOf = (uploadId: string, part: number | string) =>
  fs.readFile(path.join(folderOf(uploadId), `${part}.md5`), 'utf8').catch(() => '');

async function abortAndList(exchange: Exchange, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } catch (error) {
    const { method, query, state } = exchange;
    const { uploadId } = query;
    const isMissing = (error as { code?: string }).code === 'MethodNotAllowed' && state.account !== undefined && uploadId !== undefined;
    if (!isMissing || (method !== 'DELETE' && method !== 'GET')) throw error;
    await requireUpload(uploadId);
    if (method === 'GET') exchange.body = await listParts(uploadId, Number(query['part-number-marker'] ?? 0));
    else {
      await fs.rm(folderOf(uploadId), { recursive: true, force: true });
      exchange.status = 204;
    }
  }
}

server.middleware.unshift(refuseUnsigned, acceptSlash, abortAndList, checkConditions);

let written = 0;

/** Writes a file under another name, and renames it once it is complete. */
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
const putPart = server.store.putPart.bind(server.store);
server.store.putPart = async (name: string, uploadId: string, part: number, content: unknown) => {
  await requireUpload(uploadId);
  return putPart(name, uploadId, part, content);
};
const putObjectMultipart = server.store.putObjectMultipart.bind(server.store);
server.store.putObjectMultipart = async (name: string, uploadId: string, parts: { number: number; etag: string }[]) => {
  await requireUpload(uploadId);
  for (const { number, etag } of parts)
    if ((await etagOf(uploadId, number)) !== etag) throw new S3Error('InvalidPart', 'A part is not there, or is another one.');
  return putObjectMultipart(name, uploadId, parts);
};
server.store.copyObject = async (fromBucket: string, from: string, toBucket: string, to: string) => {
  const fileWith = (what: string, one: string, key: string): string => server.store.getResourcePath(one, key, what);
  await fs.mkdir(path.dirname(fileWith('object', toBucket, to)), { recursive: true });
  const copies = ['metadata.json', 'object.md5', 'object'].map((what) => {
    return { from: fileWith(what, fromBucket, from), aside: path.join(folder, `aside-${++written}`), to: fileWith(what, toBucket, to) };
  });
  await Promise.all(copies.map((one) => fs.copyFile(one.from, one.aside)));
  // S3 takes a while to copy large objects, during which other requests run.
  if ((await fs.stat(fileWith('object', fromBucket, from)).catch(() => ({ size: SLOW_COPY_BYTES }))).size >= SLOW_COPY_BYTES)
    await sleep(SLOW_COPY_MS);
  // The object counts as there once its bytes are.
  for (const one of copies) await fs.rename(one.aside, one.to);
  return server.store.getMetadata(toBucket, to);
};

const { port } = await server.run();
console.log(port);
// The other end of the pipe closes when the tests end, however they end.
process.stdin.resume().on('end', () => process.exit());
