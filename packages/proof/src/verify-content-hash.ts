import { LEAF, leafOf } from './leaf.ts';
import { addWitnesses, type Check, Findings, placeText, type TrustOptions, trustOf, type Verdict, verdictOf } from './report.ts';
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
  const findings = new Findings(isTrusted);
  if (!isTrusted) findings.unchecked('log', 'A .tlog-proof has no key of its log, and you named none that you trust.');
  else {
    const verified = await findings.check('inclusion', () => verifyProof(proof, leaf, policy), placeText);
    if (verified) addWitnesses(findings, verified);
  }
  return { verdict: verdictOf(findings.checks, isTrusted), checks: findings.checks };
}
