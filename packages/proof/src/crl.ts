import { areEqual, type Bytes } from './bytes.ts';
import { type Der, inside, readAll, readOne, TAG, timeOf, wholeBits } from './der.ts';
import { ProofError } from './errors.ts';
import type { Timestamp } from './timestamp.ts';
import {
  type Algorithm,
  type Certificate,
  extensionsIn,
  isSelfIssued,
  isSignedBy,
  nameBytes,
  signatureAlgorithm,
  urlsOfPoint,
} from './x509.ts';

/* Lists of revoked certificates (CRLs, RFC 5280): which certificates an authority has taken back, and when. */

export const CRL_BYTES_MAX = 262_144;
/** Lists that are kept with a timestamp: one for each certificate on its path. */
export const CRLS_MAX = 3;

export interface RevocationList {
  issuer: Bytes;
  thisUpdate: Date;
  /** Undefined: the issuer does not say when the next list comes. */
  nextUpdate: Date | undefined;
  /** The revoked certificates, which are read when one is looked for: there can be thousands. */
  entries: Der[];
  /** Undefined: of all certificates of the issuer. */
  onlyOf: 'signers' | 'authorities' | undefined;
  /** Only of certificates that name one of these addresses. Undefined: of all. */
  points: string[] | undefined;
  signed: Bytes;
  algorithm: Algorithm;
  signature: Bytes;
}

const WHAT = 'A list of revoked certificates';
const REASON = '2.5.29.21';
const ENTRY_ISSUER = '2.5.29.29';
const ISSUING_POINT = '2.5.29.28';
/** unspecified, affiliationChanged, superseded, cessationOfOperation. RFC 3161: only with these do earlier timestamps stay valid. */
const HARMLESS = [0, 3, 4, 5];

export function parseRevocationList(bytes: Bytes): RevocationList {
  if (bytes.length > CRL_BYTES_MAX) throw new ProofError(`${WHAT} is larger than ${CRL_BYTES_MAX} bytes.`);
  const parts = inside(readOne(bytes, TAG.sequence, WHAT), TAG.sequence, WHAT);
  const [signed, algorithm, signature] = parts;
  const [version, inner, issuer, thisUpdate, ...rest] = inside(signed, TAG.sequence, WHAT);
  if (parts.length !== 3 || !signed || !algorithm || !inner || version?.tag !== TAG.integer || version.content[0] !== 1)
    throw new ProofError(`${WHAT} is not one of version 2.`);
  if (!areEqual(inner.whole, algorithm.whole)) throw new ProofError(`${WHAT} names two signature algorithms.`);
  const isTime = ({ tag }: Der) => tag === TAG.utcTime || tag === TAG.generalizedTime;
  const nextUpdate = rest[0] && isTime(rest[0]) ? rest.shift() : undefined;
  const entries = rest[0]?.tag === TAG.sequence ? rest.shift() : undefined;
  const tagged = rest[0]?.tag === 0xa0 ? rest.shift() : undefined;
  if (rest.length > 0) throw new ProofError(`${WHAT} has more than it may.`);
  return {
    issuer: nameBytes(issuer),
    thisUpdate: timeOf(thisUpdate, WHAT),
    nextUpdate: nextUpdate && timeOf(nextUpdate, WHAT),
    entries: entries ? inside(entries, TAG.sequence, WHAT) : [],
    ...scopeIn(tagged && readAll(tagged.content)[0]),
    signed: signed.whole,
    algorithm: signatureAlgorithm(algorithm),
    signature: wholeBits(signature, WHAT),
  };
}

function readEntry(entry: Der): { at: Date; reason: number | undefined } {
  const [, at, list] = inside(entry, TAG.sequence, WHAT);
  const extensions = extensionsIn(list);
  if (extensions.has(ENTRY_ISSUER)) throw new ProofError(`${WHAT} is of several issuers, which is not supported.`);
  const reason = extensions.get(REASON);
  return { at: timeOf(at, WHAT), reason: reason && readOne(reason.value, TAG.enumerated, WHAT).content[0] };
}

/** Whether an entry begins with this number: a short integer, as all serial numbers are. */
function isOf({ content }: Der, serial: Bytes): boolean {
  if (content[0] !== TAG.integer || content[1] !== serial.length) return false;
  for (const [at, byte] of serial.entries()) if (content[at + 2] !== byte) return false;
  return true;
}

/** A list can be of a part of the certificates. Critical extensions say so, and an unknown one makes the list one that can't be understood. */
function scopeIn(list: Der | undefined): Pick<RevocationList, 'onlyOf' | 'points'> {
  const extensions = extensionsIn(list);
  for (const [id, { isCritical }] of extensions)
    if (isCritical && id !== ISSUING_POINT) throw new ProofError(`${WHAT} has a critical extension that is not supported.`);
  const scope: Pick<RevocationList, 'onlyOf' | 'points'> = { onlyOf: undefined, points: undefined };
  const point = extensions.get(ISSUING_POINT);
  for (const field of point ? inside(readOne(point.value, TAG.sequence, WHAT), TAG.sequence, WHAT) : []) {
    if (field.tag === 0xa0) scope.points = urlsOfPoint(field);
    else if (field.tag === 0x81) scope.onlyOf = 'signers';
    else if (field.tag === 0x82) scope.onlyOf = 'authorities';
    else throw new ProofError(`${WHAT} is of some reasons or several issuers, which is not supported.`);
  }
  return scope;
}

function speaksOf({ onlyOf, points, nextUpdate }: RevocationList, { isAuthority, revocationUrls }: Certificate, time: Date): boolean {
  const isOfKind = onlyOf === undefined || (onlyOf === 'authorities') === isAuthority;
  return isOfKind && (points?.some((one) => revocationUrls.includes(one)) ?? true) && (nextUpdate === undefined || nextUpdate >= time);
}

/**
 * Compares the certificates of a timestamp with lists of revoked ones. Throws if one was revoked, or a list is not signed by its issuer. Returns when the oldest
 * of the lists was made, or undefined if they don't speak of each certificate: lists of other issuers, and those that had ended before the timestamp, say nothing.
 */
export async function requireNotRevoked({ links, time }: Timestamp, lists: readonly RevocationList[]): Promise<Date | undefined> {
  const times: (Date | undefined)[] = [];
  for (const { certificate, issuer } of links) {
    if (isSelfIssued(certificate)) continue;
    let newest: Date | undefined;
    for (const list of lists) {
      if (!issuer || !areEqual(list.issuer, issuer.subject)) continue;
      await requireSigned(list, issuer);
      requireNotIn(list, certificate, time);
      if (!speaksOf(list, certificate, time)) continue;
      if (!newest || list.thisUpdate > newest) newest = list.thisUpdate;
    }
    times.push(newest);
  }
  return times.reduce((one, other) => (one && other ? (one < other ? one : other) : undefined), times[0]);
}

async function requireSigned({ algorithm, signed, signature }: RevocationList, issuer: Certificate): Promise<void> {
  if (!(await isSignedBy(issuer.publicKey, algorithm, signed, signature)))
    throw new ProofError(`${WHAT} is not signed by ${issuer.name}.`, 'wrong-signature');
}

function requireNotIn({ entries }: RevocationList, { serial, name }: Certificate, time: Date): void {
  const found = entries.find((entry) => isOf(entry, serial));
  if (!found) return;
  const { at, reason } = readEntry(found);
  if (at > time && reason !== undefined && HARMLESS.includes(reason)) return;
  throw new ProofError(
    `The certificate of ${name} was revoked at ${at.toISOString()}${at > time ? ', for a reason that takes earlier timestamps away, too' : ''}.`,
    'revoked-authority',
  );
}
