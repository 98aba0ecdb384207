import { formatVkey, noteVerifier, openNote, ProofError, parseVkey, type VerifierKey } from '@waybill/proof';

export interface FormerKey {
  vkey: string;
  succession: string;
}

const SUCCESSIONS_MAX = 100;

/** The known key has named its successor, that successor the next, and so on up to the present key. */
export async function isSuccessor(known: string, now: VerifierKey, former: readonly FormerKey[]): Promise<boolean> {
  let current = known;
  for (let steps = 0; steps < Math.min(SUCCESSIONS_MAX, former.length); steps++) {
    const next = await successorOf(current, former);
    if (next === undefined || next === formatVkey(now)) return next !== undefined;
    current = next;
  }
  return false;
}

async function successorOf(vkey: string, former: readonly FormerKey[]): Promise<string | undefined> {
  const key = parseVkey(vkey);
  const succession = former.find((one) => one.vkey === vkey)?.succession;
  if (typeof succession !== 'string') return undefined;
  try {
    const { body } = await openNote(succession, [noteVerifier(key)]);
    const stated: Record<string, unknown> = JSON.parse(body);
    const isSuccession = stated['statement'] === 'key_succession' && stated['log'] === key.name && stated['old_key'] === vkey;
    return isSuccession && typeof stated['new_key'] === 'string' ? stated['new_key'] : undefined;
  } catch (error) {
    if (error instanceof ProofError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
