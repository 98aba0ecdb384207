import type { BundleToken } from './bundle.ts';
import { type Bytes, fromBase64, sha256, toHex, utf8 } from './bytes.ts';
import { CRL_BYTES_MAX, parseRevocationList, requireNotRevoked } from './crl.ts';
import { ProofError } from './errors.ts';
import type { TimestampStatement } from './statements.ts';
import { firstOf, type Timestamp, verifyTimestamp } from './timestamp.ts';
import type { Certificate } from './x509.ts';

/* A timestamp outlives the certificate of its authority if a later one vouches for it: that it was there before the certificate ended (RFC 4998). */

const CRL_CHARACTERS_MAX = 4 * Math.ceil(CRL_BYTES_MAX / 3);

export interface CheckedToken extends Timestamp {
  /** As in statements of the log. */
  names: Pick<TimestampStatement, 'checkpoint' | 'crls' | 'token'>;
  /** When the lists were made that have none of its certificates. Undefined: the file does not say whether one was revoked. */
  notRevokedAt: Date | undefined;
}

/** Verifies a timestamp of a text, with the lists of revoked certificates beside it. */
export async function checkToken(
  { token, crls = [] }: BundleToken,
  stamped: string,
  certificates: readonly Certificate[],
): Promise<CheckedToken> {
  const [bytes, text] = [fromBase64(token, 'The timestamp'), utf8(stamped)];
  const lists = crls.map((crl) => fromBase64(crl, 'A list of revoked certificates', CRL_CHARACTERS_MAX));
  const stamp = await verifyTimestamp(bytes, text, certificates);
  const notRevokedAt = await requireNotRevoked(stamp, lists.map(parseRevocationList));
  return { ...stamp, names: { checkpoint: nameOf(text), crls: lists.map(nameOf).toSorted(), token: nameOf(bytes) }, notRevokedAt };
}

/** Throws unless the statement is of this timestamp, of what it stamps, and of all lists beside it. */
export function requireNamed({ names }: CheckedToken, { checkpoint, crls, token }: TimestampStatement): void {
  if (checkpoint !== names.checkpoint || token !== names.token || names.crls.some((one) => !crls.includes(one)))
    throw new ProofError(
      'A renewal is of another timestamp, or of other lists of revoked certificates, than the one before it.',
      'another-token',
    );
}

/**
 * Returns until when the last of these timestamps vouches for the first, or when one had ended before the next. Throws if one is of a time at which the one before could not
 * be renewed.
 */
export function endOf(chain: readonly Timestamp[]): Date {
  for (const [at, stamp] of chain.entries()) {
    const [next, end] = [chain[at + 1], firstOf([stamp.certificateEndsAt, stamp.algorithmEndsAt])];
    if (!next) return end;
    const [time, ended] = [next.time.toISOString(), stamp.certificateEndsAt.toISOString()];
    if (next.time < stamp.time) throw new ProofError(`A renewal is of ${time}, before the timestamp that it renews.`, 'renewal-too-early');
    if (next.time > stamp.certificateEndsAt)
      throw new ProofError(
        `A renewal is of ${time}, after the certificate of ${stamp.authority} had ended at ${ended}.`,
        'renewal-too-late',
      );
    if (next.time > end) return end;
  }
  return new Date(0);
}

function nameOf(bytes: Bytes): string {
  return `sha256:${toHex(sha256(bytes))}`;
}
