/** A response of a timestamp authority that is not what was asked for. */
export class TimestampRefusal extends Error {}

interface Element {
  tag: number;
  whole: Buffer;
  content: Buffer;
}

const [INTEGER, OCTET_STRING, SEQUENCE, EXPLICIT_0] = [0x02, 0x04, 0x30, 0xa0];
/** PKIStatus: granted, and granted with modifications. */
const GRANTED = [0, 1];

/**
 * The token in a response of RFC 3161, if the authority has granted one with the nonce of the request. What the token is of, and who signed
 * it, is left to verifyTimestamp.
 */
export function tokenIn(response: Buffer, nonce: Buffer): Buffer {
  const [status, token, ...rest] = within(only(response, SEQUENCE), SEQUENCE);
  const [code] = within(status, SEQUENCE);
  if (code?.tag !== INTEGER || code.content.length !== 1) throw new TimestampRefusal('the response is not one of RFC 3161');
  if (!GRANTED.includes(code.content.readUInt8()))
    throw new TimestampRefusal(`the authority refused, with the status ${code.content.readUInt8()}`);
  if (token?.tag !== SEQUENCE || rest.length > 0) throw new TimestampRefusal('the response has no token');
  const isOurs = infoOf(token).some(({ tag, content }, at) => at > 4 && tag === INTEGER && content.equals(nonce));
  if (!isOurs) throw new TimestampRefusal('the token has not the nonce of the request');
  return token.whole;
}

/** The fields of TSTInfo, inside the signed data of CMS. */
function infoOf(token: Element): Element[] {
  const [, wrapped] = within(token, SEQUENCE);
  const [signedData] = within(wrapped, EXPLICIT_0);
  const [, , contentInfo] = within(signedData, SEQUENCE);
  const [, contents] = within(contentInfo, SEQUENCE);
  const [octets] = within(contents, EXPLICIT_0);
  if (octets?.tag !== OCTET_STRING) throw new TimestampRefusal('the token is not signed data with a timestamp');
  return within(only(octets.content, SEQUENCE), SEQUENCE);
}

function only(bytes: Buffer, tag: number): Element {
  const [element, ...rest] = elements(bytes);
  if (element?.tag !== tag || rest.length > 0) throw new TimestampRefusal('the response is not one of RFC 3161');
  return element;
}

function within(element: Element | undefined, tag: number): Element[] {
  if (element?.tag !== tag) throw new TimestampRefusal('the response is not one of RFC 3161');
  return elements(element.content);
}

/** The elements of DER, one after another. */
function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag, first] = bytes.subarray(at, at + 2);
    const lengthBytes = first === undefined || first < 0x80 ? 0 : first - 0x80;
    const start = at + 2 + lengthBytes;
    if (tag === undefined || first === undefined || first === 0x80 || lengthBytes > 3 || start > bytes.length)
      throw new TimestampRefusal('the response is not in DER');
    const end = start + (lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes));
    if (end > bytes.length) throw new TimestampRefusal('the response is not in DER');
    found.push({ tag, whole: bytes.subarray(at, end), content: bytes.subarray(start, end) });
    at = end;
  }
  return found;
}
