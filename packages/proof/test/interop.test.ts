import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  checkpointBody,
  consistencyProof,
  inclusionProof,
  LEAF,
  leafOf,
  noteVerifier,
  openNote,
  parseVkey,
  type ReadTile,
  rootOf,
  signNote,
  tilePath,
  tileWidth,
} from '../src/index.ts';
import { missingGo, runGo } from './support/go.ts';
import { NaiveTree } from './support/naive-tree.ts';
import { NOTE_CASES, VKEY } from './support/notes.ts';
import { log, ORIGIN, witnesses } from './support/sample.ts';
import { type Forgery, openParts, VECTORS, type Vector } from './support/vectors.ts';

const SIZE = 66_001;

const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const flipped = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, at) => (at === 7 ? byte ^ 1 : byte));

/** A log with the hashes of all its tiles, computed by our code. The leaves are random. */
async function description() {
  const leaves = Array.from({ length: SIZE }, () => leafOf(LEAF.message, randomBytes(32)));
  const tree = new NaiveTree(leaves);
  const tiles: { path: string; data: string }[] = [];
  for (let level = 0; tileWidth(level, 0, SIZE) > 0; level++)
    for (let index = 0; tileWidth(level, index, SIZE) > 0; index++) {
      const width = tileWidth(level, index, SIZE);
      tiles.push({ path: tilePath(level, index, width), data: encoded(tree.tile(level, index, width)) });
    }
  const readTile: ReadTile = async (level, index, width) => tree.tile(level, index, width);
  const root = await rootOf(SIZE, readTile);
  const note = await signNote(checkpointBody({ origin: ORIGIN, size: SIZE, root }), [log.signer, ...witnesses.map(({ signer }) => signer)]);
  const inclusions: object[] = [];
  for (const index of [0, 1, 255, 256, 65_535, 65_536, SIZE - 1]) {
    const [leaf = new Uint8Array(), hashes] = [leaves[index], (await inclusionProof(index, SIZE, readTile)).map(encoded)];
    const good = { index, size: SIZE, root: encoded(root), leaf: encoded(leaf), hashes };
    inclusions.push(
      { ...good, isGood: true },
      { ...good, leaf: encoded(flipped(leaf)), isGood: false },
      { ...good, index: (index + 1) % SIZE, isGood: false },
    );
  }
  const consistencies: object[] = [];
  for (const oldSize of [1, 255, 256, 257, 65_536, SIZE - 1]) {
    const oldRoot = encoded(await rootOf(oldSize, readTile));
    const good = {
      oldSize,
      oldRoot,
      size: SIZE,
      root: encoded(root),
      hashes: (await consistencyProof(oldSize, SIZE, readTile)).map(encoded),
    };
    consistencies.push({ ...good, isGood: true }, { ...good, root: encoded(flipped(root)), isGood: false });
  }
  return {
    origin: ORIGIN,
    vkey: log.vkey,
    witnesses: witnesses.map(({ vkey }) => vkey),
    checkpoints: [
      { note, isGood: true, cosigners: witnesses.length },
      { note: note.replace(`\n${SIZE}\n`, `\n${SIZE + 1}\n`), isGood: false, cosigners: 0 },
    ],
    noteVkey: VKEY,
    notes: NOTE_CASES.map(({ what, note, ours, go: theirs = ours }) => ({ what, note, expected: theirs === 'opened' ? '' : theirs })),
    size: SIZE,
    root: encoded(root),
    inclusions,
    consistencies,
    tiles,
    fromTiles: {
      index: 12_345,
      inclusion: (await inclusionProof(12_345, SIZE, readTile)).map(encoded),
      oldSize: 54_321,
      consistency: (await consistencyProof(54_321, SIZE, readTile)).map(encoded),
    },
  };
}

test('a verifier in Go has the expected verdict of each vector, and refuses each forgery for the same reason', async () => {
  const reason = await missingGo();
  if (reason !== undefined) {
    console.warn(`The verifier in Go was not tried: ${reason}`);
    return;
  }
  const { isFine, stdout, stderr } = await runGo(['run', '.', 'vectors', VECTORS]);
  expect(isFine, stderr).toBe(true);
  const found: { name: string; verdict: string; failed: string[]; unchecked: string[] }[] = JSON.parse(stdout);
  const read = (name: string) => JSON.parse(readFileSync(path.join(VECTORS, name), 'utf8'));
  const [vectors, forgeries]: [Vector[], Forgery[]] = [read('vectors.json'), read('forgeries/forgeries.json')];
  const expected = [
    ...vectors.map(({ name, verdict }) => ({ name, verdict, failed: [] })),
    // It compares the hash in a timestamp, and leaves the signature to OpenSSL.
    ...forgeries
      .filter(({ by_authority }) => !by_authority)
      .map(({ name, verdict, failed }) => ({ name, verdict, failed: failed.map(({ part, reason: why }) => `${part} ${why}`).sort() })),
  ];
  for (const one of expected) expect(found.find(({ name }) => name === one.name)).toMatchObject(one);
  for (const vector of vectors.filter(({ verdict }) => verdict === 'verified'))
    expect(found.find(({ name }) => name === vector.name)?.unchecked, vector.name).toEqual(await openParts(vector));
});

test('libraries of others in Go accept our checkpoints, cosignatures, proofs and tiles, and we accept a note of theirs', async () => {
  const reason = await missingGo();
  if (reason !== undefined) {
    console.warn(`The libraries in Go were not tried: ${reason}`);
    return;
  }
  const { isFine, stdout, stderr } = await runGo(['run', '.'], JSON.stringify(await description()));
  expect(isFine, stderr).toBe(true);
  expect(stderr).toMatch(/^2 checkpoints, 3\d notes, 21 inclusion proofs, 12 consistency proofs, 26[0-9] tiles\n$/);
  const theirs: { vkey: string; note: string } = JSON.parse(stdout);
  const opened = await openNote(theirs.note, [noteVerifier(parseVkey(theirs.vkey))]);
  expect(opened).toMatchObject({ unknown: [], verified: [{ key: { name: 'go.example.com/log' } }] });
});
