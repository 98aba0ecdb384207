import type { Bundle, BundleAcknowledgement, BundleSignature, Part, Reason } from '../../src/index.ts';
import { forgedBundle, ORIGIN, vkeys } from './sample.ts';
import type { Words } from './sample-message.ts';
import type { StampKind } from './stamps.ts';

/** Keys of the parties and names of the service that a verifier is given. */
export interface Given {
  sender_keys?: string[];
  recipient_keys?: string[];
  authorities?: string[];
}

/** How a file is made from the sample. */
export interface Made {
  /** Verified with policy.txt (by default), with the key of the log, or with the file alone. */
  trust?: 'policy' | 'vkey' | 'none';
  given?: Given;
  /** The JSON as sent, if it differs from the sample. */
  json?: string;
  /** The timestamp: that of the sample by default, or one for this vector, made in this way. */
  stamp?: StampKind;
  /** Changes the statements before they are signed and logged, like a service that lies. */
  say?: (words: Words) => unknown;
  /** Changes the finished bundle, like a forger. */
  forge?: (bundle: Bundle) => unknown;
  write?: (text: string) => string;
}

export interface Forged extends Made {
  /** What the operator, or somebody else, tries, and why it could work. */
  story: string;
  fails: [part: Part, reason: Reason][];
  /** Only a verifier that checks what a timestamp authority signed finds it. The others compare its hash and time. */
  byAuthority?: true;
}

function never(): never {
  throw new Error('the sample has everything');
}

export const present = <T>(value: T | undefined): T => value ?? never();
export const signatureIn = (bundle: Bundle): BundleSignature => present(bundle.signature);
export const fileIn = (bundle: Bundle) => present(bundle.files?.[0]);
export const timestampIn = (bundle: Bundle) => present(bundle.timestamps?.[0]);
export const acknowledgementIn = (bundle: Bundle, at = 0): BundleAcknowledgement => present(bundle.acknowledgements?.[at]);
export const acknowledgerIn = (bundle: Bundle, at = 0): BundleSignature => present(acknowledgementIn(bundle, at).signature);

/** Replaces a character near the end by the next one of base64, so that the bytes differ and the text stays base64. */
export function other(text: string, fromEnd = 20): string {
  const at = text.length - fromEnd;
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}

/** Changes the bytes of the signature lines that begin so. */
export function spoil(proof: string, name: string): string {
  return proof
    .split('\n')
    .map((line) => (line.startsWith(`— ${name}`) ? other(line) : line))
    .join('\n');
}

/** Keeps the proofs of one log, because keys of one log can't verify those of another. */
export function keepOneLog(bundle: Bundle): void {
  for (const name of ['other_logs', 'signature'] as const) delete bundle[name];
}

const MORE = ['signature', 'json', 'files', 'hand_overs', 'acknowledgements', 'timestamps', 'successions', 'expiry'] as const;

/** Keeps what a bundle must have. */
export function keepLeast(bundle: Bundle): void {
  for (const name of ['other_logs', ...MORE] as const) delete bundle[name];
}

export async function forge(bundle: Bundle): Promise<void> {
  const forged = await forgedBundle(bundle);
  keepLeast(bundle);
  Object.assign(bundle, forged);
}

/** The log gets a second key, which signs from then on. The first has named it. */
export function rotate(words: Words): void {
  words.logKeys.newest = ['second'];
  words.successions = [{ old: vkeys.first, next: vkeys.second, by: 'first', log: ORIGIN }];
}
