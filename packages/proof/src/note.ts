import { isWeakKey } from '@waybill/client';
import { type Bytes, concat, fromBase64, fromHex, sha256, toBase64, toHex, utf8 } from './bytes.ts';
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES, verifyEd25519 } from './ed25519.ts';
import { ProofError } from './errors.ts';

/** Signature types of c2sp.org/signed-note. */
export const KEY_TYPE = { ed25519: 1, cosignature: 4 } as const;

/** Longer notes are refused. */
export const NOTE_BYTES_MAX = 65_536;
export const NOTE_SIGNATURES_MAX = 64;

/** A public key with the name of its holder. `keyId` is 8 hexadecimal digits. */
export interface VerifierKey {
  name: string;
  keyId: string;
  type: number;
  publicKey: Bytes;
}

export interface NoteSignature {
  name: string;
  keyId: string;
  signature: Bytes;
}

export interface Note {
  /** The signed text, with its last newline. */
  body: string;
  signatures: NoteSignature[];
}

/** Checks a signature of one key. For a cosignature, `time` is the Unix time that its witness signed. */
export interface Verifier {
  key: VerifierKey;
  verify(body: string, signature: Bytes): Promise<{ time?: number } | undefined>;
}

export interface Signer {
  name: string;
  keyId: string;
  sign(body: string): Promise<Uint8Array> | Uint8Array;
}

export interface OpenedNote {
  body: string;
  verified: { key: VerifierKey; time?: number }[];
  /** Signatures of unknown keys. They say nothing. */
  unknown: NoteSignature[];
}

export function keyIdOf(name: string, type: number, publicKey: Uint8Array): string {
  return toHex(sha256(concat(utf8(`${name}\n`), Uint8Array.of(type), publicKey)).subarray(0, 4));
}

export function verifierKey(name: string, type: number, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new ProofError('The name of a key is empty, or has a space or a plus sign.');
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new ProofError(`The key of ${name} has not the ${PUBLIC_KEY_BYTES} bytes of Ed25519.`);
  if (isWeakKey(publicKey)) throw new ProofError(`The key of ${name} is one for which anybody can make signatures.`, 'weak-key');
  return { name, keyId: keyIdOf(name, type, publicKey), type, publicKey: concat(publicKey) };
}

export function parseVkey(text: string): VerifierKey {
  const [, name, keyId, encoded] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{44,48})$/.exec(text) ?? [];
  if (name === undefined || encoded === undefined) throw new ProofError('A verifier key is not <name>+<key id>+<base64>.');
  const bytes = fromBase64(encoded, `The key of ${name}`);
  const type = bytes[0];
  if (type !== KEY_TYPE.ed25519 && type !== KEY_TYPE.cosignature) throw new ProofError(`The type of the key of ${name} is not supported.`);
  const key = verifierKey(name, type, bytes.subarray(1));
  if (key.keyId !== keyId) throw new ProofError(`The key id of ${name} is not that of its key.`);
  return key;
}

export function formatVkey({ name, keyId, type, publicKey }: VerifierKey): string {
  return `${name}+${keyId}+${toBase64(concat(Uint8Array.of(type), publicKey))}`;
}

export function parseNote(text: string): Note {
  if (text.length > NOTE_BYTES_MAX || utf8(text).length > NOTE_BYTES_MAX)
    throw new ProofError(`A note is longer than ${NOTE_BYTES_MAX} bytes.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\x00-\x09\x0b-\x1f]/.test(text) || !text.isWellFormed()) throw new ProofError('A note has control characters or is not Unicode.');
  const separator = text.lastIndexOf('\n\n');
  if (separator < 0 || !text.endsWith('\n')) throw new ProofError('A note has no signatures, or no newline at its end.');
  const lines = text.slice(separator + 2, -1).split('\n');
  if (lines.length > NOTE_SIGNATURES_MAX) throw new ProofError(`A note has more than ${NOTE_SIGNATURES_MAX} signatures.`);
  return { body: text.slice(0, separator + 1), signatures: lines.map(parseSignature) };
}

export function formatNote({ body, signatures }: Note): string {
  return `${body}\n${signatures.map(signatureLine).join('')}`;
}

export function signatureLine({ name, keyId, signature }: NoteSignature): string {
  return `— ${name} ${toBase64(concat(fromHex(keyId, 'A key id'), signature))}\n`;
}

/** The line of a signature, without its newline. */
export function parseSignature(line: string): NoteSignature {
  const [, name, encoded] = /^— ([^ ]+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
  if (name === undefined || encoded === undefined || !isKeyName(name)) throw new ProofError('A signature line is not "— <name> <base64>".');
  const bytes = fromBase64(encoded, `The signature of ${name}`);
  if (bytes.length <= 4) throw new ProofError(`The signature of ${name} is too short.`);
  return { name, keyId: toHex(bytes.subarray(0, 4)), signature: bytes.slice(4) };
}

/**
 * Verifies every signature whose key is known. Refuses the note if one is wrong, if a known key signed twice, or if there is none. Signatures of unknown
 * keys are ignored, as c2sp.org/signed-note says.
 */
export async function openNote(text: string, verifiers: readonly Verifier[]): Promise<OpenedNote> {
  const { body, signatures } = parseNote(text);
  const opened: OpenedNote = { body, verified: [], unknown: [] };
  const seen = new Set<string>();
  for (const one of signatures) {
    const verifier = verifiers.find(({ key }) => key.name === one.name && key.keyId === one.keyId);
    if (!verifier) {
      opened.unknown.push(one);
      continue;
    }
    const holder = `${one.name}+${one.keyId}`;
    if (seen.has(holder)) throw new ProofError(`${one.name} signed the note twice.`, 'signed-twice');
    seen.add(holder);
    const proof = await verifier.verify(body, one.signature);
    if (!proof) throw new ProofError(`The signature of ${one.name} is wrong.`, 'wrong-signature');
    opened.verified.push({ key: verifier.key, ...proof });
  }
  if (opened.verified.length === 0) throw new ProofError('No known key signed the note.', 'unknown-log');
  return opened;
}

/** Signs a body, after its existing signatures. */
export async function signNote(body: string, signers: readonly Signer[], signatures: readonly NoteSignature[] = []): Promise<string> {
  if (!body.endsWith('\n')) throw new ProofError('The text of a note ends with a newline.');
  const added: NoteSignature[] = [];
  for (const { name, keyId, sign } of signers) added.push({ name, keyId, signature: concat(await sign(body)) });
  const text = formatNote({ body, signatures: [...signatures, ...added] });
  parseNote(text);
  return text;
}

/** The signer of a log. `sign`: Ed25519 over bytes, by the holder of the private key. */
export function noteSigner(name: string, publicKey: Uint8Array, sign: (bytes: Bytes) => Promise<Uint8Array> | Uint8Array): Signer {
  const { keyId } = verifierKey(name, KEY_TYPE.ed25519, publicKey);
  return { name, keyId, sign: (body) => sign(utf8(body)) };
}

export function noteVerifier(key: VerifierKey): Verifier {
  if (key.type !== KEY_TYPE.ed25519) throw new ProofError(`The key of ${key.name} is not one that signs notes.`);
  return {
    key,
    verify: async (body, signature) =>
      signature.length === SIGNATURE_BYTES && (await verifyEd25519(key.publicKey, utf8(body), signature)) ? {} : undefined,
  };
}

/** A name is not empty, and has no Unicode spaces or plus sign. */
function isKeyName(name: string): boolean {
  return /^[^\p{White_Space}+]+$/u.test(name) && name.isWellFormed();
}
