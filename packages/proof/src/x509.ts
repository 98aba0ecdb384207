import { areEqual, type Bytes, concat, fromBase64 } from './bytes.ts';
import { contentOf, type Der, inside, objectId, readAll, readOne, TAG, timeOf, wholeBits } from './der.ts';
import { ProofError } from './errors.ts';

/** The parts of a certificate (RFC 5280) that the verification of a timestamp needs. */
export interface Certificate {
  whole: Bytes;
  signed: Bytes;
  serial: Bytes;
  issuer: Bytes;
  subject: Bytes;
  /** The common name, or the organization, for people. */
  name: string;
  notBefore: Date;
  notAfter: Date;
  publicKey: Bytes;
  isAuthority: boolean;
  /** Whether the certificate's key is for timestamps and nothing else. */
  isForTimestamps: boolean;
  /** Where its issuer publishes which certificates are revoked, as far as these are addresses of HTTP. */
  revocationUrls: string[];
  algorithm: Algorithm;
  signature: Bytes;
}

export type HashName = 'SHA-256' | 'SHA-384' | 'SHA-512';
export interface Algorithm {
  scheme: 'RSASSA-PKCS1-v1_5' | 'RSA-PSS' | 'ECDSA';
  /** Undefined if another field names the hash. */
  hash: HashName | undefined;
  saltBytes: number;
}

const HASHES: Record<string, HashName> = {
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
};
const SIGNATURES: Record<string, Omit<Algorithm, 'saltBytes'>> = {
  '1.2.840.113549.1.1.1': { scheme: 'RSASSA-PKCS1-v1_5', hash: undefined },
  '1.2.840.113549.1.1.11': { scheme: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  '1.2.840.113549.1.1.12': { scheme: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  '1.2.840.113549.1.1.13': { scheme: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  '1.2.840.10045.4.3.2': { scheme: 'ECDSA', hash: 'SHA-256' },
  '1.2.840.10045.4.3.3': { scheme: 'ECDSA', hash: 'SHA-384' },
  '1.2.840.10045.4.3.4': { scheme: 'ECDSA', hash: 'SHA-512' },
};
const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const CURVES: Record<string, { namedCurve: string; bytes: number }> = {
  '1.2.840.10045.3.1.7': { namedCurve: 'P-256', bytes: 32 },
  '1.3.132.0.34': { namedCurve: 'P-384', bytes: 48 },
};
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const BASIC_CONSTRAINTS = '2.5.29.19';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const DISTRIBUTION_POINTS = '2.5.29.31';

/** Reads a certificate from DER, or from PEM. */
export function parseCertificate(given: Bytes | string): Certificate {
  const bytes = typeof given === 'string' ? fromPem(given) : given;
  const parts = inside(readOne(bytes, TAG.sequence, 'A certificate'), TAG.sequence, 'A certificate');
  const [signed, algorithm, signature] = parts;
  const fields = inside(signed, TAG.sequence, 'A certificate');
  const [version, serial, inner, issuer, validity, subject, publicKey, ...rest] = fields;
  // Only version 3 has the extensions that state the purpose of a key.
  if (parts.length !== 3 || !signed || version?.tag !== 0xa0 || version.content.at(-1) !== 2 || !algorithm || !inner)
    throw new ProofError('A certificate is not an X.509 certificate of version 3.');
  if (!areEqual(inner.whole, algorithm.whole)) throw new ProofError('A certificate names two signature algorithms.');
  const [notBefore, notAfter] = inside(validity, TAG.sequence, 'The validity of a certificate');
  const tagged = rest.find(({ tag }) => tag === 0xa3);
  const extensions = extensionsIn(tagged && readAll(tagged.content)[0]);
  return {
    whole: bytes,
    signed: signed.whole,
    serial: contentOf(serial, TAG.integer, 'The serial number of a certificate'),
    issuer: nameBytes(issuer),
    subject: nameBytes(subject),
    name: readableName(subject),
    notBefore: timeOf(notBefore, 'The validity of a certificate'),
    notAfter: timeOf(notAfter, 'The validity of a certificate'),
    publicKey: nameBytes(publicKey),
    isAuthority: isAuthority(extensions.get(BASIC_CONSTRAINTS)),
    isForTimestamps: isForTimestamps(extensions.get(EXTENDED_KEY_USAGE)),
    revocationUrls: urlsIn(extensions.get(DISTRIBUTION_POINTS)),
    algorithm: signatureAlgorithm(algorithm),
    signature: wholeBits(signature, 'The signature of a certificate'),
  };
}

export function hashAlgorithm(element: Der | undefined): HashName {
  const [id, parameters, ...rest] = inside(element, TAG.sequence, 'A hash algorithm');
  const name = HASHES[objectId(id, 'A hash algorithm')];
  const hasParameters = parameters !== undefined && (parameters.tag !== TAG.null || parameters.content.length > 0);
  if (!name || hasParameters || rest.length > 0) throw new ProofError('A hash algorithm is not SHA-256, SHA-384 or SHA-512.');
  return name;
}

export function signatureAlgorithm(element: Der | undefined): Algorithm {
  const [id, parameters, ...rest] = inside(element, TAG.sequence, 'A signature algorithm');
  const name = objectId(id, 'A signature algorithm');
  if (rest.length > 0) throw new ProofError('A signature algorithm is not supported.');
  if (name === RSA_PSS) return pssAlgorithm(parameters);
  const known = SIGNATURES[name];
  const isPlain = parameters === undefined || (parameters.tag === TAG.null && parameters.content.length === 0 && known?.scheme !== 'ECDSA');
  if (!known || !isPlain) throw new ProofError('A signature algorithm is not supported.');
  return { ...known, saltBytes: 0 };
}

export async function isSignedBy(
  publicKey: Bytes,
  { scheme, hash, saltBytes }: Algorithm,
  signed: Bytes,
  signature: Bytes,
): Promise<boolean> {
  if (!hash) throw new ProofError('A signature names no hash.');
  const [algorithm] = inside(readOne(publicKey, TAG.sequence, 'A public key'), TAG.sequence, 'A public key');
  const [, parameters] = inside(algorithm, TAG.sequence, 'A public key');
  const curve = scheme === 'ECDSA' ? CURVES[objectId(parameters, 'The curve of a key')] : undefined;
  if (scheme === 'ECDSA' && !curve) throw new ProofError('The curve of a key is neither P-256 nor P-384.');
  const given = curve ? { name: scheme, namedCurve: curve.namedCurve } : { name: scheme, hash };
  try {
    const key = await crypto.subtle.importKey('spki', publicKey, given, false, ['verify']);
    const bytes = curve ? fixedLength(signature, curve.bytes) : signature;
    return await crypto.subtle.verify({ name: scheme, hash, saltLength: saltBytes }, key, bytes, signed);
  } catch (error) {
    if (error instanceof ProofError) throw error;
    return false;
  }
}

/** Whether one certificate is signed by the key of another, which may sign certificates. */
export async function isIssuedBy(certificate: Certificate, issuer: Certificate): Promise<boolean> {
  return (
    issuer.isAuthority &&
    areEqual(certificate.issuer, issuer.subject) &&
    (await isSignedBy(issuer.publicKey, certificate.algorithm, certificate.signed, certificate.signature))
  );
}

/** ECDSA signatures are two integers in DER, but two numbers of fixed length for Web Crypto. */
function fixedLength(signature: Bytes, bytes: number): Bytes {
  const numbers = inside(readOne(signature, TAG.sequence, 'A signature'), TAG.sequence, 'A signature');
  if (numbers.length !== 2) throw new ProofError('A signature of ECDSA is not two numbers.');
  return concat(
    ...numbers.map((number) => {
      const content = contentOf(number, TAG.integer, 'A signature');
      const isPadded = content[0] === 0 && (content[1] ?? 0) >= 0x80;
      const digits = isPadded ? content.slice(1) : content;
      if (
        digits.length === 0 ||
        digits.length > bytes ||
        (!isPadded && (digits[0] ?? 0x80) >= 0x80) ||
        (digits[0] === 0 && digits.length > 1)
      )
        throw new ProofError('A number of a signature is not in its shortest form.');
      return concat(new Uint8Array(bytes - digits.length), digits);
    }),
  );
}

function pssAlgorithm(parameters: Der | undefined): Algorithm {
  const [hashField, mgfField, saltField, ...rest] = inside(parameters, TAG.sequence, 'The parameters of RSA-PSS');
  const hash = hashAlgorithm(inside(hashField, 0xa0, 'The parameters of RSA-PSS')[0]);
  const [mgf] = inside(mgfField, 0xa1, 'The parameters of RSA-PSS');
  const [mgfId, mgfHash] = inside(mgf, TAG.sequence, 'The parameters of RSA-PSS');
  const [salt] = inside(saltField, 0xa2, 'The parameters of RSA-PSS');
  const saltBytes = contentOf(salt, TAG.integer, 'The parameters of RSA-PSS');
  if (rest.length > 0 || objectId(mgfId, 'The parameters of RSA-PSS') !== MGF1 || hashAlgorithm(mgfHash) !== hash || saltBytes.length !== 1)
    throw new ProofError('The parameters of RSA-PSS are not supported.');
  return { scheme: 'RSA-PSS', hash, saltBytes: saltBytes[0] ?? 0 };
}

/** Whether a certificate is issued by its own key: the root of its authority. */
export function isSelfIssued({ issuer, subject }: Certificate): boolean {
  return areEqual(issuer, subject);
}

export type Extensions = Map<string, { isCritical: boolean; value: Bytes }>;

/** The extensions of a certificate, or of a list of revoked ones, by their object ids. */
export function extensionsIn(list: Der | undefined): Extensions {
  const extensions: Extensions = new Map();
  for (const extension of list ? inside(list, TAG.sequence, 'A list of extensions') : []) {
    const parts = inside(extension, TAG.sequence, 'An extension');
    const id = objectId(parts[0], 'An extension');
    if (extensions.has(id)) throw new ProofError('An extension is there twice.');
    const value = contentOf(parts.at(-1), TAG.octetString, 'An extension');
    extensions.set(id, { isCritical: parts.length === 3 && parts[1]?.tag === TAG.boolean && parts[1].content[0] === 0xff, value });
  }
  return extensions;
}

/** The addresses in a certificate's distribution points. Other names, of directories for example, are not used. */
function urlsIn(extension: { value: Bytes } | undefined): string[] {
  if (!extension) return [];
  const what = 'The distribution points of a certificate';
  const points = inside(readOne(extension.value, TAG.sequence, what), TAG.sequence, what);
  return points.flatMap((point) => urlsOfPoint(inside(point, TAG.sequence, what)[0]));
}

/** The addresses in the full name of a distribution point. */
export function urlsOfPoint(point: Der | undefined): string[] {
  const names = point?.tag === 0xa0 ? readAll(point.content).filter(({ tag }) => tag === 0xa0) : [];
  const texts = names.flatMap(({ content }) => readAll(content).filter(({ tag }) => tag === 0x86));
  return texts.map(({ content }) => new TextDecoder().decode(content)).filter((url) => /^https?:\/\//i.test(url) && URL.canParse(url));
}

function isAuthority(extension: { value: Bytes } | undefined): boolean {
  if (!extension) return false;
  const [first] = inside(readOne(extension.value, TAG.sequence, 'An extension'), TAG.sequence, 'An extension');
  return first?.tag === TAG.boolean && first.content[0] === 0xff;
}

/** RFC 3161 requires the one purpose, and that it is critical. */
function isForTimestamps(extension: { isCritical: boolean; value: Bytes } | undefined): boolean {
  if (!extension?.isCritical) return false;
  const purposes = inside(readOne(extension.value, TAG.sequence, 'An extension'), TAG.sequence, 'An extension');
  return purposes.length === 1 && objectId(purposes[0], 'An extension') === TIME_STAMPING;
}

export function nameBytes(element: Der | undefined): Bytes {
  inside(element, TAG.sequence, 'A field of a certificate');
  return element?.whole ?? new Uint8Array();
}

function readableName(subject: Der | undefined): string {
  const found = new Map<string, string>();
  for (const part of inside(subject, TAG.sequence, 'A name')) {
    for (const pair of inside(part, TAG.set, 'A name')) {
      const [id, value] = inside(pair, TAG.sequence, 'A name');
      found.set(objectId(id, 'A name'), new TextDecoder().decode(value?.content ?? new Uint8Array()));
    }
  }
  return found.get(COMMON_NAME) ?? found.get(ORGANIZATION) ?? 'an authority without a name';
}

export async function digest(algorithm: HashName | 'SHA-1', bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest(algorithm, bytes));
}

function fromPem(text: string): Bytes {
  const [, body] = /^\s*-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(text) ?? [];
  if (body === undefined) throw new ProofError('A certificate is not one certificate in PEM.');
  return fromBase64(body.replaceAll(/\s/g, ''), 'A certificate');
}
