import { ProofError } from './errors.ts';
import { type Evidence, noEvidence } from './evidence.ts';
import { type AcceptedCheckpoint, type Policy, parsePolicy, policyOf } from './policy.ts';
import type { Reason } from './reasons.ts';
import type { VerifiedProof } from './tlog-proof.ts';

/** The logs and witnesses that you trust. They must not come with the file that is verified. */
export interface TrustOptions {
  /** A policy of c2sp.org/tlog-policy: the logs and the witnesses that you trust. */
  policy?: string | undefined;
  /** Keys of logs that you trust, instead of a policy, or for one that names no log. */
  vkeys?: readonly string[] | undefined;
}

export const PARTS = [
  'content',
  'log',
  'inclusion',
  'witnesses',
  'json',
  'file',
  'signature',
  'key',
  'hand-over',
  'acknowledgement',
  'expiry',
  'chain',
  'time',
  'promise',
] as const;
export type Part = (typeof PARTS)[number];

/** One line of a report. `unchecked` is neither proven nor wrong, and the text says why. */
export type Check =
  | { part: Part; state: 'verified' | 'unchecked'; text: string }
  | { part: Part; state: 'failed'; reason: Reason; text: string };

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

/** Collects the lines of a report. */
export class Findings {
  readonly checks: Check[] = [];
  readonly evidence: Evidence = noEvidence();
  readonly isTrusted: boolean;

  constructor(isTrusted: boolean) {
    this.isTrusted = isTrusted;
  }

  /** Without a trusted key, no line is verified. */
  verified(part: Part, text: string): void {
    this.checks.push({ part, state: this.isTrusted ? 'verified' : 'unchecked', text });
  }

  unchecked(part: Part, text: string): void {
    this.checks.push({ part, state: 'unchecked', text });
  }

  failed(part: Part, reason: Reason, text: string): void {
    this.checks.push({ part, state: 'failed', reason, text });
  }

  /** Adds a line that says what `run` found, or why it failed: then the result is undefined. */
  async check<T>(
    part: Part,
    run: () => Promise<T>,
    tell: (result: T) => string,
    isProven: (result: T) => boolean = () => true,
  ): Promise<T | undefined> {
    try {
      const result = await run();
      if (isProven(result)) this.verified(part, tell(result));
      else this.unchecked(part, tell(result));
      return result;
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      this.failed(part, error.reason, error.message);
      return undefined;
    }
  }
}

export function placeText({ checkpoint, index }: VerifiedProof): string {
  return `Leaf ${index} of ${checkpoint.size} in the log ${checkpoint.origin}.`;
}

export function addWitnesses(findings: Findings, { witnesses, isQuorum, unknown }: AcceptedCheckpoint): void {
  const names = witnesses.map(({ name, time }) => `${name} at ${new Date(1_000 * time).toISOString()}`).join(', ');
  const others = unknown.length > 0 ? ` Signatures of unknown keys: ${unknown.join(', ')}.` : '';
  if (!isQuorum) findings.failed('witnesses', 'too-few-witnesses', `Not enough witnesses of your policy cosigned the checkpoint.${others}`);
  else if (witnesses.length > 0) findings.verified('witnesses', `The checkpoint is cosigned by ${names}.`);
  else findings.unchecked('witnesses', `Your policy asks for no witness.${others}`);
}
