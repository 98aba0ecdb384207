import { createHash } from 'node:crypto';
import { MAIL_HEADER_MAX_BYTES } from '../../contract/limits.ts';
import { BodyHash, RelaxedBody } from '../../platform/mail/dkim-body.ts';
import { type HeaderField, headerOf } from '../../platform/mail/mail-header.ts';
import { type MailHeader, MailReader } from '../../platform/mail/mail-parts.ts';
import type { OpenProof, SenderProof } from '../../platform/mail/sender-proof.ts';
import type { MailContents } from './mail-contents.ts';

interface OpenedMail {
  header: Buffer;
  body: AsyncIterable<Buffer>;
}

const END_OF_HEADER = '\r\n\r\n';

export async function readHeader(bytes: AsyncIterable<Buffer>): Promise<OpenedMail> {
  const source = bytes[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let length = 0;
  // A line break is assumed before the mail, so that a mail that begins with an empty line has an empty header.
  let tail = Buffer.from('\r\n');
  for (;;) {
    const next = await source.next();
    if (next.done) return { header: Buffer.concat(chunks), body: onward(Buffer.alloc(0), source) };
    const seen = Buffer.concat([tail, next.value]);
    const end = seen.indexOf(END_OF_HEADER);
    chunks.push(next.value);
    if (end >= 0 || length + next.value.length > MAIL_HEADER_MAX_BYTES) {
      const read = Buffer.concat(chunks);
      const headerLength = end < 0 ? read.length : length + end - tail.length + END_OF_HEADER.length;
      return { header: read.subarray(0, headerLength), body: onward(read.subarray(headerLength), source) };
    }
    length += next.value.length;
    tail = Buffer.from(seen.subarray(-(END_OF_HEADER.length - 1)));
  }
}

async function* onward(read: Buffer, source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (read.length > 0) yield read;
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
}

/** More than twice as fast as SHA-256 on processors without instructions for that. */
const DIGEST = 'blake2b512';

interface ReadMail {
  digest: string;
  /**
   * A hash of the body in the relaxed form of DKIM. Changes that a signature permits keep this hash, so that a signed mail can't be sent
   * again as another one.
   */
  bodyDigest: string;
  read: MailHeader;
  proof: SenderProof;
}

/** Reads the mail once, from beginning to end: MIME parts go into `contents` while the signatures are checked. */
export async function readMail(
  { header, body }: OpenedMail,
  fields: readonly HeaderField[],
  contents: MailContents,
  proof: OpenProof,
): Promise<ReadMail> {
  const digest = createHash(DIGEST).update(header);
  const relaxed = new RelaxedBody();
  const bodyHash = new BodyHash(true, DIGEST, undefined);
  const reader = new MailReader((part) => contents.visit(part), proof.signed === undefined || proof.signed.has('content-type'));
  try {
    await reader.begin(headerOf(fields.filter((field) => isTrusted(field, proof.signed))));
    for await (const chunk of body) {
      digest.update(chunk);
      bodyHash.update(relaxed.relax(chunk));
      proof.update(chunk);
      await reader.write(chunk);
    }
    const [read, outcome] = await Promise.all([reader.end(), proof.end()]);
    return { digest: digest.digest('base64'), bodyDigest: bodyHash.digest(), read, proof: outcome };
  } catch (error) {
    await reader.abandon(error);
    throw error;
  }
}

/**
 * If only a signature vouches for a mail, fields that it does not cover are ignored: anybody could have written them. Some large providers
 * do not sign Content-Type. That of a multipart mail is trusted if the body begins with its boundary.
 */
function isTrusted({ name, value }: HeaderField, signed: ReadonlySet<string> | undefined): boolean {
  return signed === undefined || signed.has(name) || (name === 'content-type' && /^multipart\//i.test(value));
}
