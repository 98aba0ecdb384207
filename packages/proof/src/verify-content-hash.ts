import { ProofError } from './errors.ts';
import { LEAF, leafOf } from './leaf.ts';
import { type Check, placeText, type TrustOptions, trustOf, type Verdict, verdictOf, witnessCheck } from './report.ts';
import { parseProof, verifyProof } from './tlog-proof.ts';

/** Verifies, by a `.tlog-proof`, that the `content_hash` of a message is in a log that you trust. A ProofError is thrown for a text that is no such proof. */
export async function verifyContentHash(
  proof: string,
  contentHash: string,
  options: TrustOptions,
): Promise<{ verdict: Verdict; checks: Check[] }> {
  const { policy, isTrusted } = trustOf(options, []);
  const leaf = leafOf(LEAF.message, contentHash);
  parseProof(proof);
  const checks: Check[] = [];
  if (!isTrusted)
    checks.push({ part: 'log', state: 'unchecked', text: 'A .tlog-proof has no key of its log, and you named none that you trust.' });
  else
    try {
      const verified = await verifyProof(proof, leaf, policy);
      checks.push({ part: 'inclusion', state: 'verified', text: placeText(verified) }, witnessCheck(verified));
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      checks.push({ part: 'inclusion', state: 'failed', text: error.message });
    }
  return { verdict: verdictOf(checks, isTrusted), checks };
}
