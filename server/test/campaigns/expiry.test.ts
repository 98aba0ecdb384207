import { verifyBundle } from '@waybill/proof';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXPIRY_LOOKED_AT_AFTER_S } from '../../src/contract/limits.ts';
import { chainInProof } from '../support/chains.ts';
import { untilLogged } from '../support/proofs.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let receiver: Receiver;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  receiver = await startReceiver();
  [acme, globex] = [await service.business('acme'), await service.business('globex')];
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

test('a message expires by itself once its time is over, and not before; its proof verifies', { timeout: 600_000 }, async () => {
  await acme.api.write('POST', '/webhooks', { url: receiver.url('/expired'), events: ['message.expired'] });
  const { body: message } = await acme.api.send({ to: 'globex', json: { n: 1 }, expires_in: 60 });
  const expired = async () => (await globex.api.get(`/messages/${message.id}/acknowledgements`)).body.expired;
  await expect.poll(expired, { timeout: 300_000, interval: 1_000 }).not.toBeNull();
  const lateMs = Date.parse((await expired()).at) - Date.parse(message.expires_at);
  expect(lateMs).toBeGreaterThanOrEqual(EXPIRY_LOOKED_AT_AFTER_S * 1_000);
  await expect.poll(() => receiver.at('/expired').map(({ body }) => JSON.parse(body.toString()).id)).toEqual([message.id]);
  expect((await chainInProof(acme.api, message.id, 1)).map(({ member }) => member)).toEqual(['expiry']);
  const { body: description } = await service.anonymous.request('GET', '/.well-known/waybill.json');
  const proof = await untilLogged(() => acme.api.get(`/messages/${message.id}/proof`));
  expect(await verifyBundle(proof.text, { vkeys: [description.log.vkey] })).toMatchObject({ verdict: 'verified' });
});
