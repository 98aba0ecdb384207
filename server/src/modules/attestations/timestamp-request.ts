import { createHash, randomBytes } from 'node:crypto';
import { TIMESTAMP_PATIENCE_MS, TIMESTAMP_RESPONSE_MAX_BYTES } from '../../contract/witness-limits.ts';
import { boundedFetch } from '../../platform/outbound/bounded-fetch.ts';

const SHA256_ALGORITHM = Buffer.from('300d06096086480165030402010500', 'hex');
const NONCE_BYTES = 8;

/** An RFC 3161 request: the SHA-256 of a text, a nonce, and that the certificate shall be in the token. */
function timestampRequest(imprint: Buffer, nonce: Buffer): Buffer {
  const messageImprint = element(0x30, SHA256_ALGORITHM, element(0x04, imprint));
  return element(0x30, Buffer.of(2, 1, 1), messageImprint, element(0x02, nonce), Buffer.of(1, 1, 0xff));
}

/** All parts here are short, so the length takes one byte. */
function element(tag: number, ...parts: Buffer[]): Buffer {
  const contents = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, contents.length), contents]);
}

/** The nonce is positive and has no leading zero byte, so that its DER is these bytes. */
function newNonce(): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
  return nonce;
}

interface Timestamped {
  imprint: Buffer;
  nonce: Buffer;
  response: Buffer;
}

export async function askForTimestamp(url: string, body: string, signal: AbortSignal): Promise<Timestamped> {
  const imprint = createHash('sha256').update(body).digest();
  const nonce = newNonce();
  const {
    status,
    type,
    body: response,
  } = await boundedFetch(
    url,
    {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: Uint8Array.from(timestampRequest(imprint, nonce)),
    },
    { maxBytes: TIMESTAMP_RESPONSE_MAX_BYTES, patienceMs: TIMESTAMP_PATIENCE_MS, signal },
  );
  if (status !== 200) throw new Error(`the timestamp authority responded with ${status}`);
  if (!type?.toLowerCase().startsWith('application/timestamp-reply'))
    throw new Error(`the timestamp authority responded with the type ${type ?? 'none'}, not application/timestamp-reply`);
  return { imprint, nonce, response };
}
