import { areEqual, type Bytes, concat } from './bytes.ts';
import { contentOf, type Der, inside, readOne, TAG } from './der.ts';
import { ProofError } from './errors.ts';
import { digest, type HashName } from './x509.ts';

/* How a timestamp authority is asked, and its response (RFC 3161). */

const SHA2: Record<HashName, number> = { 'SHA-256': 1, 'SHA-384': 2, 'SHA-512': 3 };
const RESPONSE = 'The response of the timestamp authority';
/** PKIStatus: granted, and granted with modifications. */
const GRANTED = [0, 1];
const NONCE_BYTES = 8;

/** The nonce is positive and has no leading zero byte, so that its DER is these bytes. */
export function newNonce(): Bytes {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
  return nonce;
}

/** A request for a timestamp of these bytes: their hash, a nonce, and that the certificate shall be in the timestamp. */
export async function timestampRequest(bytes: Bytes, hash: HashName, nonce: Bytes): Promise<Bytes> {
  const algorithm = Uint8Array.of(0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, SHA2[hash], 0x05, 0x00);
  const imprint = element(TAG.sequence, algorithm, element(TAG.octetString, await digest(hash, bytes)));
  return element(TAG.sequence, Uint8Array.of(TAG.integer, 1, 1), imprint, element(TAG.integer, nonce), Uint8Array.of(TAG.boolean, 1, 0xff));
}

/** All parts here are short, so the length takes one byte. */
function element(tag: number, ...parts: Bytes[]): Bytes {
  const contents = concat(...parts);
  return concat(Uint8Array.of(tag, contents.length), contents);
}

/**
 * Returns the timestamp in a response if the authority has granted one with the nonce of the request. verifyTimestamp checks the imprint and the
 * signer.
 */
export function tokenIn(response: Bytes, nonce: Bytes): Bytes {
  const [status, token, ...rest] = inside(readOne(response, TAG.sequence, RESPONSE), TAG.sequence, RESPONSE);
  const [code] = inside(status, TAG.sequence, RESPONSE);
  if (code?.tag !== TAG.integer || code.content.length !== 1) throw new ProofError(`${RESPONSE} is not one of RFC 3161.`);
  const [granted = -1] = code.content;
  if (!GRANTED.includes(granted)) throw new ProofError(`The timestamp authority refused, with the status ${granted}.`);
  if (token?.tag !== TAG.sequence || rest.length > 0) throw new ProofError(`${RESPONSE} has no token.`);
  const isOurs = infoOf(token).some(({ tag, content }, at) => at > 4 && tag === TAG.integer && areEqual(nonce, content));
  if (!isOurs) throw new ProofError('The timestamp has not the nonce of the request.');
  return token.whole;
}

function infoOf(token: Der): Der[] {
  const [, wrapped] = inside(token, TAG.sequence, RESPONSE);
  const [signedData] = inside(wrapped, 0xa0, RESPONSE);
  const [, , contentInfo] = inside(signedData, TAG.sequence, RESPONSE);
  const [, contents] = inside(contentInfo, TAG.sequence, RESPONSE);
  const [octets] = inside(contents, 0xa0, RESPONSE);
  return inside(readOne(contentOf(octets, TAG.octetString, RESPONSE), TAG.sequence, RESPONSE), TAG.sequence, RESPONSE);
}
