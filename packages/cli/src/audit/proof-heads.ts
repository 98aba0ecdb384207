import { type AcceptedCheckpoint, openCheckpoint, type Policy, ProofError, parseProof } from '@waybill/proof';

/** The checkpoints of a `.waybill-proof` that a log of the policy has signed: of the message, of its chain, of keys, files and timestamps. Each once. */
export async function checkpointsIn(proof: string, policy: Policy): Promise<AcceptedCheckpoint[]> {
  const notes = new Set<string>();
  JSON.parse(proof, (name, value) => {
    if (name === 'proof' || name === 'key_proof') notes.add(parseProof(value).checkpoint);
    return value;
  });
  const opened = await Promise.all([...notes].map((note) => openCheckpoint(note, policy).catch(refusalOf)));
  return opened.filter((one) => one !== undefined);
}

/** Only another log, or an unknown key, signed the checkpoint of a timestamp: it says nothing of this log. */
function refusalOf(error: unknown): undefined {
  if (error instanceof ProofError && error.reason === 'unknown-log') return undefined;
  throw error;
}
