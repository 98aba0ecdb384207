import type { Reason } from './reasons.ts';

/** The only error of this package: the input is not in its format, or does not verify. */
export class ProofError extends Error {
  override name = 'ProofError';
  readonly reason: Reason;

  constructor(message: string, reason: Reason = 'malformed') {
    super(message);
    this.reason = reason;
  }
}
