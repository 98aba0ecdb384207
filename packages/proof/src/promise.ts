import { fromBase64, HASH_BYTES, parseCount, utf8 } from './bytes.ts';
import { ProofError } from './errors.ts';
import { parseHash } from './leaf.ts';
import { leafHash, verifyInclusion } from './merkle.ts';
import { KEY_TYPE, noteVerifier, openNote, parseNote, parseVkey, type VerifierKey } from './note.ts';
import { type Check, Findings, type TrustOptions, trustOf, type Verdict, verdictOf } from './report.ts';
import { parseCanonical } from './strict-json.ts';

/*
 * Promises of inclusion. The response to a send promises that the message will be in the log by a time. A key that the log has certified
 * for some hours signs the root of a small Merkle tree (RFC 6962) over the promises of one moment, so that one signature stands for all of them.
 */

const FIRST_LINE = 'waybill-promise/1';
const TREE_LINE = 'waybill-promises/1';
const KEY_LINE = 'waybill-promise-key/1';

/** Longer promises are refused. */
export const PROMISE_CHARACTERS_MAX = 4_096;
/** Promises under one signature. */
export const PROMISE_TREE_MAX = 65_536;
/** A promise for a later time, or by a key that is certified for longer, is worth nothing. */
const PROMISE_SPAN_MAX_MS = 24 * 3_600_000;

export interface InclusionPromise {
  /** When it was made. */
  at: string;
  /** The message is in the log by then. */
  by: string;
  contentHash: string;
  /** The origin of the log. */
  log: string;
  /** The position of the message in its sender's ledger. Null: it is in that ledger no longer. */
  position: string | null;
}

/** A tree of promises, as the promise key signs it. `root` is in base64. */
export interface PromiseTreeHead {
  log: string;
  size: number;
  root: string;
}

/** A promise key, as the key of the log certifies it: from when until when it may sign. */
export interface PromiseKey {
  log: string;
  vkey: string;
  from: string;
  until: string;
}

interface ParsedPromise {
  promise: InclusionPromise;
  /** What the leaf of the tree is the hash of. */
  leaf: string;
  index: number;
  hashes: Uint8Array[];
  tree: PromiseTreeHead;
  treeNote: string;
  key: PromiseKey;
  keyNote: string;
}

/** The first lines of a promise, of which its leaf in the tree is the hash. `at` and `by` are ISO 8601 with milliseconds. */
export function promiseLeaf({ at, by, contentHash, log, position }: InclusionPromise): string {
  // Written without a library, because each send pays for it. The members are in the order of RFC 8785.
  const place = position === null ? 'null' : `"${position}"`;
  return `${FIRST_LINE}\n{"at":"${at}","by":"${by}","content_hash":"${contentHash}","log":${JSON.stringify(log)},"position":${place}}\n`;
}

/**
 * Everything of a promise before its signed tree. `path`: the hashes in base64, from the leaf's sibling up. `newline` is another one for a leaf that is
 * the inside of a JSON string.
 */
export function promiseOpening(leaf: string, index: number, path: readonly string[], newline = '\n'): string {
  let text = `${leaf}index ${index}${newline}`;
  for (const hash of path) text += hash + newline;
  return text + newline;
}

/** What all promises of a tree end with. */
export function promiseEnding(treeNote: string, keyNote: string): string {
  return `${treeNote}\n${keyNote}`;
}

export function promiseTreeBody({ log, size, root }: PromiseTreeHead): string {
  return `${TREE_LINE}\n${log}\n${size}\n${root}\n`;
}

export function promiseKeyBody({ log, vkey, from, until }: PromiseKey): string {
  return `${KEY_LINE}\n${log}\n${vkey}\n${from}\n${until}\n`;
}

/** The name of the keys that sign promises for a log. */
export function promiseKeyName(log: string): string {
  return `${log}/promises`;
}

export function isPromise(text: string): boolean {
  return text.startsWith(`${FIRST_LINE}\n`);
}

/** Reads a promise without verifying a signature. */
export function parsePromise(text: string): ParsedPromise {
  if (text.length > PROMISE_CHARACTERS_MAX) throw new ProofError(`A promise is longer than ${PROMISE_CHARACTERS_MAX} characters.`);
  const [opening = '', tree = '', treeSignature = '', key = '', keySignatures = '', ...more] = text.split('\n\n');
  const [first, statement = '', index = '', ...path] = opening.split('\n');
  if (first !== FIRST_LINE) throw new ProofError(`A promise does not begin with the line ${FIRST_LINE}.`);
  if (keySignatures === '' || more.length > 0) throw new ProofError('A promise has not the five parts that it consists of.');
  if (!index.startsWith('index ')) throw new ProofError('A promise has no index.');
  const [treeNote, keyNote] = [`${tree}\n\n${treeSignature}\n`, `${key}\n\n${keySignatures}`];
  return {
    promise: parseStatement(statement),
    leaf: `${FIRST_LINE}\n${statement}\n`,
    index: parseCount(index.slice('index '.length), 'The index of a promise'),
    hashes: path.map((line) => hashIn(line, 'A hash of a promise')),
    tree: parseTree(parseNote(treeNote).body),
    treeNote,
    key: parseKey(parseNote(keyNote).body),
    keyNote,
  };
}

/**
 * Verifies that a log which you trust has made the promise. Whether it was kept, the log itself shows. A ProofError is thrown for a text that is no
 * promise.
 */
export async function verifyPromise(
  text: string,
  options: TrustOptions,
): Promise<{ promise: InclusionPromise; verdict: Verdict; checks: Check[] }> {
  const parsed = parsePromise(text);
  const { policy, isTrusted } = trustOf(options, []);
  const findings = new Findings(isTrusted);
  await findings.check(
    'promise',
    () => verifySigned(parsed),
    () => promiseText(parsed.promise),
  );
  if (isTrusted)
    await findings.check(
      'log',
      () => certifiedBy(parsed, policy.logs),
      (text) => text,
    );
  else findings.unchecked('log', 'A promise has no key of its log, and you named none that you trust.');
  return { promise: parsed.promise, verdict: verdictOf(findings.checks, isTrusted), checks: findings.checks };
}

function promiseText({ by, contentHash, log, position }: InclusionPromise): string {
  const place = position === null ? '' : `, position ${position} of its sender’s ledger,`;
  return `${contentHash}${place} will be in the log ${log} by ${by}.`;
}

/** Throws unless all parts are of one log, its tree has the promise, and the promise key signed the tree while it was certified. */
async function verifySigned({ promise, leaf, index, hashes, tree, treeNote, key }: ParsedPromise): Promise<void> {
  if (tree.log !== promise.log || key.log !== promise.log) throw new ProofError('The parts of the promise are of different logs.');
  const verifier = parseVkey(key.vkey);
  if (verifier.type !== KEY_TYPE.ed25519 || verifier.name !== promiseKeyName(promise.log))
    throw new ProofError('The certified key is not one for promises of this log.');
  const [at, by] = [Date.parse(promise.at), Date.parse(promise.by)];
  const [from, until] = [Date.parse(key.from), Date.parse(key.until)];
  if (by <= at || by - at > PROMISE_SPAN_MAX_MS)
    throw new ProofError('The promise is for a time before it was made, or more than a day after.');
  if (until - from > PROMISE_SPAN_MAX_MS) throw new ProofError('The promise key is certified for more than a day.');
  if (at < from || at >= until) throw new ProofError(`The promise was made at ${promise.at}, when its key was not certified.`);
  if (tree.size > PROMISE_TREE_MAX) throw new ProofError(`More than ${PROMISE_TREE_MAX} promises are under one signature.`);
  const root = fromBase64(tree.root, 'The root hash of promises');
  if (!verifyInclusion({ index, size: tree.size, root }, leafHash(utf8(leaf)), hashes))
    throw new ProofError('The promise is not among those that were signed.');
  const { unknown } = await openNote(treeNote, [noteVerifier(verifier)]);
  if (unknown.length > 0) throw new ProofError('The promises have another signature than that of the promise key.');
}

async function certifiedBy({ promise, key, keyNote }: ParsedPromise, logs: readonly { key: VerifierKey }[]): Promise<string> {
  const trusted = logs.filter((log) => log.key.name === promise.log);
  if (trusted.length === 0) throw new ProofError(`The promise is of the log ${promise.log}, of which you named no key.`);
  await openNote(
    keyNote,
    trusted.map((log) => noteVerifier(log.key)),
  );
  return `The log ${promise.log} has certified the key that signed, from ${key.from} until ${key.until}.`;
}

function parseStatement(text: string): InclusionPromise {
  const promise = parseCanonical(text, 'The statement of a promise', (said) => ({
    at: parseTime(said.text('at')),
    by: parseTime(said.text('by')),
    contentHash: said.text('content_hash'),
    log: said.text('log'),
    position: said.textOrNull('position'),
  }));
  parseHash(promise.contentHash);
  if (promise.position !== null && !/^[1-9]\d{0,18}$/.test(promise.position))
    throw new ProofError('The position of a promise is not a number.');
  return promise;
}

function parseTree(body: string): PromiseTreeHead {
  const [log = '', size = '', root = ''] = linesOf(body, TREE_LINE, 3);
  hashIn(root, 'The root hash of promises');
  return { log, size: parseCount(size, 'The number of promises'), root };
}

function parseKey(body: string): PromiseKey {
  const [log = '', vkey = '', from = '', until = ''] = linesOf(body, KEY_LINE, 4);
  return { log, vkey, from: parseTime(from), until: parseTime(until) };
}

/** The lines after the first, which says what the text is. */
function linesOf(body: string, first: string, count: number): string[] {
  const [kind, ...lines] = body.slice(0, -1).split('\n');
  if (kind !== first || lines.length !== count || lines.includes(''))
    throw new ProofError(`A part of a promise is not the line ${first} and ${count} more.`);
  return lines;
}

function hashIn(line: string, what: string): Uint8Array {
  const hash = fromBase64(line, what);
  if (hash.length !== HASH_BYTES) throw new ProofError(`${what} has not ${HASH_BYTES} bytes.`);
  return hash;
}

function parseTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || time.toISOString() !== text)
    throw new ProofError(`"${text.slice(0, 40)}" is not a time in UTC with milliseconds.`);
  return text;
}
