import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { LEAF, leafOf, parsePolicy, type Report, verifyBundle, verifyProof } from '@waybill/proof';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Authority } from '../../../packages/proof/test/support/authority.ts';
import { MB } from '../../src/contract/limits.ts';
import type { Api } from '../support/api.ts';
import { until } from '../support/process.ts';
import { untilLogged } from '../support/proofs.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { newSigningKey, signedSend, signedWrite } from '../support/signing.ts';
import { TestWitness } from '../support/test-witness.ts';
import { announce, putStream, someBytes } from '../support/transfer.ts';

let service: TestService;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
let [one, two] = [] as unknown as [TestWitness, TestWitness];
let authority: Authority;
let policy: string;

/** OpenSSL plays the timestamp authority. Debian's images have it. */
const stamps = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(authority.reply(Buffer.concat(chunks)));
});

beforeAll(async () => {
  authority = new Authority();
  await new Promise<void>((resolve) => stamps.listen(0, '127.0.0.1', resolve));
  [one, two] = [await TestWitness.create('one'), await TestWitness.create('two')];
  const witnesses = `${one.line}\n${two.line}\ngroup both all one two\nquorum both`;
  const stampsAt = `http://127.0.0.1:${(stamps.address() as AddressInfo).port}/`;
  service = await startTestService({ WITNESSES: witnesses, TSA_URL: stampsAt });
  const { vkey } = (await service.anonymous.request('GET', '/.well-known/waybill.json')).body.log;
  policy = `log ${vkey}\n${witnesses}`;
  for (const witness of [one, two]) await witness.start(vkey);
  [acme, globex] = [await service.business('acme'), await service.business('globex')];
});
afterAll(async () => {
  await service.stop();
  await Promise.all([one.stop(), two.stop()]);
  stamps.close();
  stamps.closeAllConnections();
  authority.close();
});

const bundleBy = async (api: Api, { id }: { id: string }, query = '') =>
  (await untilLogged(() => api.get(`/messages/${id}/proof${query}`))).text;
const verified = (report: Report) => report.checks.filter(({ state }) => state === 'verified').map(({ part }) => part);

test('a proof has the signatures of sender and recipient, witnesses and a timestamp, and all of them verify', async () => {
  const [key, theirs] = [await newSigningKey(service, acme), await newSigningKey(service, globex)];
  const { body: sent } = await signedSend(acme, key, { to: 'globex', subject: 'Signed', json: { total: 12.5 } }, { recipient: 'globex' });
  const acknowledged = `/messages/${sent.id}/acknowledge`;
  const accepted = { status: 'accepted', content_hash: sent.content_hash, number: 1 };
  expect((await signedWrite(globex, theirs, acknowledged, accepted, { authority: new URL(service.url).host })).status).toBe(201);
  expect((await globex.api.write('POST', acknowledged, { status: 'rejected', reason: 'Out of stock' })).status).toBe(201);
  await until(async () => JSON.parse(await bundleBy(acme.api, sent)).timestamps !== undefined);
  await until(async () => JSON.parse(await bundleBy(acme.api, sent)).acknowledgements?.length === 2);
  for (const { api } of [acme, globex]) {
    const text = await bundleBy(api, sent);
    const report = await verifyBundle(text, { policy, tsaCertificates: [authority.root] });
    expect(report.checks.filter(({ state }) => state === 'failed')).toEqual([]);
    const wanted = ['content', 'inclusion', 'log', 'witnesses', 'json', 'signature', 'acknowledgement', 'chain', 'time', 'time'];
    expect(verified(report).sort()).toEqual(wanted.sort());
    // That of the rejection is missing: nobody signed it.
    expect(report.checks.filter(({ state }) => state === 'unchecked').map(({ part }) => part)).toContain('acknowledgement');
  }
  // Without the JSON, the signed request is left out. The public bundle also lacks the recipient's acknowledgements.
  const without = JSON.parse(await bundleBy(acme.api, sent, '?contents=false'));
  expect([without.json, without.signature, without.acknowledgements.length]).toEqual([undefined, undefined, 2]);
  const token = sent.receipt_url.split('/').at(-1);
  const open = await untilLogged(() => service.anonymous.get(`/receipts/${token}/proof?format=bundle`));
  expect(Object.keys(open.body).sort()).toEqual(['envelope', 'format', 'log', 'proof', 'timestamps']);
  expect((await verifyBundle(open.text, { policy })).verdict).toBe('verified');
});

test('a large file that was hashed after delivery is bound to its message', async () => {
  const size = 101 * MB;
  const { upload_id, upload_url, headers } = await announce(acme.api, { size_bytes: size });
  const [chunk, hash] = [someBytes(MB), createHash('sha256')];
  const chunks = Array.from({ length: 101 }, () => chunk);
  for (const piece of chunks) hash.update(piece);
  expect((await putStream(upload_url, { ...headers, 'content-length': size }, Readable.from(chunks))).status).toBe(200);
  const { body: sent } = await acme.api.send({ to: 'globex', files: [upload_id] });
  await until(async () => JSON.parse(await bundleBy(globex.api, sent)).files !== undefined);
  const files = [{ name: 'scan.tiff', sha256: `sha256:${hash.digest('hex')}` }];
  const report = await verifyBundle(await bundleBy(globex.api, sent), { policy, files });
  expect(report.checks.filter(({ state }) => state !== 'verified')).toEqual([]);
  // The same upload in a second message is bound to that message, too.
  const { body: again } = await acme.api.send({ to: 'globex', files: [upload_id] });
  await until(async () => JSON.parse(await bundleBy(globex.api, again)).files !== undefined);
  expect((await verifyBundle(await bundleBy(globex.api, again), { policy, files })).verdict).toBe('verified');
});

test('without its witnesses, a new message waits for some seconds, and then is proven by the log alone', async () => {
  await two.stop();
  const { body: sent } = await acme.api.send({ to: 'globex' });
  const receivedMs = Date.parse(sent.received_at);
  const path = `/receipts/${sent.receipt_url.split('/').at(-1)}/proof`;
  const { text, status } = await untilLogged(() => service.anonymous.get(path));
  expect(status).toBe(200);
  expect(Date.now() - receivedMs).toBeGreaterThan(9_000);
  const { isQuorum, witnesses } = await verifyProof(text, leafOf(LEAF.message, sent.content_hash), parsePolicy(policy));
  expect([isQuorum, witnesses.length <= 1]).toEqual([false, true]);
});
