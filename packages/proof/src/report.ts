import { type Policy, parsePolicy, policyOf } from './policy.ts';
import type { VerifiedProof } from './tlog-proof.ts';

/** The logs and witnesses that you trust. They must not come with the file that is verified. */
export interface TrustOptions {
  /** A policy of c2sp.org/tlog-policy: the logs and the witnesses that you trust. */
  policy?: string | undefined;
  /** Keys of logs that you trust, instead of a policy, or for one that names no log. */
  vkeys?: readonly string[] | undefined;
}

export type Part = 'content' | 'json' | 'file' | 'log' | 'inclusion' | 'witnesses' | 'signature' | 'acknowledgement' | 'time';

/** One line of a report. `unchecked` is neither proven nor wrong, and the text says why. */
export interface Check {
  part: Part;
  state: 'verified' | 'failed' | 'unchecked';
  text: string;
}

/**
 * verified: the message is in a log that you trust, and nothing failed. failed: something does not hold. untrusted: the file is consistent,
 * but you named no key of a log that you trust. Anybody can make such a file with a key of their own, so nothing is proven.
 */
export type Verdict = 'verified' | 'failed' | 'untrusted';

/** The policy of the options. If it names no log, those of the file are used, and nothing is trusted. */
export function trustOf(options: TrustOptions, inFile: readonly string[]): { policy: Policy; isTrusted: boolean } {
  const given = options.policy === undefined ? policyOf() : parsePolicy(options.policy);
  const logs = [...given.logs, ...policyOf(...(options.vkeys ?? [])).logs];
  const isTrusted = logs.length > 0;
  return { policy: { ...given, logs: isTrusted ? logs : policyOf(...inFile).logs }, isTrusted };
}

export function verdictOf(checks: readonly Check[], isTrusted: boolean): Verdict {
  if (checks.some(({ state }) => state === 'failed')) return 'failed';
  return isTrusted ? 'verified' : 'untrusted';
}

export function placeText({ checkpoint, index }: VerifiedProof): string {
  return `Leaf ${index} of ${checkpoint.size} in the log ${checkpoint.origin}.`;
}

export function witnessCheck({ witnesses, isQuorum, unknown }: VerifiedProof): Check {
  const names = witnesses.map(({ name, time }) => `${name} at ${new Date(1_000 * time).toISOString()}`).join(', ');
  const others = unknown.length > 0 ? ` Signatures of unknown keys: ${unknown.join(', ')}.` : '';
  if (!isQuorum)
    return { part: 'witnesses', state: 'failed', text: `Not enough witnesses of your policy cosigned the checkpoint.${others}` };
  if (witnesses.length > 0) return { part: 'witnesses', state: 'verified', text: `The checkpoint is cosigned by ${names}.` };
  return { part: 'witnesses', state: 'unchecked', text: `Your policy asks for no witness.${others}` };
}
