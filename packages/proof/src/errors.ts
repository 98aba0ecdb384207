/** The only error that this package throws: what was given is not in its format, or does not verify. */
export class ProofError extends Error {
  override name = 'ProofError';
}
