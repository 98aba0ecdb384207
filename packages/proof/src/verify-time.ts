import { type Bundle, type BundleTimestamp, textOf } from './bundle.ts';
import { hashOf } from './bytes.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { ProofError } from './errors.ts';
import type { StatedTime } from './evidence.ts';
import { LEAF, leafOf, leafOfStatement } from './leaf.ts';
import type { Policy } from './policy.ts';
import { type CheckedToken, checkToken, endOf, requireNamed } from './renewal.ts';
import type { Findings } from './report.ts';
import { type EnvelopeStatement, parseTimestampStatement } from './statements.ts';
import { isInTime } from './timestamp.ts';
import { parseProof, type VerifiedProof, verifyProof } from './tlog-proof.ts';
import type { Certificate } from './x509.ts';

/** A service that works logs a message, and has it cosigned, sooner after it was received. */
const DELAY_MAX_S = 600;

interface TimeGround {
  findings: Findings;
  envelope: EnvelopeStatement;
  policy: Policy;
  certificates: readonly Certificate[];
  /** The time of verification. */
  now: Date;
}

/** A timestamp, with those by which it was renewed. */
interface Chain {
  stamps: CheckedToken[];
  /** The trusted ones among the first of them. */
  trusted: CheckedToken[];
  endsAt: Date;
}

/** Checks the timestamps, and compares `received_at` with the first time that does not come from the service. */
export async function checkTime(ground: TimeGround, bundle: Bundle, message: VerifiedProof | undefined): Promise<void> {
  const times: StatedTime[] = message ? witnessed(message) : [];
  const ofFile = await checkFileRenewals(ground, bundle);
  for (const one of bundle.timestamps ?? []) times.push(...(await checkTimestamp(ground, bundle.envelope, one, ofFile)));
  times.push(...statedBy(ground, chainOf(ofFile)));
  const [first] = times.toSorted((one, other) => one.time.getTime() - other.time.getTime());
  const { findings, envelope } = ground;
  findings.evidence.times.push(...times);
  const { receivedAt } = envelope;
  if (!first) return findings.unchecked('time', `That the message was received at ${receivedAt} is the service’s word.`);
  const stated = `${first.by} says that it was in the log at ${first.time.toISOString()}`;
  const delayS = (first.time.getTime() - Date.parse(receivedAt)) / 1_000;
  if (!isInTime(first, receivedAt))
    findings.failed('time', 'received-after-proof', `${stated}, before the service says that it was received, at ${receivedAt}.`);
  else if (delayS > DELAY_MAX_S)
    findings.unchecked('time', `${stated}. That it was received earlier than that, at ${receivedAt}, is the service’s word.`);
  else findings.verified('time', `${stated}: at most 10 minutes after it was received.`);
}

/** A timestamp needs no quorum of witnesses: its authority is a witness of its own, and witnesses may have joined since. */
async function checkTimestamp(
  ground: TimeGround,
  envelope: string,
  one: BundleTimestamp,
  ofFile: readonly CheckedToken[],
): Promise<StatedTime[]> {
  const { findings, policy, certificates } = ground;
  const { receivedAt } = ground.envelope;
  const found = await findings.check(
    'time',
    async () => {
      const verified = await provenBy(policy, one.proof, leafOf(LEAF.message, hashOf(envelope)));
      const stamp = verified && (await checkToken(one, verified.body, certificates));
      if (!stamp) return undefined;
      if (!isInTime(stamp, receivedAt))
        throw new ProofError(`The timestamp is of ${stamp.time.toISOString()}, before the message was received.`, 'before-the-message');
      const chain = chainOf([stamp, ...(await renewalsOf(ground, one, stamp))]);
      return { chain: ofFile[0] && ofFile[0].time <= chain.endsAt ? chainOf([...chain.trusted, ...ofFile]) : chain, verified };
    },
    (result) =>
      result ? tell(result.chain, ground.now) : 'A timestamp is of a checkpoint that no key of the log which you trust has signed.',
    (result) => result !== undefined && holds(ground.now, result.chain),
  );
  if (!found) return [];
  const { chain, verified } = found;
  findings.evidence.timestamps.push(...chain.stamps.slice(0, 1).map((stamp) => ({ ...stamp, isTrusted: holds(ground.now, chain) })));
  return [...witnessed(verified), ...statedBy(ground, chain)];
}

/** Each is a timestamp of a checkpoint that has the statement of the one before. */
async function renewalsOf(
  { policy, certificates }: TimeGround,
  { renewals = [] }: BundleTimestamp,
  first: CheckedToken,
): Promise<CheckedToken[]> {
  const found: CheckedToken[] = [];
  for (const one of renewals) {
    requireNamed(found.at(-1) ?? first, parseTimestampStatement(one.statement));
    const verified = await provenBy(policy, one.proof, leafOfStatement(LEAF.timestamp, one.statement));
    if (!verified) break;
    found.push(await checkToken(one, verified.body, certificates));
  }
  return found;
}

/** Timestamps of the file itself, which its holder asked for. They vouch for the timestamps inside of it, too. */
async function checkFileRenewals({ findings, certificates, now }: TimeGround, bundle: Bundle): Promise<CheckedToken[]> {
  const { renewals = [] } = bundle;
  if (renewals.length === 0) return [];
  const stamps = await findings.check(
    'time',
    async () => {
      const found: CheckedToken[] = [];
      for (const [at, one] of renewals.entries()) {
        const stamp = await checkToken(one, textOf({ ...bundle, renewals: renewals.slice(0, at) }), certificates);
        if (stamp.imprintBy !== 'SHA-512') throw new ProofError('A timestamp of the file is not by the hash that the file names.');
        found.push(stamp);
      }
      chainOf(found);
      return found;
    },
    (found) => tell(chainOf(found), now, 'This file was there'),
    (found) => holds(now, chainOf(found)),
  );
  return stamps ?? [];
}

function chainOf(stamps: CheckedToken[]): Chain {
  const untrusted = stamps.findIndex(({ isTrusted }) => !isTrusted);
  const trusted = untrusted < 0 ? stamps : stamps.slice(0, untrusted);
  return { stamps, trusted, endsAt: endOf(trusted) };
}

function holds(now: Date, { trusted, endsAt }: Chain): boolean {
  return trusted.length > 0 && endsAt >= now;
}

function statedBy(ground: TimeGround, chain: Chain): StatedTime[] {
  const [first] = chain.trusted;
  return first && holds(ground.now, chain) ? [{ time: first.time, by: first.authority }] : [];
}

/** Undefined: only another key of a log that the caller trusts has signed the checkpoint, such as one from before a rotation. */
async function provenBy(policy: Policy, proof: string, leaf: Uint8Array): Promise<VerifiedProof | undefined> {
  try {
    return await verifyProof(proof, leaf, policy);
  } catch (error) {
    if (!(error instanceof ProofError) || error.reason !== 'unknown-log') throw error;
    const { origin } = parseCheckpoint(parseProof(proof).checkpoint);
    if (policy.logs.some(({ key }) => key.name === origin)) return undefined;
    throw error;
  }
}

function tell({ stamps, trusted, endsAt }: Chain, now: Date, what = 'In the log'): string {
  const [first] = stamps;
  if (!first) return '';
  const { authority, time, notRevokedAt } = first;
  const stated = `${what} before ${time.toISOString()}`;
  if (trusted.length === 0) return `${authority} says: ${stated}. You named no certificate by which to trust this authority.`;
  const renewals = trusted.slice(1).map((one) => ` Renewed at ${one.time.toISOString()} by ${one.authority}.`);
  if (endsAt < now)
    return `${authority} says: ${stated}.${renewals.join('')} But the certificate, or its algorithm, ended at ${endsAt.toISOString()}, so that others could have signed this since. Renew proofs before (waybill receipt renew).`;
  const revocation = notRevokedAt
    ? `Its certificate was not revoked, says a list of ${notRevokedAt.toISOString()}.`
    : 'Whether its certificate was revoked, the file does not say.';
  return `${stated}, signed by ${authority}, whom you trust. ${revocation}${renewals.join('')}`;
}

function witnessed({ witnesses }: VerifiedProof): StatedTime[] {
  return witnesses.map(({ name, time }) => ({ time: new Date(1_000 * time), by: name }));
}
