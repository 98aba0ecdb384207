import { describe, expect, test } from 'vitest';
import {
  checkpointBody,
  entryBundlePath,
  formatEntryBundle,
  formatNote,
  formatProof,
  formatVkey,
  isQuorum,
  KEY_TYPE,
  LEAF,
  leafHash,
  leafOf,
  noteVerifier,
  openCheckpoint,
  openNote,
  ProofError,
  parseCheckpoint,
  parseEntryBundle,
  parseNote,
  parsePolicy,
  parseProof,
  parseTilePath,
  parseVkey,
  policyOf,
  signNote,
  tilePath,
  verifierKey,
  verifyProof,
} from '../src/index.ts';
import { logSigner, witnessSigner } from './support/keys.ts';
import { NaiveTree } from './support/naive-tree.ts';
import { NOTE, NOTE_CASES, VKEY } from './support/notes.ts';

const ORIGIN = 'waybill.example.com/log';
const log = logSigner(ORIGIN);
const witness = witnessSigner('witness.example.com/one', () => 1_700_000_000);
const other = witnessSigner('witness.example.com/two', () => 1_700_000_001);
const leaves = Array.from({ length: 11 }, (_, index) => leafOf(LEAF.message, new Uint8Array(32).fill(index)));
const tree = new NaiveTree(leaves);
const body = checkpointBody({ origin: ORIGIN, size: leaves.length, root: tree.root(leaves.length) });

describe('signed notes', () => {
  test('of the specification verify, and are written as they were read', async () => {
    const key = parseVkey(VKEY);
    expect(formatVkey(key)).toBe(VKEY);
    const opened = await openNote(NOTE, [noteVerifier(key)]);
    expect(opened).toMatchObject({ body: 'This is an example message.\n', verified: [{ key }], unknown: [] });
    expect(formatNote(parseNote(NOTE))).toBe(NOTE);
  });

  test.each(NOTE_CASES)('with $what: $ours', async ({ note, ours }) => {
    const found = await openNote(note, [noteVerifier(parseVkey(VKEY))]).then(
      () => 'opened',
      (error: unknown) => error instanceof ProofError && error.reason,
    );
    expect(found).toBe(ours);
  });

  test('tell the signatures of unknown keys', async () => {
    const signed = await signNote(body, [log.signer, witness.signer]);
    expect((await openNote(signed, [noteVerifier(parseVkey(log.vkey))])).unknown).toMatchObject([{ name: 'witness.example.com/one' }]);
  });

  test('have no key for which anybody can make signatures', () => {
    for (const [first, last] of [
      [0, 0],
      [1, 0],
      [1, 0x80],
      [0xec, 0x7f],
      [0xed, 0x7f],
      [0xee, 0xff],
    ]) {
      const key = new Uint8Array(32).fill(last === 0x7f || last === 0xff ? 0xff : 0);
      key.set([first ?? 0], 0);
      key.set([last ?? 0], 31);
      expect(() => verifierKey('example.com/foo', KEY_TYPE.ed25519, key), `${first} ${last}`).toThrow('anybody can make signatures');
    }
  });

  test('are not longer than they may be, and Unicode', () => {
    for (const wrong of [`${'a'.repeat(70_000)}\n${NOTE}`, NOTE.replace('This', '\ud800')])
      expect(() => parseNote(wrong)).toThrow(ProofError);
  });

  test.each([
    ['an id of another key', VKEY.replace('530d903a', '530d903b')],
    ['an upper-case id', VKEY.replace('530d903a', '530D903A')],
    ['another type', VKEY.replace('+Ae', '+Ce')],
    ['a key that is too short', VKEY.slice(0, -4)],
    ['no name', VKEY.replace('example.com/foo', '')],
    ['a name with a space', VKEY.replace('com', 'c m')],
  ])('have no key with %s', (_name, text) => {
    expect(() => parseVkey(text)).toThrow(ProofError);
  });
});

describe('checkpoints', () => {
  test('are read as they were written', async () => {
    const note = await signNote(body, [log.signer]);
    expect(parseCheckpoint(note)).toEqual({ origin: ORIGIN, size: 11, root: tree.root(leaves.length), extensions: [] });
    expect(parseCheckpoint(`${body}more\n\n${note.slice(note.indexOf('—'))}`).extensions).toEqual(['more']);
  });

  test.each([
    ['a leading zero', body.replace('\n11\n', '\n011\n')],
    ['a sign', body.replace('\n11\n', '\n+11\n')],
    ['a size beyond 2^53', body.replace('\n11\n', '\n9007199254740992\n')],
    ['a short hash', body.replace(/.{8}=\n$/, '=\n')],
    ['no hash', `${ORIGIN}\n11\n`],
    ['no origin', body.replace(ORIGIN, '')],
    ['a space before its size', body.replace('\n11\n', '\n 11\n')],
    ['a negative size', body.replace('\n11\n', '\n-11\n')],
    ['a hexadecimal size', body.replace('\n11\n', '\n0xb\n')],
    ['a size that is no number', body.replace('\n11\n', '\n\n')],
    ['digits of another script', body.replace('\n11\n', '\n١١\n')],
    ['set bits under the padding of its hash', body.replace(/.=\n$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=\n`)],
    ['an empty extension line', `${body}\nmore\n`],
  ])('with %s are refused', (_name, text) => {
    expect(() => parseCheckpoint(`${text}\n— a ${Buffer.alloc(68).toString('base64')}\n`)).toThrow(ProofError);
  });

  test('of a log are not those of another key with its name, nor of another name', async () => {
    const note = await signNote(body, [log.signer]);
    await expect(openCheckpoint(note, policyOf(logSigner('other.example.com/log').vkey))).rejects.toThrow('No known key');
    const foreign = await signNote(body, [logSigner('other.example.com/log').signer]);
    await expect(openCheckpoint(foreign, policyOf(logSigner('other.example.com/log').vkey))).rejects.toThrow('not signed by the log');
  });
});

describe('policies', () => {
  const text = `# of a partner
log ${log.vkey} https://waybill.example.com/log/
\twitness one ${witness.vkey}
witness two  ${other.vkey} https://two.example.com/

group both all one two
quorum both
`;

  test('decide which witnesses are enough', async () => {
    const policy = parsePolicy(text);
    expect(policy).toMatchObject({
      quorum: 'both',
      groups: [{ threshold: 2 }],
      witnesses: [{ name: 'one' }, { url: 'https://two.example.com/' }],
    });
    const sign = async (...signers: (typeof log.signer)[]) => openCheckpoint(await signNote(body, [log.signer, ...signers]), policy);
    expect(await sign()).toMatchObject({ isQuorum: false, witnesses: [] });
    expect(await sign(witness.signer)).toMatchObject({ isQuorum: false, witnesses: [{ name: 'one', time: 1_700_000_000 }] });
    expect(await sign(witness.signer, other.signer)).toMatchObject({ isQuorum: true, unknown: [] });
    expect(isQuorum({ ...policy, quorum: 'none' }, new Set())).toBe(true);
    expect(isQuorum(parsePolicy(text.replace(' all ', ' any ')), new Set(['two']))).toBe(true);
    expect(isQuorum(parsePolicy(text.replace(' all ', ' 2 ')), new Set(['two']))).toBe(false);
  });

  test.each([
    ['no quorum', text.replace('quorum both', '')],
    ['two quorums', `${text}quorum none\n`],
    ['a quorum that is not defined', text.replace('quorum both', 'quorum all')],
    ['a witness twice', text.replace(other.vkey, witness.vkey)],
    ['a log twice', `${text}log ${log.vkey}\n`],
    ['a name twice', text.replace('witness two', 'witness one')],
    ['the name none', text.replaceAll('both', 'none')],
    ['a member twice', text.replace('one two', 'one one')],
    ['a member of two groups', text.replace('quorum', 'group more any one\nquorum')],
    ['a threshold of 0', text.replace(' all ', ' 0 ')],
    ['a threshold above the members', text.replace(' all ', ' 3 ')],
    ['a group before its members', text.replace('# of a partner', 'group early any one')],
    ['a key of a log as that of a witness', text.replace(witness.vkey, logSigner('x').vkey)],
    ['a key of a witness as that of a log', text.replace(log.vkey, witnessSigner('x', () => 0).vkey)],
    ['an unknown line', `${text}require everything\n`],
    ['a carriage return', text.replaceAll('\n', '\r\n')],
  ])('with %s are refused', (_name, wrong) => {
    expect(() => parsePolicy(wrong)).toThrow(ProofError);
  });
});

describe('proofs', () => {
  test('of each leaf verify for that leaf alone', async () => {
    const checkpoint = await signNote(body, [log.signer, witness.signer]);
    for (const [index, leaf] of leaves.entries()) {
      const text = formatProof({ index, hashes: tree.path(index, leaves.length), checkpoint });
      expect(await verifyProof(text, leaf, policyOf(log.vkey))).toMatchObject({
        index,
        unknown: ['witness.example.com/one'],
        isQuorum: true,
      });
      await expect(verifyProof(text, leaves[(index + 1) % 11] ?? leaf, policyOf(log.vkey))).rejects.toThrow('does not lead');
      expect(formatProof(parseProof(text))).toBe(text);
    }
  });

  test('with extra data, other first lines, indexes or hashes are refused', async () => {
    const text = formatProof({ index: 3, hashes: tree.path(3, leaves.length), checkpoint: await signNote(body, [log.signer]) });
    const wrong = [
      text.replace('\nindex', '\nextra YQ==\nindex'),
      text.replace('@v1', '@v2'),
      text.replace('index 3', 'index 03'),
      text.replace('index 3\n', ''),
      text.replace('index 3\n', 'index 3\nAAAA\n'),
      text.replace('index 3\n', `index 3\n${`${'A'.repeat(43)}=\n`.repeat(60)}`),
      text.slice(0, text.indexOf('\n\n')),
      `${text}\n`,
      '',
    ];
    for (const one of wrong) expect(() => parseProof(one)).toThrow(ProofError);
  });
});

describe('tiles', () => {
  test('have paths in one form', () => {
    expect(tilePath(0, 1_234_067)).toBe('tile/0/x001/x234/067');
    expect(tilePath(2, 0, 17)).toBe('tile/2/000.p/17');
    expect(entryBundlePath(273, 112)).toBe('tile/entries/273.p/112');
    for (const index of [0, 9, 999, 1_000, 999_999, 1_000_000, 35_184_372_088_831])
      expect(parseTilePath(tilePath(1, index, 5))).toEqual({ level: 1, index, width: 5 });
    expect(parseTilePath('tile/entries/x001/000')).toEqual({ level: 'entries', index: 1_000, width: 256 });
  });

  test.each([
    'tile/7/000',
    'tile/00/000',
    'tile/0/0',
    'tile/0/x000/001',
    'tile/0/000/001',
    'tile/0/000.p/256',
    'tile/0/000.p/0',
    'tile/0/000.p/01',
    'tile/0/000.p/5/',
    '/tile/0/000',
    'tile/0/../../etc',
    'tile/0/x999/x999/x999/x999/x999/999',
  ])('are not at %s', (path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });

  test('come with bundles of entries', () => {
    const bytes = formatEntryBundle(leaves);
    expect(bytes.length).toBe(11 * 35);
    expect(parseEntryBundle(bytes)).toEqual(leaves);
    expect(() => parseEntryBundle(bytes.slice(0, -1))).toThrow(ProofError);
    expect(() => parseEntryBundle(new Uint8Array(1))).toThrow(ProofError);
    expect(() => parseEntryBundle(new Uint8Array(2 * 257))).toThrow(ProofError);
    expect(leafHash(leaves[0] ?? new Uint8Array())).toHaveLength(32);
  });
});
