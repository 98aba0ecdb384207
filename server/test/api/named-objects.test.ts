import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NamedObjects } from '../../src/platform/objects/named-objects.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { isGivenS3 } from '../support/s3-server.ts';

/** The S3 server of the tests ignores conditions of a PUT. `npm run test:s3` tests them with a real one. */
const comparing = places.filter((place) => place === 'folder' || isGivenS3);
const newName = () => `test/${randomBytes(8).toString('hex')}`;

describe.each(places)('named objects in a %s', (place) => {
  let service: FileService;
  let named: NamedObjects;
  beforeAll(async () => {
    service = await startFileService(place);
    named = service.objects.named;
  });
  afterAll(() => service.stop());

  test('are read as they were written', async () => {
    const [name, bytes] = [newName(), randomBytes(8_192)];
    expect(await named.get(name)).toBeUndefined();
    await named.put(name, bytes);
    await named.put(name, bytes);
    expect(await named.get(name)).toEqual(bytes);
  });

  test.each(['', '../x', 'a/../b', '/a', 'a//b', 'a/', 'A', 'a b', 'a\0'])('have no name like %j', async (name) => {
    await expect((async () => named.put(name, Buffer.from('x')))()).rejects.toThrow('not the name');
    await expect((async () => named.get(name))()).rejects.toThrow('not the name');
  });

  test('are not read if they are too large', async () => {
    const name = newName();
    await named.put(name, Buffer.alloc(65_537));
    await expect(named.get(name)).rejects.toThrow('too');
  });

  test('a head has a new version each time', async () => {
    const name = newName();
    expect(await named.readHead(name)).toBeUndefined();
    for (let n = 0; n < 12; n++) {
      const head = await named.readHead(name);
      expect(await named.replaceHead(name, Buffer.from(`v${n}`), head?.version)).toBe(true);
      expect((await named.readHead(name))?.bytes.toString()).toBe(`v${n}`);
      expect((await named.readHead(name))?.version).not.toBe(head?.version);
    }
  });
});

describe.each(comparing)('the head in a %s', (place) => {
  let service: FileService;
  let named: NamedObjects;
  beforeAll(async () => {
    service = await startFileService(place);
    named = service.objects.named;
  });
  afterAll(() => service.stop());

  test('is replaced only from the version that was read', async () => {
    const name = newName();
    expect(await named.replaceHead(name, Buffer.from('first'), undefined)).toBe(true);
    expect(await named.replaceHead(name, Buffer.from('other'), undefined)).toBe(false);
    const first = await named.readHead(name);
    expect(await named.replaceHead(name, Buffer.from('second'), first?.version)).toBe(true);
    expect(await named.replaceHead(name, Buffer.from('late'), first?.version)).toBe(false);
    const second = await named.readHead(name);
    expect(await named.replaceHead(name, Buffer.from('third'), second?.version)).toBe(true);
    // By now, the file name of the second version is free again in a folder.
    expect(await named.replaceHead(name, Buffer.from('very late'), first?.version)).toBe(false);
    expect((await named.readHead(name))?.bytes.toString()).toBe('third');
  });

  test('is replaced by one of many that try at once', async () => {
    const name = newName();
    for (let round = 0; round < 10; round++) {
      const head = await named.readHead(name);
      const tries = Array.from({ length: 8 }, (_, n) => named.replaceHead(name, Buffer.from(`${round} ${n}`), head?.version));
      const won = (await Promise.all(tries)).flatMap((isMine, n) => (isMine ? [n] : []));
      expect(won).toHaveLength(1);
      expect((await named.readHead(name))?.bytes.toString()).toBe(`${round} ${won[0]}`);
    }
  });
});
