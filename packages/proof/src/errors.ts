/** The only error of this package: the input is not in its format, or does not verify. */
export class ProofError extends Error {
  override name = 'ProofError';
}
