import { Readable } from 'node:stream';
import { newUuid } from '../../src/contract/ids.ts';
import { Slots } from '../../src/platform/fairness/slots.ts';
import { FolderStore } from '../../src/platform/objects/folder-store.ts';
import { UrlSigner } from '../../src/platform/objects/url-signer.ts';

/**
 * A program that writes upload parts until it is killed. For each upload it prints when the first part is there, while it writes the second
 * repeatedly. A part is one character, repeated.
 */
const [folder = '', partBytes = '0'] = process.argv.slice(2);
const turns = new Slots(1);
const store = new FolderStore(folder, new UrlSigner(Buffer.alloc(32)), '', (_name, work) => turns.take(work));

for (;;) {
  const id = newUuid();
  const upload = { id, ref: id, sizeBytes: 2 * Number(partBytes), partBytes: Number(partBytes) };
  const receive = (number: number, fill: string) =>
    store.parts.receive(upload, number, Readable.from([Buffer.alloc(Number(partBytes), fill)], { objectMode: false }));
  await receive(1, 'a');
  process.stdout.write(`${id}\n`);
  for (const fill of ['b', 'c', 'd', 'e']) await receive(2, fill);
}
