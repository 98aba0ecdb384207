import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '../../src/contract/ids.ts';
import { Slots } from '../../src/platform/fairness/slots.ts';
import { FolderStore } from '../../src/platform/objects/folder-store.ts';
import { UrlSigner } from '../../src/platform/objects/url-signer.ts';

/** A program that fills a folder until it is killed, and prints which objects are there. Each object repeats its own id. */
const [folder = '', sizeBytes = '0'] = process.argv.slice(2);
const turns = new Slots(1);
const store = new FolderStore(folder, new UrlSigner(Buffer.alloc(32)), '', (_name, work) => turns.take(work));

const PIECES = 16;

function* pieces(id: string): Generator<Buffer> {
  const piece = Buffer.alloc(Number(sizeBytes) / PIECES, id);
  for (let i = 0; i < PIECES; i++) yield piece;
}

async function fill(write: (id: string, bytes: Readable) => Promise<unknown>): Promise<never> {
  for (;;) {
    const id = newUuid();
    await write(id, Readable.from(pieces(id), { objectMode: false }));
    process.stdout.write(`${id}\n`);
  }
}

// Only the first half of this object ever comes.
const half = new Readable({ read() {} });
half.push('the first half');
void store.write(newUuid(), half);
while ((await readdir(path.join(folder, 'aside')).catch(() => [])).length === 0) await sleep(1);

void fill((id, bytes) => store.write(id, bytes));
void fill(async (id, bytes) => {
  await store.receive(id, bytes, Number(sizeBytes));
  await store.seal(id, id);
});
