import { canonicalJson } from '@waybill/client';
import { ProofError } from './errors.ts';
import { parseVkey } from './note.ts';
import { parseCanonical, type StrictObject } from './strict-json.ts';

/* The file `.waybill-proof`: canonical JSON (RFC 8785) of texts, lists and objects. docs/proof.md describes this format. */

export const BUNDLE_FORMAT = 'waybill-proof/1';
export const BUNDLE_MEDIA_TYPE = 'application/vnd.waybill.proof+json';
/** Larger files are refused unread. A message has 1 MB of JSON at most, which a bundle can have twice: as it is, and in a signed request. */
export const BUNDLE_BYTES_MAX = 8_388_608;
const LISTED_MAX = 100;

/** A log. Its origin is the name in its key. */
export interface BundleLog {
  origin: string;
  vkey: string;
}

export interface BundleSignature {
  /** The statement of the key (leaf 04), and the tlog-proof of that leaf. */
  key: string;
  key_proof: string;
  /** The value of `@signature-params` (RFC 9421). */
  signature_input: string;
  /** 64 bytes in base64. */
  signature: string;
  /** The values of the covered components, and no others. */
  components: Record<string, string>;
  body: string;
}

export interface BundleAcknowledgement {
  /** The statement of leaf 03. */
  statement: string;
  proof: string;
  signature?: BundleSignature;
}

export interface Bundle {
  format: typeof BUNDLE_FORMAT;
  /** The canonical JSON whose SHA-256 is the message's `content_hash`. */
  envelope: string;
  log: BundleLog;
  /** Further logs of the proofs below: a service can begin a new log. */
  other_logs?: BundleLog[];
  /** The tlog-proof of leaf 01. */
  proof: string;
  /** The message's JSON as sent, which `json_bytes_sha256` is the hash of. An older message without that hash has its canonical form. */
  json?: string;
  /** Large files, which were hashed after delivery: leaf 02. */
  files?: { id: string; sha256: string; statement: string; proof: string }[];
  signature?: BundleSignature;
  acknowledgements?: BundleAcknowledgement[];
  /** The proof is of leaf 01 in a checkpoint. The token is of that checkpoint's text. */
  timestamps?: { proof: string; token: string }[];
}

/** The text of a bundle. Empty lists are left out. */
export function formatBundle(bundle: Bundle): string {
  const members = Object.entries(bundle);
  const text = canonicalJson(
    Object.fromEntries(members.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))),
  );
  parseBundle(text);
  return text;
}

/** Reads a bundle without verifying it. Refuses any text that is not in its one form. */
export function parseBundle(given: string | Uint8Array): Bundle {
  // Programs that print a proof add a newline.
  const text = decodeText(given, BUNDLE_BYTES_MAX).replace(/\n$/, '');
  return parseCanonical(text, 'The proof', (bundle) => {
    if (bundle.text('format') !== BUNDLE_FORMAT) throw new ProofError(`The proof is not of the format ${BUNDLE_FORMAT}.`);
    const [json, signature] = [bundle.optionalText('json'), bundle.optionalObject('signature', readSignature)];
    return {
      format: BUNDLE_FORMAT,
      envelope: bundle.text('envelope'),
      log: bundle.object('log', readLog),
      other_logs: bundle.optionalList('other_logs', LISTED_MAX, readLog),
      proof: bundle.text('proof'),
      ...(json !== undefined && { json }),
      files: bundle.optionalList('files', LISTED_MAX, (file) => ({
        id: file.text('id'),
        sha256: file.text('sha256'),
        statement: file.text('statement'),
        proof: file.text('proof'),
      })),
      ...(signature && { signature }),
      acknowledgements: bundle.optionalList('acknowledgements', LISTED_MAX, readAcknowledgement),
      timestamps: bundle.optionalList('timestamps', LISTED_MAX, (one) => ({ proof: one.text('proof'), token: one.text('token') })),
    };
  });
}

/** The text of a file, which is UTF-8 without a byte order mark. */
export function decodeText(given: string | Uint8Array, most: number): string {
  if (given.length > most) throw new ProofError(`The file is larger than ${most} bytes.`);
  if (typeof given === 'string') return given;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(given);
  } catch {
    throw new ProofError('The file is not text in UTF-8.');
  }
}

function readLog(log: StrictObject): BundleLog {
  const [origin, vkey] = [log.text('origin'), log.text('vkey')];
  if (parseVkey(vkey).name !== origin) throw new ProofError('The origin of a log is not the name of its key.');
  return { origin, vkey };
}

function readSignature(signature: StrictObject): BundleSignature {
  return {
    key: signature.text('key'),
    key_proof: signature.text('key_proof'),
    signature_input: signature.text('signature_input'),
    signature: signature.text('signature'),
    components: signature.object('components', (components) => components.texts()),
    body: signature.text('body'),
  };
}

function readAcknowledgement(said: StrictObject): BundleAcknowledgement {
  const signature = said.optionalObject('signature', readSignature);
  return { statement: said.text('statement'), proof: said.text('proof'), ...(signature && { signature }) };
}
