import { algorithmEndOf } from './algorithm-ends.ts';
import { areEqual, type Bytes, concat } from './bytes.ts';
import { contentOf, type Der, inside, objectId, readAll, readOne, TAG, timeOf } from './der.ts';
import { ProofError } from './errors.ts';
import {
  type Certificate,
  digest,
  type HashName,
  hashAlgorithm,
  isIssuedBy,
  isSelfIssued,
  isSignedBy,
  parseCertificate,
  signatureAlgorithm,
} from './x509.ts';

/* Tokens of timestamp authorities (RFC 3161), which are messages of CMS (RFC 5652). */

export const TOKEN_BYTES_MAX = 65_536;
const CERTIFICATES_MAX = 10;

export interface Timestamp {
  time: Date;
  authority: string;
  /** Whether that certificate is trusted, or was issued below one that is. */
  isTrusted: boolean;
  /** What the timestamp stands on: the certificate of the signer, and those between it and one that is trusted, or a root. */
  links: CertificateLink[];
  /** When the first of these certificates ends. */
  certificateEndsAt: Date;
  /** When the first of the algorithms of their keys ends. */
  algorithmEndsAt: Date;
  /** The hash by which it names what it is of. */
  imprintBy: HashName;
}

export interface CertificateLink {
  certificate: Certificate;
  /** Undefined: it is not known. */
  issuer: Certificate | undefined;
}

/** The clock of an authority may be this far behind that of a service. */
export const CLOCKS_DIFFER_MAX_S = 60;

/** Nothing is in the log before it was received: otherwise the timestamp, or a service, is wrong. */
export function isInTime({ time }: { time: Date }, receivedAt: string | Date): boolean {
  return time.getTime() + 1_000 * CLOCKS_DIFFER_MAX_S >= new Date(receivedAt).getTime();
}

const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TIMESTAMP_INFO = '1.2.840.113549.1.9.16.1.4';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';

/**
 * Throws unless the token is a timestamp of the bytes, signed with a key for timestamps by the certificate inside of it. Everything in it is checked,
 * or refused if nothing vouches for it. `trusted`: certificates of authorities, or of signers.
 */
export async function verifyTimestamp(token: Bytes, stamped: Bytes, trusted: readonly Certificate[] = []): Promise<Timestamp> {
  if (token.length > TOKEN_BYTES_MAX) throw new ProofError(`A timestamp is larger than ${TOKEN_BYTES_MAX} bytes.`);
  const { content, certificates, signer, digests } = parseSignedData(token);
  const signed = parseSigner(signer);
  const certificate = certificates.find(({ issuer, serial }) => areEqual(issuer, signed.issuer) && areEqual(serial, signed.serial));
  if (!certificate) throw new ProofError('The certificate of the signer is not in the timestamp.');
  if (!certificate.isForTimestamps) throw new ProofError(`The certificate of ${certificate.name} is not for timestamps.`);
  if (!areEqual(digests, signed.digestAlgorithm)) throw new ProofError('A timestamp names two hash algorithms.');
  await checkAttributes(signed.attributes, content, signed.hash, certificate);
  const { algorithm, signature, signedBytes } = signed;
  if (!(await isSignedBy(certificate.publicKey, algorithm, signedBytes, signature)))
    throw new ProofError(`The timestamp is not signed by ${certificate.name}.`, 'wrong-signature');
  const info = parseInfo(content);
  if (!areEqual(await digest(info.hash, stamped), info.imprint))
    throw new ProofError('The timestamp is of something else.', 'another-checkpoint');
  if (info.time < certificate.notBefore || info.time > certificate.notAfter)
    throw new ProofError(`The certificate of ${certificate.name} was not valid at the time of the timestamp.`);
  const { path, anchor } = await pathOf(certificate, certificates, trusted, info.time);
  const links = path
    .map((one, at) => ({ certificate: one, issuer: isSelfIssued(one) ? one : path[at + 1] }))
    .filter(({ certificate: one }, at) => at === 0 || (at < (anchor ?? path.length) && !isSelfIssued(one)));
  return {
    time: info.time,
    authority: certificate.name,
    isTrusted: anchor !== undefined,
    links,
    certificateEndsAt: firstOf(links.map((link) => link.certificate.notAfter)),
    algorithmEndsAt: firstOf(
      links.flatMap((link) => [link.certificate, link.issuer ?? []].flat()).map((one) => algorithmEndOf(one.publicKey)),
    ),
    imprintBy: info.hash,
  };
}

/** The earliest of these times. */
export function firstOf(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

function parseSignedData(token: Bytes): { content: Bytes; certificates: Certificate[]; signer: Der; digests: Bytes } {
  const [type, wrapped, ...none] = inside(readOne(token, TAG.sequence, 'A timestamp'), TAG.sequence, 'A timestamp');
  if (objectId(type, 'A timestamp') !== SIGNED_DATA || none.length > 0) throw new ProofError('A timestamp is not signed data of CMS.');
  const [data, ...more] = inside(wrapped, 0xa0, 'A timestamp');
  const [version, digests, contentInfo, certificateSet, signers, ...rest] = inside(data, TAG.sequence, 'A timestamp');
  const [digestAlgorithm, ...others] = inside(digests, TAG.set, 'A timestamp');
  const [signer, ...further] = inside(signers, TAG.set, 'A timestamp');
  if (!signer || !digestAlgorithm || [...more, ...rest, ...others, ...further].length > 0 || version?.content[0] !== 3)
    throw new ProofError('A timestamp has not the version 3, one signer and the certificates alone.');
  integer(version);
  const [contentType, eContent] = inside(contentInfo, TAG.sequence, 'A timestamp');
  if (objectId(contentType, 'A timestamp') !== TIMESTAMP_INFO) throw new ProofError('What is signed is not a timestamp.');
  const [content] = inside(eContent, 0xa0, 'A timestamp');
  const found = inside(certificateSet, 0xa0, 'The certificates of a timestamp');
  if (found.length > CERTIFICATES_MAX) throw new ProofError(`A timestamp has more than ${CERTIFICATES_MAX} certificates.`);
  return {
    content: contentOf(content, TAG.octetString, 'A timestamp'),
    certificates: found.map(({ whole }) => parseCertificate(whole)),
    signer,
    digests: digestAlgorithm.whole,
  };
}

function parseSigner(element: Der) {
  const [version, id, digestAlgorithm, attributes, algorithm, signature, ...rest] = inside(element, TAG.sequence, 'A signer');
  // Unsigned attributes may follow, which nothing vouches for.
  if (rest.length > 0 || version?.tag !== TAG.integer || version.content.length !== 1 || version.content[0] !== 1 || !digestAlgorithm)
    throw new ProofError('A timestamp’s signer is not named by issuer and number, or has unsigned attributes.');
  const [issuer, serial, ...none] = inside(id, TAG.sequence, 'A signer');
  if (!issuer || none.length > 0 || attributes?.tag !== 0xa0) throw new ProofError('A timestamp’s signer has no signed attributes.');
  const hash = hashAlgorithm(digestAlgorithm);
  const named = signatureAlgorithm(algorithm);
  if (named.hash !== undefined && named.hash !== hash) throw new ProofError('A timestamp names two hash algorithms.');
  return {
    issuer: issuer.whole,
    serial: contentOf(serial, TAG.integer, 'A signer'),
    digestAlgorithm: digestAlgorithm.whole,
    hash,
    algorithm: { ...named, hash },
    attributes: readAll(attributes.content),
    // The signature covers the tag of a set, not the tag here.
    signedBytes: concat(Uint8Array.of(TAG.set), attributes.whole.slice(1)),
    signature: contentOf(signature, TAG.octetString, 'A signature'),
  };
}

/** The attributes name the type, the hash of the content, and the certificate by its hash. */
async function checkAttributes(attributes: Der[], content: Bytes, hash: HashName, certificate: Certificate): Promise<void> {
  const values = new Map<string, Der>();
  for (const attribute of attributes) {
    const [id, set] = inside(attribute, TAG.sequence, 'A signed attribute');
    const [value] = inside(set, TAG.set, 'A signed attribute');
    const name = objectId(id, 'A signed attribute');
    if (!value || values.has(name)) throw new ProofError('A signed attribute is there twice, or has no value.');
    values.set(name, value);
  }
  if (objectId(values.get(CONTENT_TYPE), 'The content type') !== TIMESTAMP_INFO) throw new ProofError('What is signed is not a timestamp.');
  const stated = contentOf(values.get(MESSAGE_DIGEST), TAG.octetString, 'The message digest');
  if (!areEqual(stated, await digest(hash, content)))
    throw new ProofError('The signed hash of the timestamp is that of something else.', 'wrong-signature');
  const v2 = values.get(SIGNING_CERTIFICATE_V2);
  const [list] = inside(v2 ?? values.get(SIGNING_CERTIFICATE), TAG.sequence, 'The signing certificate');
  const [first] = inside(list, TAG.sequence, 'The signing certificate');
  const parts = inside(first, TAG.sequence, 'The signing certificate');
  const namesHash = v2 !== undefined && parts[0]?.tag === TAG.sequence;
  const certificateHash = contentOf(parts[namesHash ? 1 : 0], TAG.octetString, 'The signing certificate');
  const algorithm = v2 === undefined ? 'SHA-1' : namesHash ? hashAlgorithm(parts[0]) : 'SHA-256';
  if (!areEqual(certificateHash, await digest(algorithm, certificate.whole)))
    throw new ProofError('The timestamp was signed with another certificate than it has.');
}

function parseInfo(content: Bytes): { hash: HashName; imprint: Bytes; time: Date } {
  const [version, policy, imprint, serial, time] = inside(readOne(content, TAG.sequence, 'A timestamp'), TAG.sequence, 'A timestamp');
  if (version?.content.length !== 1 || version.content[0] !== 1) throw new ProofError('A timestamp is not of version 1.');
  objectId(policy, 'The policy of a timestamp');
  integer(serial);
  const [algorithm, hashed] = inside(imprint, TAG.sequence, 'The imprint of a timestamp');
  return {
    hash: hashAlgorithm(algorithm),
    imprint: contentOf(hashed, TAG.octetString, 'The imprint of a timestamp'),
    time: timeOf(time, 'The time of a timestamp'),
  };
}

/**
 * The certificates from that of the signer up, and which of them is the first that is trusted. Every other certificate in the token must be on that path,
 * and be issued by the next, because nothing else vouches for its bytes.
 */
async function pathOf(
  signer: Certificate,
  inToken: Certificate[],
  trusted: readonly Certificate[],
  time: Date,
): Promise<{ path: Certificate[]; anchor: number | undefined }> {
  const isOneOf = (one: Certificate, some: readonly Certificate[]) => some.some(({ whole }) => areEqual(whole, one.whole));
  const unused = new Set(inToken);
  const path = [signer];
  let current = signer;
  let anchor = isOneOf(signer, trusted) ? 0 : undefined;
  unused.delete(signer);
  for (let steps = 0; steps < CERTIFICATES_MAX; steps++) {
    const isRoot = isSelfIssued(current);
    const candidates = isRoot ? [current] : [...trusted, ...unused].filter(({ subject }) => areEqual(subject, current.issuer));
    let issuer: Certificate | undefined;
    for (const one of candidates) if (!issuer && (await isIssuedBy(current, one))) issuer = one;
    // A self-issued certificate of a signer need not be one that can issue others.
    if (isRoot && (await isSignedBy(current.publicKey, current.algorithm, current.signed, current.signature))) issuer = current;
    if (!issuer) {
      if (candidates.length > 0) throw new ProofError(`The certificate of ${current.name} is not signed by its issuer.`);
      break;
    }
    const isInTime = time >= issuer.notBefore && time <= issuer.notAfter;
    if (!isRoot) path.push(issuer);
    if (isInTime && isOneOf(issuer, trusted)) anchor ??= path.length - 1;
    for (const one of unused) if (areEqual(one.whole, issuer.whole)) unused.delete(one);
    if (isRoot) break;
    current = issuer;
  }
  if (unused.size > 0) throw new ProofError('The timestamp has a certificate that is not above that of the signer.');
  return { path, anchor };
}

function integer(element: Der | undefined): void {
  const [first, second] = contentOf(element, TAG.integer, 'A number');
  if (first === undefined || (first === 0 && second !== undefined && second < 0x80))
    throw new ProofError('A number is not in its shortest form.');
}
