import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEY_TYPE, verifierKey } from '@waybill/proof';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askForCosignature, WitnessRefusal } from '../../src/modules/attestations/witness-request.ts';
import { SmallLog } from '../support/small-log.ts';
import { TestWitness } from '../support/test-witness.ts';

type Doing = (response: ServerResponse) => void;

const log = new SmallLog('log.example/log').add(300);
let respond: Doing;
let bodies: string[] = [];
const server = http.createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  bodies.push(body);
  respond(response);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const checkpoint = async (size = log.entries.length) => ({
  size,
  note: await log.checkpoint(size),
  readTile: async (level: number, index: number, width: number) => log.tile(level, index, width),
});
const ask = async (doing: Doing, knownSize = 0) => {
  respond = doing;
  bodies = [];
  const { port } = server.address() as AddressInfo;
  const key = verifierKey('bad.example', KEY_TYPE.cosignature, Buffer.alloc(32, 3));
  return askForCosignature(
    { name: 'bad', key, url: `http://127.0.0.1:${port}` },
    await checkpoint(),
    knownSize,
    new AbortController().signal,
  );
};
const withText =
  (status: number, body: string): Doing =>
  (response) =>
    response.writeHead(status).end(body);
const endless: Doing = (response) => {
  const write = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', write);
  write();
};

test.each<[string, Doing, RegExp]>([
  ['responds with 500', withText(500, ''), /responded with 500/],
  ['responds with nothing', withText(200, ''), /without a valid cosignature/],
  [
    'responds with a wrong signature',
    withText(200, `— bad.example ${Buffer.alloc(76, 1).toString('base64')}\n`),
    /without a valid cosignature/,
  ],
  ['claims to be somewhere', withText(409, 'many\n'), /409 without a tree size/],
  ['says 409 for ever', withText(409, '1\n'), /409 twice/],
  ['leads elsewhere', (response) => response.writeHead(307, { location: '/' }).end(), /responded with 307/],
  ['sends without end', endless, /more than 16384 bytes/],
  ['breaks off', (response) => response.destroy(), /./],
  ['says nothing', () => {}, /timeout/],
])('a witness that %s has failed, and no more', async (_, doing, failure) => {
  const failed = ask(doing);
  await expect(failed).rejects.toThrow(failure);
  await expect(failed).rejects.not.toBeInstanceOf(WitnessRefusal);
});

test.each<[string, Doing, RegExp]>([
  ['has cosigned more than the log has', withText(409, '301\n'), /has cosigned 301 leaves, and the log has 300/],
  ['finds another history', withText(422, ''), /another history/],
])('a witness that %s refuses, which is looked into', async (_, doing, failure) => {
  const refused = ask(doing);
  await expect(refused).rejects.toThrow(failure);
  await expect(refused).rejects.toBeInstanceOf(WitnessRefusal);
});

test('a witness is told from which size it must follow, as it says itself', async () => {
  const witness = await TestWitness.create('good');
  await witness.start(log.vkey);
  const address = { name: 'good', key: witness.key.verifier, url: `http://127.0.0.1:${witness.port}` };
  const signal = new AbortController().signal;
  for (const [size, known] of [
    [100, 0],
    [200, 100],
    [250, 0],
    [300, 999],
  ] as const) {
    const { name, signature } = await askForCosignature(address, await checkpoint(size), known, signal);
    expect([name, signature.length]).toEqual(['good.example', 72]);
  }
  await expect(askForCosignature(address, await checkpoint(200), 0, signal)).rejects.toThrow(
    'has cosigned 300 leaves, and the log has 200',
  );
  await witness.stop();
});
