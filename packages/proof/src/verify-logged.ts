import { ProofError } from './errors.ts';
import type { Policy } from './policy.ts';
import { type VerifiedProof, verifyProof } from './tlog-proof.ts';

/** Throws unless the leaf is in a log of the policy, cosigned by a quorum of its witnesses. */
export async function verifyLogged(proof: string, leaf: Uint8Array, policy: Policy): Promise<VerifiedProof> {
  const verified = await verifyProof(proof, leaf, policy);
  if (!verified.isQuorum) throw new ProofError('Not enough witnesses of your policy cosigned the checkpoint.');
  return verified;
}
