import { canonicalJson } from '@waybill/client';
import { CRLS_MAX } from './crl.ts';
import { ProofError } from './errors.ts';
import { parseVkey } from './note.ts';
import { parseCanonical, type StrictObject } from './strict-json.ts';

/* The file `.waybill-proof`: canonical JSON (RFC 8785) of texts, lists and objects. docs/proof.md describes this format. */

export const BUNDLE_FORMAT = 'waybill-proof/1';
export const BUNDLE_MEDIA_TYPE = 'application/vnd.waybill.proof+json';
/** Larger files are refused unread. A message has 1 MB of JSON at most, which a bundle can have twice: as it is, and in a signed request. */
export const BUNDLE_BYTES_MAX = 8_388_608;
const LISTED_MAX = 100;
/** Hand-overs of one message. A consumer can be given the same message many times. */
const HAND_OVERS_MAX = 900;
/** Renewals of one timestamp, or of the file: certificates of authorities last for years. */
export const RENEWALS_MAX = 20;

/** A log. Its origin is the name in its key. */
export interface BundleLog {
  origin: string;
  vkey: string;
}

/** A statement that is a leaf of a log, with its tlog-proof. */
export interface BundleStatement {
  statement: string;
  proof: string;
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
  /** Leaf 04 of the key's revocation, if it was revoked. */
  revocation?: BundleStatement;
  /** Leaf 06: a domain vouches for the key. */
  domain?: BundleStatement;
}

/** Leaf 03. */
export interface BundleAcknowledgement extends BundleStatement {
  signature?: BundleSignature;
}

/** A timestamp (RFC 3161), and the lists of revoked certificates that are kept with it. Both in base64. */
export interface BundleToken {
  token: string;
  crls?: string[];
}

/** Leaf 09, of the timestamp before, in a checkpoint. The token is of that checkpoint's text. */
export interface BundleRenewal extends BundleStatement, BundleToken {}

/** The proof is of leaf 01 in a checkpoint. The token is of that checkpoint's text. */
export interface BundleTimestamp extends BundleToken {
  proof: string;
  renewals?: BundleRenewal[];
}

export interface BundleFileRenewal extends BundleToken {
  hash: 'sha512';
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
  /** Notes by which an old key of a log named its successor. */
  successions?: string[];
  /** Leaf 07. */
  hand_overs?: BundleStatement[];
  acknowledgements?: BundleAcknowledgement[];
  /** Leaf 08: nobody took the message in time. */
  expiry?: BundleStatement;
  timestamps?: BundleTimestamp[];
  /** Timestamps of the file itself, each of the canonical JSON of the bundle without it and those after it. */
  renewals?: BundleFileRenewal[];
}

/** The text of a bundle. Empty lists are left out. */
export function formatBundle(bundle: Bundle): string {
  const text = textOf(bundle);
  parseBundle(text);
  return text;
}

/** The same, without checking that it is a bundle. */
export function textOf(bundle: Bundle): string {
  const members = Object.entries(bundle);
  return canonicalJson(
    Object.fromEntries(members.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))),
  );
}

/** Reads a bundle without verifying it. Refuses any text that is not in its one form. */
export function parseBundle(given: string | Uint8Array): Bundle {
  // Programs that print a proof add a newline.
  const text = decodeText(given, BUNDLE_BYTES_MAX).replace(/\n$/, '');
  return parseCanonical(text, 'The proof', (bundle) => {
    if (bundle.text('format') !== BUNDLE_FORMAT) throw new ProofError(`The proof is not of the format ${BUNDLE_FORMAT}.`);
    const [json, signature] = [bundle.optionalText('json'), bundle.optionalObject('signature', readSignature)];
    const expiry = bundle.optionalObject('expiry', readStatement);
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
      successions: bundle.has('successions') ? readSuccessions(bundle) : [],
      hand_overs: bundle.optionalList('hand_overs', HAND_OVERS_MAX, readStatement),
      acknowledgements: bundle.optionalList('acknowledgements', LISTED_MAX, readAcknowledgement),
      ...(expiry && { expiry }),
      timestamps: bundle.optionalList('timestamps', LISTED_MAX, readTimestamp),
      renewals: bundle.optionalList('renewals', RENEWALS_MAX, readFileRenewal),
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

function readSuccessions(bundle: StrictObject): string[] {
  const successions = bundle.textList('successions', LISTED_MAX);
  if (successions.length === 0) throw new ProofError('The proof has an empty list "successions".');
  return successions;
}

function readStatement(one: StrictObject): BundleStatement {
  return { statement: one.text('statement'), proof: one.text('proof') };
}

function readSignature(signature: StrictObject): BundleSignature {
  const revocation = signature.optionalObject('revocation', readStatement);
  const domain = signature.optionalObject('domain', readStatement);
  return {
    key: signature.text('key'),
    key_proof: signature.text('key_proof'),
    signature_input: signature.text('signature_input'),
    signature: signature.text('signature'),
    components: signature.object('components', (components) => components.texts()),
    body: signature.text('body'),
    ...(revocation && { revocation }),
    ...(domain && { domain }),
  };
}

function readAcknowledgement(said: StrictObject): BundleAcknowledgement {
  const signature = said.optionalObject('signature', readSignature);
  return { ...readStatement(said), ...(signature && { signature }) };
}

function readTimestamp(one: StrictObject): BundleTimestamp {
  const renewals = one.optionalList('renewals', RENEWALS_MAX, (renewal) => ({ ...readStatement(renewal), ...readToken(renewal) }));
  return { proof: one.text('proof'), ...readToken(one), ...(renewals.length > 0 && { renewals }) };
}

function readFileRenewal(one: StrictObject): BundleFileRenewal {
  if (one.text('hash') !== 'sha512') throw new ProofError('A renewal of the file is not by SHA-512.');
  return { hash: 'sha512', ...readToken(one) };
}

function readToken(one: StrictObject): BundleToken {
  const crls = one.has('crls') ? one.textList('crls', CRLS_MAX) : undefined;
  if (crls?.length === 0) throw new ProofError('A timestamp has an empty list "crls".');
  return { token: one.text('token'), ...(crls && { crls }) };
}
