import { describe, expect, test } from 'vitest';
import {
  checkpointBody,
  entryBundlePath,
  formatEntryBundle,
  formatNote,
  formatProof,
  formatVkey,
  isQuorum,
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
  verifyProof,
} from '../src/index.ts';
import { logSigner, witnessSigner } from './support/keys.ts';
import { NaiveTree } from './support/naive-tree.ts';

const ORIGIN = 'waybill.example.com/log';
const log = logSigner(ORIGIN);
const witness = witnessSigner('witness.example.com/one', () => 1_700_000_000);
const other = witnessSigner('witness.example.com/two', () => 1_700_000_001);
const leaves = Array.from({ length: 11 }, (_, index) => leafOf(LEAF.message, new Uint8Array(32).fill(index)));
const tree = new NaiveTree(leaves);
const body = checkpointBody({ origin: ORIGIN, size: leaves.length, root: tree.root(leaves.length) });

describe('signed notes', () => {
  // The example of c2sp.org/signed-note.
  const vkey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
  const note =
    'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';

  test('of the specification verify, and are written as they were read', async () => {
    const key = parseVkey(vkey);
    expect(formatVkey(key)).toBe(vkey);
    const opened = await openNote(note, [noteVerifier(key)]);
    expect(opened).toMatchObject({ body: 'This is an example message.\n', verified: [{ key }], unknown: [] });
    expect(formatNote(parseNote(note))).toBe(note);
  });

  test('are refused when a known key did not sign them, signed twice, or none is known', async () => {
    const verifiers = [noteVerifier(parseVkey(vkey))];
    await expect(openNote(note.replace('example m', 'Example m'), verifiers)).rejects.toThrow('is wrong');
    await expect(openNote(note + note.slice(note.indexOf('—')), verifiers)).rejects.toThrow('twice');
    await expect(openNote(note, [noteVerifier(parseVkey(log.vkey))])).rejects.toThrow('No known key');
    expect((await openNote(await signNote(body, [log.signer, witness.signer]), [noteVerifier(parseVkey(log.vkey))])).unknown).toHaveLength(
      1,
    );
  });

  test.each([
    ['no newline at the end', note.slice(0, -1)],
    ['no signature', 'This is an example message.\n\n'],
    ['no empty line', note.replace('\n\n', '\n')],
    ['a hyphen for the dash', note.replace('—', '-')],
    ['set bits under the padding', note.replace('QM=', 'QN=')],
    ['no padding', note.replace('QM=', 'QM')],
    ['a tab', note.replace(' example', '\texample')],
    ['carriage returns', note.replaceAll('\n', '\r\n')],
    ['half of a surrogate pair', note.replace('This', '\ud800')],
    ['two spaces', note.replace('foo ', 'foo  ')],
    ['a name with a plus', note.replace('/foo', '/f+o')],
    ['a name with a wide space', note.replace('/foo', '/f\u2003o')],
    ['more than it may have', `${'a'.repeat(70_000)}\n${note}`],
    ['too many signatures', note + note.slice(note.indexOf('—')).repeat(64)],
  ])('with %s are not notes', (_name, text) => {
    expect(() => parseNote(text)).toThrow(ProofError);
  });

  test.each([
    ['an id of another key', vkey.replace('530d903a', '530d903b')],
    ['an upper-case id', vkey.replace('530d903a', '530D903A')],
    ['another type', vkey.replace('+Ae', '+Ce')],
    ['a key that is too short', vkey.slice(0, -4)],
    ['no name', vkey.replace('example.com/foo', '')],
    ['a name with a space', vkey.replace('com', 'c m')],
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
