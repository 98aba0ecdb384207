import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { startTestService, type TestService } from '../../../server/test/support/service.ts';
import { Waybill } from '../../client/src/index.ts';
import { logSigner } from '../../proof/test/support/keys.ts';
import { CommandLine } from './support/command-line.ts';

const JSON_TEXT = '{ "big": 12345678901234567890,\n "total": 1.0 }';
const globexParty = { kind: 'handle', handle: 'globex', display_name: 'Globex' };
const MINIMAL_LIE = {
  detail: 'minimal',
  id: 'msg_00000000000000000000000001',
  from: { party: globexParty },
  to: { party: globexParty },
  json_sha256: null,
  json_bytes_sha256: null,
  files: [],
  received_at: '2020-01-01T00:00:00.000Z',
  receipt_url: '',
};

const folder = temporaryFolder();
const anybody = new CommandLine({ HOME: temporaryFolder() });
let service: TestService;
let sender: Waybill;
let vkey: string;

beforeAll(async () => {
  service = await startTestService();
  sender = new Waybill({ baseUrl: service.url, key: (await service.business('acme')).secret });
  await service.business('globex');
  vkey = (await service.anonymous.request('GET', '/.well-known/waybill.json')).body.log.vkey;
});
afterAll(() => service.stop());

test('a receipt is recomputed, and found in a log that you trust, without an API key', async () => {
  const bytes = randomBytes(1_000);
  writeFileSync(path.join(folder, 'proof.bin'), bytes);
  const { receipt_url } = await sender.send({ to: 'globex', jsonText: JSON_TEXT, files: [new Blob([bytes])] });
  const good = ['receipt', 'verify', receipt_url, '--data', JSON_TEXT, '--file', path.join(folder, 'proof.bin')];
  expect((await anybody.succeed(...good, '--vkey', vkey)).stdout).toMatch(
    /content_hash matches[\s\S]*The JSON matches, byte for byte\n.*proof.bin matches\nok {3}content [\s\S]*ok {3}json +The JSON that you gave[\s\S]*Verified\n$/,
  );
  const written = ['receipt', 'verify', receipt_url, '--data', ` ${JSON_TEXT.replace('{', '{ ').replace('7890,', '7000,')}`];
  expect((await anybody.succeed(...written, '--vkey', vkey)).stdout).toMatch(
    /The JSON matches as a value, but not byte for byte[\s\S]*^–.* json .*but not its bytes/m,
  );
  // Without a trusted key, it is the word of the service alone. By the key of another log, it is wrong.
  const open = await anybody.run(good);
  expect([open.code, open.stdout]).toEqual([6, expect.stringMatching(/content_hash matches[\s\S]*^Not verified: no trusted key/m)]);
  expect(JSON.parse((await anybody.run([...good, '--json'])).stdout)).toMatchObject({
    content: 'matches',
    verdict: 'untrusted',
    ok: false,
  });
  const otherLog = await anybody.run([...good, '--vkey', logSigner(vkey.split('+')[0] ?? '', 'forger').vkey]);
  expect([otherLog.code, otherLog.stdout]).toEqual([1, expect.stringContaining('FAIL inclusion')]);
  const other = await anybody.run(['receipt', 'verify', receipt_url, '--data', '{"big":1}', '--json']);
  expect([other.code, JSON.parse(other.stdout)]).toMatchObject([1, { content: 'matches', json: 'differs', ok: false }]);
});

test('JSON from which others may read another value is not verified, with and without a key to trust', async () => {
  const { receipt_url } = await sender.send({ to: 'globex', jsonText: '{"a":2,"big":10000000000000000}' });
  for (const data of ['{"a":1,"a":2,"big":10000000000000000}', '{"a":2,"big":10000000000000001}'])
    for (const trust of [['--vkey', vkey], []]) {
      const { code, stdout } = await anybody.run(['receipt', 'verify', receipt_url, '--data', data, ...trust]);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/repeated keys, or numbers that a double rounds[\s\S]*Not verified\n$/)]);
      const json = await anybody.run(['receipt', 'verify', receipt_url, '--data', data, ...trust, '--json']);
      expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { verdict: 'failed', ok: false, json_bytes: 'differs' }]);
    }
});

test('a minimal receipt verifies nothing but its hash: anybody can show one with a hash that the log has', async () => {
  const { receipt_url } = await sender.send({ to: 'globex', jsonText: JSON_TEXT });
  const proof = await sender.receiptProof(receipt_url);
  const { content_hash } = await sender.receipt(receipt_url);
  const liar = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url.includes('format=bundle'))
      response.writeHead(403).end('{"error":{"code":"forbidden","message":"Minimal.","request_id":"req_1"}}');
    else response.end(url.endsWith('/proof') ? proof : JSON.stringify({ ...MINIMAL_LIE, content_hash }));
  });
  await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
  const lie = `http://127.0.0.1:${(liar.address() as AddressInfo).port}/r/${receipt_url.split('/').at(-1)}`;
  const believed = await anybody.run(['receipt', 'verify', lie, '--vkey', vkey]);
  liar.close();
  expect([believed.code, believed.stdout]).toEqual([6, expect.stringMatching(/^ok {3}inclusion [\s\S]*^Not verified: .*minimal receipt/m)]);
});
