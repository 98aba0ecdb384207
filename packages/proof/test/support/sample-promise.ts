import {
  formatNote,
  formatVkey,
  KEY_TYPE,
  promiseEnding,
  promiseKeyBody,
  promiseKeyName,
  promiseLeaf,
  promiseOpening,
  promiseTreeBody,
  verifierKey,
} from '../../src/index.ts';
import { keyOf } from './keys.ts';
import { NaiveTree } from './naive-tree.ts';

export interface PromiseTerms {
  log: string;
  /** Signs the certificate with the key of the log. */
  certify(body: string): Promise<string>;
  contentHashes: readonly string[];
  at?: string;
  by?: string;
  from?: string;
  until?: string;
  position?: string | null;
  /** The log that tree and certificate name; that of the promise by default. */
  treeLog?: string;
  keyLog?: string;
  keyName?: string;
  /** Who signs the tree in place of the certified key. */
  signedBy?: string;
  vkey?: string;
}

const KEY = 'promises';
export const TIMES = {
  from: '2026-11-19T08:00:00.000Z',
  at: '2026-11-19T08:30:00.000Z',
  by: '2026-11-19T08:40:00.000Z',
  until: '2026-11-19T10:00:00.000Z',
};

/** Promises as a service makes them, unless the terms are others. The tree is computed by the definition of RFC 6962. */
export async function samplePromises(terms: PromiseTerms): Promise<string[]> {
  const { log, contentHashes, at, by, from, until } = { ...TIMES, ...terms };
  const { position = '7226142720000001', treeLog = log, keyLog = log, keyName = promiseKeyName(log), signedBy = KEY } = terms;
  const leaves = contentHashes.map((contentHash) => promiseLeaf({ at, by, contentHash, log, position }));
  const tree = new NaiveTree(leaves.map((leaf) => Buffer.from(leaf)));
  const base64 = (hash: Uint8Array) => Buffer.from(hash).toString('base64');
  const key = verifierKey(keyName, KEY_TYPE.ed25519, keyOf(KEY).publicKey);
  const body = promiseTreeBody({ log: treeLog, size: leaves.length, root: base64(tree.root(leaves.length)) });
  const signature = Uint8Array.from(keyOf(signedBy).sign(Buffer.from(body)));
  const treeNote = formatNote({ body, signatures: [{ name: key.name, keyId: key.keyId, signature }] });
  const keyNote = await terms.certify(promiseKeyBody({ log: keyLog, vkey: terms.vkey ?? formatVkey(key), from, until }));
  return leaves.map((leaf, at) => promiseOpening(leaf, at, tree.path(at, leaves.length).map(base64)) + promiseEnding(treeNote, keyNote));
}
