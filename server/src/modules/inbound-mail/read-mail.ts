import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { MAIL_HEADER_MAX_BYTES } from '../../contract/limits.ts';
import { type MailHeader, MailReader } from '../../platform/mail-parts.ts';
import { type Delivery, proveSender, type SenderProof } from '../../platform/sender-proof.ts';
import type { MailContents } from './mail-contents.ts';
import type { CheckedHeader } from './mail-header.ts';

/** A mail that is read up to the end of its header. */
export interface OpenedMail {
  header: Buffer;
  /** The bytes read already, header included, and those still to come. */
  bytes: AsyncIterable<Buffer>;
}

const END_OF_HEADER = '\r\n\r\n';

/** At least the header, or the beginning of one that is too long. */
export async function readHeader(bytes: AsyncIterable<Buffer>): Promise<OpenedMail> {
  const source = bytes[Symbol.asyncIterator]();
  let read: Buffer = Buffer.alloc(0);
  for (;;) {
    const end = read.subarray(0, 2).toString('latin1') === '\r\n' ? 2 : read.indexOf(END_OF_HEADER) + END_OF_HEADER.length;
    const isWhole = end >= END_OF_HEADER.length || end === 2;
    if (isWhole || read.length > MAIL_HEADER_MAX_BYTES)
      return { header: isWhole ? read.subarray(0, end) : read, bytes: onward(read, source) };
    const next = await source.next();
    if (next.done) return { header: read, bytes: onward(read, source) };
    read = Buffer.concat([read, next.value]);
  }
}

async function* onward(read: Buffer, source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield read;
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
}

export interface ReadMail {
  /** Of all its bytes, in hexadecimal digits. */
  sha256: string;
  read: MailHeader;
  proof: SenderProof;
}

/** Reads it once, from beginning to end: its parts go into `contents` while the signatures are checked. */
export async function readMail(
  { bytes }: OpenedMail,
  { from, fields }: CheckedHeader,
  contents: MailContents,
  delivery: Delivery,
): Promise<ReadMail> {
  const digest = createHash('sha256');
  const toProof = new PassThrough().on('error', () => {});
  const proving = proveSender(toProof, from.slice(from.lastIndexOf('@') + 1), fields, delivery);
  const reader = new MailReader((part) => contents.visit(part));
  try {
    for await (const chunk of bytes) {
      digest.update(chunk);
      if (!toProof.write(chunk)) await Promise.race([once(toProof, 'drain'), proving]);
      await reader.write(chunk);
    }
    toProof.end();
    const [read, proof] = await Promise.all([reader.end(), proving]);
    return { sha256: digest.digest('hex'), read, proof };
  } catch (error) {
    proving.catch(() => {});
    toProof.destroy(error as Error);
    await reader.abandon(error);
    throw error;
  }
}
