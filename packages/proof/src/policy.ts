import { toHex } from './bytes.ts';
import { type Checkpoint, parseCheckpointBody } from './checkpoint.ts';
import { cosignatureVerifier } from './cosignature.ts';
import { ProofError } from './errors.ts';
import { KEY_TYPE, noteVerifier, openNote, parseVkey, type VerifierKey } from './note.ts';

/* The logs and witnesses that somebody trusts (c2sp.org/tlog-policy). */

export const POLICY_CHARACTERS_MAX = 65_536;
export const POLICY_LINES_MAX = 1_000;

export interface Policy {
  logs: { key: VerifierKey; url?: string }[];
  witnesses: { name: string; key: VerifierKey; url?: string }[];
  groups: { name: string; threshold: number; members: string[] }[];
  /** The name of a witness or a group, or `none`. */
  quorum: string;
  /** The roots that logs have shown so far, by origin and size. Undefined: they are not compared. */
  shown?: Map<string, string>;
}

/** A checkpoint that a log of a policy signed. */
export interface AcceptedCheckpoint {
  checkpoint: Checkpoint;
  body: string;
  log: VerifierKey;
  /** The witnesses of the policy that cosigned it, with the time of each in Unix seconds. */
  witnesses: { name: string; time: number }[];
  isQuorum: boolean;
  /** The names of signers whose keys the policy does not have. Their signatures say nothing. */
  unknown: string[];
}

/** The policy of somebody who knows logs, but no witness. */
export function policyOf(...vkeys: string[]): Policy {
  return { logs: vkeys.map((vkey) => ({ key: logKey(vkey) })), witnesses: [], groups: [], quorum: 'none' };
}

export function parsePolicy(text: string): Policy {
  if (text.length > POLICY_CHARACTERS_MAX) throw new ProofError(`A policy is longer than ${POLICY_CHARACTERS_MAX} characters.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) throw new ProofError('A policy has control characters.');
  const lines = text.split('\n');
  if (lines.length > POLICY_LINES_MAX) throw new ProofError(`A policy has more than ${POLICY_LINES_MAX} lines.`);
  const reader = new PolicyReader();
  for (const [at, line] of lines.entries()) {
    const items = line.split(/[ \t]+/).filter((item) => item !== '');
    if (items.length > 0 && !items[0]?.startsWith('#')) reader.read(items, `line ${at + 1} of the policy`);
  }
  return reader.policy();
}

/** Whether these witnesses, by their names in the policy, are enough for its quorum. */
export function isQuorum({ groups, quorum }: Policy, witnesses: ReadonlySet<string>): boolean {
  if (quorum === 'none') return true;
  const met = new Set(witnesses);
  // A group comes after its members, so one pass is enough.
  for (const { name, threshold, members } of groups) if (members.filter((one) => met.has(one)).length >= threshold) met.add(name);
  return met.has(quorum);
}

/** A log has one tree of each size. Throws if this is a second one: the log signed two histories. */
export function requireOneHistory({ origin, size, root }: Checkpoint, { shown }: Policy): void {
  const tree = `${origin}\n${size}`;
  const before = shown?.get(tree) ?? toHex(root);
  if (before !== toHex(root)) throw new ProofError(`The log ${origin} signed two trees of the size ${size}.`, 'two-histories');
  shown?.set(tree, before);
}

/**
 * Opens a checkpoint by the keys of a policy. Throws unless a log of the policy signed it under its own name. The result reports the
 * quorum.
 */
export async function openCheckpoint(text: string, policy: Policy): Promise<AcceptedCheckpoint> {
  const verifiers = [...policy.logs.map(({ key }) => noteVerifier(key)), ...policy.witnesses.map(({ key }) => cosignatureVerifier(key))];
  const { body, verified, unknown } = await openNote(text, verifiers);
  const checkpoint = parseCheckpointBody(body);
  const log = verified.find(({ key }) => key.type === KEY_TYPE.ed25519 && key.name === checkpoint.origin)?.key;
  if (!log) throw new ProofError(`The checkpoint is not signed by the log ${checkpoint.origin}.`, 'unknown-log');
  const witnesses = policy.witnesses.flatMap(({ name, key }) => {
    const time = verified.find((one) => one.key === key)?.time;
    return time === undefined ? [] : [{ name, time }];
  });
  const names = new Set(witnesses.map(({ name }) => name));
  return { checkpoint, body, log, witnesses, isQuorum: isQuorum(policy, names), unknown: unknown.map(({ name }) => name) };
}

class PolicyReader {
  readonly #policy: Policy = { logs: [], witnesses: [], groups: [], quorum: '' };
  readonly #names = new Set<string>();
  readonly #members = new Set<string>();

  read(items: string[], where: string): void {
    const [keyword, ...rest] = items;
    if (keyword === 'log' && (rest.length === 1 || rest.length === 2)) this.#log(rest, where);
    else if (keyword === 'witness' && (rest.length === 2 || rest.length === 3)) this.#witness(rest, where);
    else if (keyword === 'group' && rest.length >= 3) this.#group(rest, where);
    else if (keyword === 'quorum' && rest.length === 1) this.#quorum(rest[0] ?? '', where);
    else throw new ProofError(`Not understood: ${where}.`);
  }

  policy(): Policy {
    if (this.#policy.quorum === '') throw new ProofError('The policy has no quorum line.');
    return this.#policy;
  }

  #log([vkey = '', url]: string[], where: string): void {
    const key = logKey(vkey);
    requireNew(this.#policy.logs, key, where);
    this.#policy.logs.push({ key, ...(url === undefined ? {} : { url }) });
  }

  #witness([name = '', vkey = '', url]: string[], where: string): void {
    this.#define(name, where);
    const key = parseVkey(vkey);
    if (key.type !== KEY_TYPE.cosignature) throw new ProofError(`The key is not that of a witness: ${where}.`);
    requireNew(this.#policy.witnesses, key, where);
    this.#policy.witnesses.push({ name, key, ...(url === undefined ? {} : { url }) });
  }

  #group([name = '', threshold = '', ...members]: string[], where: string): void {
    for (const member of members) {
      if (!this.#names.has(member)) throw new ProofError(`The member ${member} is not defined before ${where}.`);
      if (this.#members.has(member)) throw new ProofError(`The member ${member} is in a group already: ${where}.`);
      this.#members.add(member);
    }
    this.#define(name, where);
    const needed =
      threshold === 'all' ? members.length : threshold === 'any' ? 1 : /^[1-9]\d{0,3}$/.test(threshold) ? Number(threshold) : 0;
    if (needed < 1 || needed > members.length) throw new ProofError(`The threshold is not from 1 to the number of members: ${where}.`);
    this.#policy.groups.push({ name, threshold: needed, members });
  }

  #quorum(name: string, where: string): void {
    if (this.#policy.quorum !== '') throw new ProofError(`A second quorum: ${where}.`);
    if (name !== 'none' && !this.#names.has(name)) throw new ProofError(`The quorum ${name} is not defined before ${where}.`);
    this.#policy.quorum = name;
  }

  #define(name: string, where: string): void {
    if (name === 'none' || this.#names.has(name)) throw new ProofError(`The name ${name} is taken: ${where}.`);
    this.#names.add(name);
  }
}

function logKey(vkey: string): VerifierKey {
  const key = parseVkey(vkey);
  if (key.type !== KEY_TYPE.ed25519) throw new ProofError(`The key of ${key.name} is not that of a log.`);
  return key;
}

function requireNew(known: { key: VerifierKey }[], { publicKey, name }: VerifierKey, where: string): void {
  const hex = toHex(publicKey);
  if (known.some(({ key }) => toHex(key.publicKey) === hex)) throw new ProofError(`The key of ${name} is there twice: ${where}.`);
}
