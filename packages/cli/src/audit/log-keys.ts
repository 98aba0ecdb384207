import { type FormerKey, formatVkey, isSuccessor, ProofError, parseVkey, policyOf, type VerifierKey, withSuccessors } from '@waybill/proof';
import { LogSource } from './log-source.ts';
import { LogUnreachable } from './verdicts.ts';

export const DESCRIPTION = '.well-known/waybill.json';
export const DESCRIPTION_MAX_BYTES = 64 * 1024;

interface DescribedLog {
  previous_keys?: FormerKey[];
}

/** The known keys, and before them those that they named as their successors. Notes that are not valid name none. */
export async function withNamedKeys(known: readonly VerifierKey[], former: readonly FormerKey[]): Promise<VerifierKey[]> {
  const notes = former.map(({ succession }) => succession).filter((note) => typeof note === 'string');
  try {
    const { logs } = await withSuccessors(policyOf(...known.map(formatVkey)), notes);
    return logs.map(({ key }) => key).toReversed();
  } catch (error) {
    if (error instanceof ProofError) return [...known];
    throw error;
  }
}

/** The same with the notes that a service publishes, if it does. */
export async function withKeysNamedAt(
  service: URL,
  known: readonly VerifierKey[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<VerifierKey[]> {
  try {
    const text = await new LogSource(service.origin, timeoutMs, signal).find(DESCRIPTION, DESCRIPTION_MAX_BYTES);
    const { log, previous_logs: others = [] }: { log?: DescribedLog; previous_logs?: DescribedLog[] } = JSON.parse(String(text ?? '{}'));
    return await withNamedKeys(
      known,
      [log, ...others].flatMap((one) => one?.previous_keys ?? []),
    );
  } catch (error) {
    // What is published can be anything.
    if (error instanceof LogUnreachable || error instanceof SyntaxError || error instanceof TypeError) return [...known];
    throw error;
  }
}

/** For somebody who knows no key yet: the present key, and those that led to it. One of these may have signed the newest checkpoint. */
export async function keysUpTo(key: VerifierKey, former: readonly FormerKey[]): Promise<VerifierKey[]> {
  const keys = [key];
  for (const { vkey } of former) if (await isSuccessor(vkey, key, former)) keys.push(parseVkey(vkey));
  return keys;
}
