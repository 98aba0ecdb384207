import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
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
import { NaiveTree } from './support/naive-tree.ts';
import { log, ORIGIN, witnesses } from './support/sample.ts';

const FOLDER = path.resolve(import.meta.dirname, '../interop');
const LONGEST_MS = 300_000;
const SIZE = 66_001;

interface Ended {
  isFine: boolean;
  stdout: string;
  stderr: string;
}

function go(args: string[], input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile('go', args, { cwd: FOLDER, timeout: LONGEST_MS, maxBuffer: 64 * 1_048_576 }, (error, stdout, stderr) =>
      resolve({ isFine: error === null, stdout, stderr }),
    );
    child.stdin?.on('error', () => {}).end(input);
  });
}

/** Says why the program can't be built. Undefined: it can. */
async function missing(): Promise<string | undefined> {
  if (process.env['WAYBILL_TEST_INSTALL'] === 'no') return 'WAYBILL_TEST_INSTALL is "no".';
  if (!(await go(['version'])).isFine) return 'there is no go.';
  return (await go(['build', '-o', '/dev/null', '.'])).isFine ? undefined : 'go could not fetch the modules, or is older than they need.';
}

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

test('libraries of others in Go accept our checkpoints, cosignatures, proofs and tiles, and we accept a note of theirs', async () => {
  const reason = await missing();
  if (reason !== undefined) {
    console.warn(`The libraries in Go were not tried: ${reason}`);
    return;
  }
  const { isFine, stdout, stderr } = await go(['run', '.'], JSON.stringify(await description()));
  expect(isFine, stderr).toBe(true);
  expect(stderr).toMatch(/^2 checkpoints, 21 inclusion proofs, 12 consistency proofs, 26[0-9] tiles/);
  const theirs: { vkey: string; note: string } = JSON.parse(stdout);
  const opened = await openNote(theirs.note, [noteVerifier(parseVkey(theirs.vkey))]);
  expect(opened).toMatchObject({ unknown: [], verified: [{ key: { name: 'go.example.com/log' } }] });
});
