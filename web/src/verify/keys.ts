import type { Policy, VerifiedProof } from '../../../packages/proof/src/index.ts';

/** The keys that signed the checkpoint of a proof, as far as they are trusted: vkeys without their last part. */
export function keysOf({ log, witnesses }: VerifiedProof, known: Policy['witnesses']): string[] {
  const cosigned = known.filter(({ name }) => witnesses.some((one) => one.name === name));
  return [log, ...cosigned.map(({ key }) => key)].map(({ name, keyId }) => `${name}+${keyId}`);
}
