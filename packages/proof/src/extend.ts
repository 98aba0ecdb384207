import type { Bundle, BundleLog, BundleStatement, BundleTimestamp } from './bundle.ts';
import { ProofError } from './errors.ts';

/**
 * The proof that its holder has, with what a newer proof of the same message adds. What the holder has stays as it is: its checkpoint, for example, may have
 * cosignatures from when the message came. Throws if the newer one lacks or contradicts something. `isOfParty`: it is one that parties get, which must have
 * all that is said of the message.
 */
export function extendBundle(held: Bundle, newer: Bundle, { isOfParty }: { isOfParty: boolean }): Bundle {
  if (newer.envelope !== held.envelope) throw new ProofError('The newer proof is of another message.', 'another-message');
  if ((held.renewals ?? []).length > 0)
    throw new ProofError('The file has a timestamp of itself, which would be of another file then: have it stamped again.', 'malformed');
  if (held.json !== undefined && newer.json !== undefined && held.json !== newer.json)
    throw new ProofError('The newer proof has other JSON.', 'another-json');
  const links = (one: Bundle) => [...(one.hand_overs ?? []), ...(one.acknowledgements ?? []), ...(one.expiry ? [one.expiry] : [])];
  const shown = new Set(links(newer).map(({ statement }) => statement));
  if (isOfParty && links(held).some(({ statement }) => !shown.has(statement)))
    throw new ProofError('The newer proof lacks a hand-over, an acknowledgement or non-delivery that the file has.', 'chain-gap');
  return {
    ...held,
    ...logsOf(held, newer),
    ...(newer.json !== undefined && { json: newer.json }),
    ...signatureOf(held, newer),
    files: union(held.files, newer.files, ({ id }) => id),
    successions: union(held.successions, newer.successions, (note) => note),
    hand_overs: union(held.hand_overs, newer.hand_overs, said),
    acknowledgements: union(held.acknowledgements, newer.acknowledgements, said),
    ...((held.expiry ?? newer.expiry) && { expiry: held.expiry ?? newer.expiry }),
    timestamps: timestampsOf(held.timestamps, newer.timestamps),
  };
}

const said = ({ statement }: BundleStatement): string => statement;

/** What the first list has, then what only the second has. */
function union<T>(held: readonly T[] = [], newer: readonly T[] = [], nameOf: (one: T) => string): T[] {
  const known = new Set(held.map(nameOf));
  return [...held, ...newer.filter((one) => !known.has(nameOf(one)))];
}

function logsOf(held: Bundle, newer: Bundle): { other_logs: BundleLog[] } {
  const others = union(held.other_logs, [newer.log, ...(newer.other_logs ?? [])], ({ vkey }) => vkey);
  return { other_logs: others.filter(({ vkey }) => vkey !== held.log.vkey) };
}

/** A revocation, or a domain that vouches for the key, may have come since. */
function signatureOf({ signature: held }: Bundle, { signature: newer }: Bundle): Pick<Bundle, 'signature'> {
  const only = held ?? newer;
  if (!held || !newer) return only ? { signature: only } : {};
  if (held.signature !== newer.signature || held.key !== newer.key)
    throw new ProofError('The newer proof has another signature of the sender.', 'wrong-signature');
  const [revocation, domain] = [held.revocation ?? newer.revocation, held.domain ?? newer.domain];
  return { signature: { ...held, ...(revocation && { revocation }), ...(domain && { domain }) } };
}

/** Of the same timestamp, that with more renewals. */
function timestampsOf(held: readonly BundleTimestamp[] = [], newer: readonly BundleTimestamp[] = []): BundleTimestamp[] {
  const isBetter = (one: BundleTimestamp, other: BundleTimestamp) =>
    (one.renewals ?? []).length - (other.renewals ?? []).length || (one.crls ?? []).length - (other.crls ?? []).length;
  const better = held.map((one) => newer.find((other) => other.token === one.token && isBetter(other, one) > 0) ?? one);
  return union(better, newer, ({ token }) => token);
}
