import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, stat, truncate, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newUuid } from '../../src/contract/ids.ts';
import { MB } from '../../src/contract/limits.ts';
import { Slots } from '../../src/platform/fairness/slots.ts';
import { WrongSize } from '../../src/platform/objects/folder.ts';
import { AlreadyJoined } from '../../src/platform/objects/folder-parts.ts';
import { FolderStore } from '../../src/platform/objects/folder-store.ts';
import { UrlSigner } from '../../src/platform/objects/url-signer.ts';
import { filesIn } from '../support/files-in.ts';
import { someBytes } from '../support/transfer.ts';

const WRITER = path.resolve(import.meta.dirname, '../support/folder-writer.ts');
const PARTS_WRITER = path.resolve(import.meta.dirname, '../support/folder-parts-writer.ts');
const PART_BYTES = 2_000_000;
/** A multiple of the length of an id, so that every chunk of an object begins with an id. */
const SIZE_BYTES = 16 * 36 * 2_000;

let folder: string;
let store: FolderStore;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-folder-'));
  const turns = new Slots(1);
  store = new FolderStore(folder, new UrlSigner(Buffer.alloc(32)), 'http://localhost', (_name, work) => turns.take(work));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Lists the folder and the name of each file. */
async function kept(): Promise<[part: string, name: string][]> {
  return (await filesIn(folder)).map((file) => [file.split('/')[0] as string, path.basename(file)]);
}

async function inPart(part: string): Promise<string[]> {
  return (await kept()).filter(([where]) => where === part).map(([, name]) => name);
}

/** A stream of which the first half has come. The other half comes after `letGo`. */
function halfWay(bytes: Buffer): { source: Readable; letGo(): void } {
  const source = new Readable({ read() {} });
  source.push(bytes.subarray(0, bytes.length / 2));
  return {
    source,
    letGo: () => {
      source.push(bytes.subarray(bytes.length / 2));
      source.push(null);
    },
  };
}

async function killedWriter(afterMs: number, program = WRITER): Promise<string[]> {
  const child = spawn(process.execPath, [program, folder, String(program === WRITER ? SIZE_BYTES : PART_BYTES)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  await sleep(afterMs);
  child.kill('SIGKILL');
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return said.split('\n').slice(0, -1);
}

describe('a file in the making', () => {
  test('stands aside under another name until it is whole', async () => {
    const id = newUuid();
    const { source, letGo } = halfWay(someBytes(2 * MB));
    const writing = store.write(id, source);
    while ((await inPart('aside')).length === 0) await sleep(5);
    expect(await kept()).toEqual([['aside', expect.not.stringContaining(id)]]);
    expect(await store.objectSize(id)).toBeUndefined();
    letGo();
    await writing;
    expect(await kept()).toEqual([['objects', id]]);
  });

  test('stands aside when it is uploaded too, and what was uploaded before stays until it is whole', async () => {
    const id = newUuid();
    await store.receive(id, Readable.from([Buffer.from('12')]), 2);
    const { source, letGo } = halfWay(Buffer.from('34'));
    const receiving = store.receive(id, source, 2);
    while ((await inPart('aside')).length === 0) await sleep(5);
    expect(await inPart('uploads')).toEqual([id]);
    expect(await store.seal(id, id)).toBe(2);
    letGo();
    await receiving;
    expect((await buffer(await store.read(id))).toString()).toBe('12');
  });

  test.each([
    ['a byte less than', 9],
    ['a byte more than', 11],
    ['nothing of', 0],
    ['much more than', 5 * MB],
  ])('is dropped when %s what was agreed on comes', async (_name, size) => {
    await expect(store.receive(newUuid(), Readable.from([someBytes(size)], { objectMode: false }), 10)).rejects.toThrow(WrongSize);
    expect(await kept()).toEqual([]);
  });

  test('is for the eyes of the service’s account only', async () => {
    const { source, letGo } = halfWay(someBytes(1000));
    const writing = store.write(newUuid(), source);
    while ((await inPart('aside')).length === 0) await sleep(5);
    const modeOf = async (file: string) => (await stat(path.join(folder, file))).mode & 0o777;
    expect(await Promise.all((await filesIn(folder)).map(modeOf))).toEqual([0o600]);
    letGo();
    await writing;
    expect(await Promise.all((await filesIn(folder)).map(modeOf))).toEqual([0o600]);
    expect([await modeOf('aside'), await modeOf('objects')]).toEqual([0o700, 0o700]);
  });
});

describe('after kill -9 of the process that writes', () => {
  test('every object is whole, every one that was confirmed is there, and the rest stands aside', async () => {
    const confirmed: string[] = [];
    for (const afterMs of [0, 20, 50, 90, 150]) confirmed.push(...(await killedWriter(afterMs)));
    const objects = await inPart('objects');
    expect(objects).toEqual(expect.arrayContaining(confirmed));
    for (const id of objects) {
      const bytes = await readFile(path.join(folder, 'objects', id.slice(-2), id));
      expect(bytes.equals(Buffer.alloc(SIZE_BYTES, id)), id).toBe(true);
    }
    // Uploads that were received but not sealed are complete as well.
    for (const id of await inPart('uploads')) expect((await stat(path.join(folder, 'uploads', id.slice(-2), id))).size).toBe(SIZE_BYTES);
    expect((await inPart('aside')).length).toBeGreaterThanOrEqual(5);
  });

  test('what stands aside goes away with a later list, but nothing that is still being written', async () => {
    await killedWriter(0);
    const aside = async () => (await filesIn(folder)).filter((file) => file.startsWith('aside/'));
    const abandoned = await aside();
    const hourAgo = new Date(Date.now() - 3_600_000);
    for (const file of abandoned) await utimes(path.join(folder, file), hourAgo, hourAgo);
    const { source, letGo } = halfWay(someBytes(1000));
    const id = newUuid();
    const writing = store.write(id, source);
    while ((await aside()).length === abandoned.length) await sleep(5);
    expect(await Array.fromAsync(store.list(new Date(Date.now() - 1_800_000)))).toEqual([]);
    const left = await aside();
    expect(left).toHaveLength(1);
    expect(abandoned).not.toContain(left[0]);
    letGo();
    await writing;
    expect(await store.objectSize(id)).toBe(1000);
  });
});

describe('after kill -9 of the process that puts parts into their places', () => {
  test('every part that is said to be there is whole, and every one that was confirmed is there', async () => {
    const confirmed: string[] = [];
    for (const afterMs of [0, 30, 60, 100, 170]) confirmed.push(...(await killedWriter(afterMs, PARTS_WRITER)));
    const uploads = (await inPart('parts')).map((id) => ({ id, ref: id, sizeBytes: 2 * PART_BYTES, partBytes: PART_BYTES }));
    expect(uploads.map(({ id }) => id)).toEqual(expect.arrayContaining(confirmed));
    let found = 0;
    for (const upload of uploads) {
      const arrived = await store.parts.arrived(upload);
      if (confirmed.includes(upload.id)) expect(arrived).toContain(1);
      const bytes = await readFile(path.join(folder, 'parts', upload.id.slice(-2), upload.id));
      for (const number of arrived) {
        const part = bytes.subarray((number - 1) * PART_BYTES, number * PART_BYTES);
        expect(part.equals(Buffer.alloc(PART_BYTES, part[0])), `${upload.id} ${number}`).toBe(true);
        found++;
      }
      for (const number of [1, 2]) await store.parts.receive(upload, number, Readable.from([Buffer.alloc(PART_BYTES, 'x')]));
      expect(await store.parts.join(upload)).toEqual([]);
      expect(await store.objectSize(upload.id)).toBe(2 * PART_BYTES);
    }
    expect(found).toBeGreaterThanOrEqual(5);
  });

  test('what it was joining is whole, takes no part any more, and can be joined', async () => {
    const upload = { id: newUuid(), ref: '', sizeBytes: 8, partBytes: 4 };
    for (const number of [1, 2]) await store.parts.receive(upload, number, Readable.from([Buffer.from('1234')]));
    // The marks were cut off, but the file was not renamed yet.
    await truncate(path.join(folder, 'parts', upload.id.slice(-2), upload.id), 8);
    expect(await store.parts.arrived(upload)).toEqual([1, 2]);
    await expect(store.parts.receive(upload, 1, Readable.from([Buffer.from('5678')]))).rejects.toThrow(AlreadyJoined);
    expect(await store.parts.join(upload)).toEqual([]);
    expect((await buffer(await store.read(upload.id))).toString()).toBe('12341234');
  });
});

describe('an id', () => {
  test.each(['', '..', '../../../../etc/passwd', 'a/b', `${newUuid()}/..`, `/${newUuid().slice(1)}`, newUuid().toUpperCase()])(
    'that is none, such as %j, never becomes part of a path',
    async (id) => {
      await mkdir(path.join(folder, 'objects'), { recursive: true });
      await expect(store.write(id, Readable.from([Buffer.from('x')]))).rejects.toThrow('not the id of an object');
      await expect(store.read(id)).rejects.toThrow('not the id of an object');
      await expect(store.seal(id, id)).rejects.toThrow('not the id of an object');
      await expect(store.remove(id)).rejects.toThrow('not the id of an object');
      expect(await kept()).toEqual([]);
    },
  );
});
