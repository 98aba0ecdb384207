import { randomKey } from './random-key.ts';
import { newSha256 } from './sha256.ts';

// HTTP Message Signatures (RFC 9421) with Ed25519, and Content-Digest (RFC 9530) with SHA-256. Only the one canonical form of structured fields (RFC
// 8941) is accepted: so the received text is the signed text.

/** The type of the platform: Node and browsers declare it under different names. */
type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The private half of a signing key, whose public half is registered for an agent. */
export interface SigningKey {
  /** The id that the service gave the public key, `sgk_…`. */
  id: string;
  /** PKCS #8 in PEM, as of `openssl genpkey -algorithm ed25519`, or the 32 bytes in base64; or a key of Web Crypto, which need not be extractable. */
  privateKey: string | WebCryptoKey;
}

export interface SignatureParameters {
  /** The covered components, in the order of the signature base. */
  components: readonly string[];
  /** Seconds since 1970. */
  created: number | undefined;
  expires: number | undefined;
  keyid: string | undefined;
  alg: string | undefined;
  nonce: string | undefined;
  /** The value of `@signature-params`: from `(` to the end of the parameters. */
  text: string;
}

/** Values of components by name, such as `@method`, `@path` and `content-digest`. */
export type Components = Readonly<Record<string, string>>;

/** The problem of a signature, as a sentence. */
export class SignatureFault extends Error {
  override readonly name = 'SignatureFault';
}

/** The components that each signature of a request to Waybill covers, and `idempotency-key`, if the request has this header. */
const REQUIRED_COMPONENTS = ['@method', '@path', 'content-digest'] as const;
/** The components that a signature can cover. All of them become part of the proof that others read: never `authorization` or `cookie`. */
const ALLOWED_COMPONENTS: readonly string[] = [
  ...REQUIRED_COMPONENTS,
  '@authority',
  'idempotency-key',
  'waybill-recipient',
  'waybill-files',
  'content-type',
  'content-length',
];

const LABEL = 'waybill';
const HEADER_MAX_CHARS = 2_048;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

const STRING = '"[ !#-\\[\\]-~]*"';
const PARAMETERS = `(?:;[a-z][a-z0-9_-]*=(?:${STRING}|-?\\d{1,15}))*`;
const INNER_LIST = `\\((?:${STRING}(?: ${STRING})*)?\\)${PARAMETERS}`;
const BYTES = ':[A-Za-z0-9+/]*={0,2}:';
const KEY = '[a-z*][a-z0-9_.*-]*';
const TEXTS = ['keyid', 'alg', 'nonce', 'tag'];
const TIMES = ['created', 'expires'];

type Bytes = Uint8Array<ArrayBuffer>;

/** The signature of a request that counts: the only one, or that with the label `waybill`. Throws a SignatureFault. */
export function parseSignature(signatureInput: string, signature: string): { parameters: SignatureParameters; signature: Bytes } {
  const inputs = membersOf('Signature-Input', signatureInput, INNER_LIST);
  const signatures = membersOf('Signature', signature, BYTES);
  const label = inputs.size === 1 ? [...inputs.keys()][0] : LABEL;
  const input = inputs.get(label ?? '');
  const value = signatures.get(label ?? '');
  if (input === undefined) throw new SignatureFault(`Signature-Input has several signatures, and none with the label ${LABEL}.`);
  if (value === undefined) throw new SignatureFault(`Signature has nothing with the label ${label} of Signature-Input.`);
  const bytes = decoded(value.slice(1, -1));
  if (bytes?.byteLength !== SIGNATURE_BYTES) throw new SignatureFault(`The signature must be ${SIGNATURE_BYTES} bytes in base64.`);
  return { parameters: parseParameters(input), signature: bytes };
}

/** Reads the value of `@signature-params`, such as `("@method" "@path");created=1618884473;keyid="…"`. */
export function parseParameters(text: string): SignatureParameters {
  if (text.length > HEADER_MAX_CHARS || !new RegExp(`^${INNER_LIST}$`).test(text))
    throw new SignatureFault('Signature-Input is not a list of components with parameters in canonical form.');
  const end = endOfList(text);
  const components = (text.slice(1, end).match(/"[^"]*"/g) ?? []).map((quoted) => quoted.slice(1, -1));
  if (new Set(components).size !== components.length) throw new SignatureFault('Signature-Input names a component twice.');
  const given = new Map<string, string | number>();
  for (const [, name = '', value = ''] of text.slice(end + 1).matchAll(new RegExp(`;([a-z0-9_-]+)=(${STRING}|-?\\d+)`, 'g'))) {
    const isText = value.startsWith('"');
    if (!(isText ? TEXTS : TIMES).includes(name)) throw new SignatureFault(`Signature-Input has a parameter that can’t be used: ${name}.`);
    if (given.has(name)) throw new SignatureFault(`Signature-Input has the parameter ${name} twice.`);
    given.set(name, isText ? value.slice(1, -1) : Number(value));
  }
  const textAt = (name: string) => given.get(name) as string | undefined;
  const timeAt = (name: string) => given.get(name) as number | undefined;
  const [created, expires] = [timeAt('created'), timeAt('expires')];
  return { components, created, expires, keyid: textAt('keyid'), alg: textAt('alg'), nonce: textAt('nonce'), text };
}

/** Checks that a signature covers what it must, and nothing that can't be part of a proof. */
export function checkCoverage({ components, alg, created, keyid }: SignatureParameters, hasIdempotencyKey: boolean): void {
  const required = hasIdempotencyKey ? [...REQUIRED_COMPONENTS, 'idempotency-key'] : REQUIRED_COMPONENTS;
  const missing = required.find((name) => !components.includes(name));
  if (missing !== undefined) throw new SignatureFault(`The signature must cover "${missing}".`);
  const foreign = components.find((name) => !ALLOWED_COMPONENTS.includes(name));
  if (foreign !== undefined) throw new SignatureFault(`The signature can’t cover "${foreign}".`);
  if (alg !== 'ed25519') throw new SignatureFault('The signature must have the parameter alg="ed25519".');
  if (created === undefined) throw new SignatureFault('The signature must have the parameter created.');
  if (keyid === undefined) throw new SignatureFault('The signature must have the parameter keyid.');
}

/** The text that is signed. Throws a SignatureFault if the value of a covered component is missing. */
export function signatureBase({ components, text }: SignatureParameters, values: Components): string {
  const lines = components.map((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new SignatureFault(`The signature covers "${name}", which the request does not have.`);
    // A line break would let one value pass for two components.
    if (!/^[\x20-\x7e]*$/.test(value)) throw new SignatureFault(`The value of "${name}" has characters that can’t be signed.`);
    return `"${name}": ${value.trim()}\n`;
  });
  return `${lines.join('')}"@signature-params": ${text}`;
}

/** Whether this key has signed these values. */
export async function isSignatureGenuine(
  publicKey: Uint8Array,
  parameters: SignatureParameters,
  values: Components,
  signature: Uint8Array,
): Promise<boolean> {
  const base = new TextEncoder().encode(signatureBase(parameters, values));
  const key = await crypto.subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, new Uint8Array(signature), base);
}

/** The value of `Content-Digest` for a body, or for the pieces of one. */
export function contentDigest(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = newSha256();
  for (const piece of pieces) hash.update(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
  const hex = hash.digest().slice('sha256:'.length);
  return `sha-256=:${encoded(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)))}:`;
}

/** Whether a `Content-Digest`, which can have several algorithms, has the SHA-256 that `contentDigest` gave. Throws a SignatureFault. */
export function isDigestOf(header: string, digest: string): boolean {
  const value = membersOf('Content-Digest', header, BYTES).get('sha-256');
  if (value === undefined) throw new SignatureFault('Content-Digest must have the algorithm sha-256.');
  return `sha-256=${value}` === digest;
}

/** A request to sign. The service must receive the covered headers with these values. */
export interface SignableRequest {
  method: string;
  path: string;
  body: string | Uint8Array;
  /** The host of the service, with its port if that is not the usual one. Without it, the signature has the former form, and could be of another service. */
  authority?: string | undefined;
  /** The header `Idempotency-Key`. */
  idempotencyKey?: string | undefined;
  /** The header `Waybill-Recipient`: `recipientName` writes it. */
  recipient?: string | undefined;
  /** The header `Waybill-Files`: `filesHash` computes it. */
  files?: string | undefined;
  /** 16 to 64 characters of base64url; random by default, and none without `authority`. */
  nonce?: string | undefined;
  createdS?: number | undefined;
}

/** The headers that sign a request: `content-digest`, `signature-input` and `signature`. */
export async function signRequest(
  { id, privateKey }: SigningKey,
  request: SignableRequest,
): Promise<Record<'content-digest' | 'signature-input' | 'signature', string>> {
  const { method, path, body, authority, idempotencyKey, recipient, files, createdS = Math.floor(Date.now() / 1_000) } = request;
  const nonce = request.nonce ?? (authority === undefined ? undefined : randomKey());
  const digest = contentDigest(body);
  const values: Components = {
    '@method': method,
    '@path': path,
    ...(authority !== undefined && { '@authority': authority.toLowerCase() }),
    'content-digest': digest,
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(recipient !== undefined && { 'waybill-recipient': recipient }),
    ...(files !== undefined && { 'waybill-files': files }),
  };
  const covered = Object.keys(values).map((name) => `"${name}"`);
  const end = nonce === undefined ? '' : `;nonce="${nonce}"`;
  const parameters = parseParameters(`(${covered.join(' ')});created=${createdS};keyid="${id}";alg="ed25519"${end}`);
  const base = new TextEncoder().encode(signatureBase(parameters, values));
  const signature = new Uint8Array(await crypto.subtle.sign('Ed25519', await privateKeyOf(privateKey), base));
  return {
    'content-digest': digest,
    'signature-input': `${LABEL}=${parameters.text}`,
    signature: `${LABEL}=:${encoded(signature)}:`,
  };
}

/** A new key pair: the private half in the form of `SigningKey`, and the public half as it is registered. */
export async function newSigningKeyPair(): Promise<{ privateKey: string; publicKey: string }> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new TypeError('Web Crypto made no key pair.');
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey));
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  return { privateKey: encoded(pkcs8.subarray(-KEY_BYTES)), publicKey: encoded(raw) };
}

/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

async function privateKeyOf(given: string | WebCryptoKey): Promise<WebCryptoKey> {
  if (typeof given !== 'string') return given;
  const pem = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(given);
  const bytes = decoded((pem?.[1] ?? given).replace(/\s/g, ''));
  const pkcs8 = bytes?.byteLength === KEY_BYTES ? Uint8Array.from([...PKCS8_PREFIX, ...bytes]) : bytes;
  if (!pkcs8) throw new TypeError('The private key must be PKCS #8 in PEM, or 32 bytes in base64.');
  return crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']);
}

/** The members of a dictionary of structured fields. */
function membersOf(header: string, text: string, form: string): Map<string, string> {
  const member = `(${KEY})=(${form})`;
  const members = new Map<string, string>();
  if (text.length > HEADER_MAX_CHARS) throw new SignatureFault(`${header} is longer than ${HEADER_MAX_CHARS} characters.`);
  if (!new RegExp(`^${KEY}=${form}(?:[ \\t]*,[ \\t]*${KEY}=${form})*$`).test(text))
    throw new SignatureFault(`${header} is not written as RFC 9421 and RFC 9530 say, in canonical form.`);
  for (const [, key = '', value = ''] of text.matchAll(new RegExp(member, 'g'))) {
    if (members.has(key)) throw new SignatureFault(`${header} has the label ${key} twice.`);
    members.set(key, value);
  }
  return members;
}

/** The end of the list of components: names in quotes can have brackets. */
function endOfList(text: string): number {
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === ')' && !isQuoted) return at;
  }
  return text.length;
}

function encoded(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Undefined: the text is not the canonical base64 of its bytes. */
function decoded(base64: string): Bytes | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return encoded(bytes) === base64 ? bytes : undefined;
  } catch {
    return undefined;
  }
}
