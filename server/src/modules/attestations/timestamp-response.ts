import { type Der, inside, readOne, TAG } from '@waybill/proof';

class TimestampRefusal extends Error {}

const EXPLICIT_0 = 0xa0;
/** PKIStatus: granted, and granted with modifications. */
const GRANTED = [0, 1];
const RESPONSE = 'The response of the timestamp authority';

/**
 * Returns the token of an RFC 3161 response if the authority has granted one with the nonce of the request. verifyTimestamp checks the
 * imprint and the signer.
 */
export function tokenIn(response: Buffer, nonce: Buffer): Buffer {
  const [status, token, ...rest] = inside(readOne(Uint8Array.from(response), TAG.sequence, RESPONSE), TAG.sequence, RESPONSE);
  const [code] = inside(status, TAG.sequence, RESPONSE);
  if (code?.tag !== TAG.integer || code.content.length !== 1) throw new TimestampRefusal('the response is not one of RFC 3161');
  const [granted = -1] = code.content;
  if (!GRANTED.includes(granted)) throw new TimestampRefusal(`the authority refused, with the status ${granted}`);
  if (token?.tag !== TAG.sequence || rest.length > 0) throw new TimestampRefusal('the response has no token');
  const isOurs = infoOf(token).some(({ tag, content }, at) => at > 4 && tag === TAG.integer && nonce.equals(content));
  if (!isOurs) throw new TimestampRefusal('the token has not the nonce of the request');
  return Buffer.from(token.whole);
}

function infoOf(token: Der): Der[] {
  const [, wrapped] = inside(token, TAG.sequence, RESPONSE);
  const [signedData] = inside(wrapped, EXPLICIT_0, RESPONSE);
  const [, , contentInfo] = inside(signedData, TAG.sequence, RESPONSE);
  const [, contents] = inside(contentInfo, TAG.sequence, RESPONSE);
  const [octets] = inside(contents, EXPLICIT_0, RESPONSE);
  if (octets?.tag !== TAG.octetString) throw new TimestampRefusal('the token is not signed data with a timestamp');
  return inside(readOne(octets.content, TAG.sequence, RESPONSE), TAG.sequence, RESPONSE);
}
