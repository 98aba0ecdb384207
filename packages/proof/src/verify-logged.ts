import type { BundleStatement } from './bundle.ts';
import { ProofError } from './errors.ts';
import { type LeafType, leafOfStatement } from './leaf.ts';
import type { Policy } from './policy.ts';
import { type VerifiedProof, verifyProof } from './tlog-proof.ts';

/** Throws unless the leaf is in a log of the policy, cosigned by a quorum of its witnesses. */
export async function verifyLogged(proof: string, leaf: Uint8Array, policy: Policy): Promise<VerifiedProof> {
  const verified = await verifyProof(proof, leaf, policy);
  if (!verified.isQuorum) throw new ProofError('Not enough witnesses of your policy cosigned the checkpoint.', 'too-few-witnesses');
  return verified;
}

export function verifyStatement(type: LeafType, { statement, proof }: BundleStatement, policy: Policy): Promise<VerifiedProof> {
  return verifyLogged(proof, leafOfStatement(type, statement), policy);
}

/** Whether the first leaf was logged before the other. Undefined: they are in two logs, whose order nobody can tell. */
export function isBefore(one: VerifiedProof, other: VerifiedProof): boolean | undefined {
  const [first, second] = [one.checkpoint.origin, other.checkpoint.origin];
  if (first === second) return one.index < other.index;
  const [before, after] = [numbered(first), numbered(second)];
  return before.name === after.name && before.number !== after.number ? before.number < after.number : undefined;
}

/** A service ends a log before it begins the next one, which has the name of the first and a number: `waybill.example.com/log/2`. */
function numbered(origin: string): { name: string; number: number } {
  const [, name = origin, number = '1'] = /^(.*)\/([1-9]\d{0,8})$/.exec(origin) ?? [];
  return { name, number: Number(number) };
}
