import { ProofError } from './errors.ts';
import { formatVkey, KEY_TYPE, noteVerifier, openNote, parseNote, parseVkey, type VerifierKey } from './note.ts';
import type { Policy } from './policy.ts';
import { parseCanonical } from './strict-json.ts';

/** More notes are not read. */
const SUCCESSIONS_MAX = 100;

/** A key of a log that is in use no more, with the note by which it named its successor. */
export interface FormerKey {
  vkey: string;
  succession: string;
}

interface Succession {
  text: string;
  log: string;
  oldKey: string;
  newKey: VerifierKey;
}

/** The policy with the keys that its logs named as their successors. Throws if a note is broken, or if one key named two. */
export async function withSuccessors(policy: Policy, notes: readonly string[]): Promise<Policy> {
  const added = await successorsOf(
    policy.logs.map(({ key }) => key),
    notes,
  );
  return { ...policy, logs: [...policy.logs, ...added.map((key) => ({ key }))] };
}

/** Whether the known key has named its successor, that successor the next, and so on up to the present key. */
export async function isSuccessor(known: string, now: VerifierKey, former: readonly FormerKey[]): Promise<boolean> {
  // What a service publishes can be anything.
  const notes = former.map((one: Partial<FormerKey> | null) => one?.succession).filter((note) => typeof note === 'string');
  try {
    return (await successorsOf([parseVkey(known)], notes)).some((key) => formatVkey(key) === formatVkey(now));
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
}

/** The keys that the given ones lead to, without the given ones. Notes of other keys say nothing. */
async function successorsOf(known: readonly VerifierKey[], notes: readonly string[]): Promise<VerifierKey[]> {
  if (notes.length > SUCCESSIONS_MAX) throw new ProofError(`There are more than ${SUCCESSIONS_MAX} successions.`);
  const successions = notes.map(parseSuccession);
  const reached = new Set(known.map(formatVkey));
  const queue = [...known];
  // Each key is followed once, so a circle ends.
  for (const key of queue) {
    const [succession, second] = successions.filter(({ oldKey }) => oldKey === formatVkey(key));
    if (second) throw new ProofError(`A key of ${key.name} named two successors.`, 'broken-succession');
    if (!succession) continue;
    const { text, log, newKey } = succession;
    await requireSigned(text, key);
    if (log !== key.name || newKey.name !== key.name)
      throw new ProofError(`A key of ${key.name} named a key of another log as its successor.`, 'broken-succession');
    if (reached.has(formatVkey(newKey))) continue;
    reached.add(formatVkey(newKey));
    queue.push(newKey);
  }
  return queue.slice(known.length);
}

async function requireSigned(text: string, key: VerifierKey): Promise<void> {
  try {
    await openNote(text, [noteVerifier(key)]);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new ProofError(`A succession is not signed by the key of ${key.name} that it is of.`, 'broken-succession');
  }
}

function parseSuccession(text: string): Succession {
  const { body } = parseNote(text);
  return parseCanonical(body.slice(0, -1), 'A succession', (stated) => {
    stated.text('at');
    const [statement, log, oldKey, newKey] = [stated.text('statement'), stated.text('log'), stated.text('old_key'), stated.text('new_key')];
    if (statement !== 'key_succession') throw new ProofError('A succession is another statement.');
    const key = parseVkey(newKey);
    if (key.type !== KEY_TYPE.ed25519) throw new ProofError(`The key of ${key.name} is not that of a log.`);
    return { text, log, oldKey, newKey: key };
  });
}
