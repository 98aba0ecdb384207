import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Canary, startCanary } from '../support/canary.ts';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { authority, type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook } from '../support/webhook-log.ts';

const [FIRST, SECOND, IPV6] = ['93.184.216.34', '1.1.1.1', '2606:4700:4700::1111'];

let nameServer: NameServer;
let receiver: Receiver;
let privateReceiver: Receiver;
let proxy: ConnectProxy;
let strict: ConnectProxy;
let service: TestService;
let canary: Canary;
let sender: TestBusiness;
let acme: TestBusiness;

/** The client certificate of the service, in the form of the setting. */
function clientCertificate() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-client-'));
  const { cert, key } = authority.issue(['waybill.test']);
  writeFileSync(path.join(folder, 'cert.pem'), cert);
  writeFileSync(path.join(folder, 'key.pem'), key);
  return { OUTBOUND_CLIENT_CERT: path.join(folder, 'cert.pem'), OUTBOUND_CLIENT_KEY: path.join(folder, 'key.pem') };
}

beforeAll(async () => {
  nameServer = await startNameServer();
  receiver = await startReceiver({ identity: authority.issue(['hook.test', 'two.test', FIRST]), clientAuthority: authority.cert });
  privateReceiver = await startReceiver();
  canary = await startCanary();
  proxy = await startConnectProxy({ tls: true, credentials: 'way bill:p@ss:word' });
  strict = await startConnectProxy({ credentials: 'a:b' });
  for (const target of [`${FIRST}:443`, `${FIRST}:8443`, `[${IPV6}]:443`]) proxy.ports.set(target, receiver.port);
  service = await startTestService({
    DNS_SERVERS: nameServer.address,
    WEBHOOK_PRIVATE_HOSTS: 'localhost',
    WEBHOOK_RETRY_DELAYS_S: '600',
    OUTBOUND_PROXY: proxy.url,
    ...clientCertificate(),
  });
  sender = await service.business('sender');
  acme = await service.business('acme');
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await strict.stop();
  await receiver.stop();
  await privateReceiver.stop();
  await canary.stop();
  await nameServer.stop();
});

/** Returns the outcome of one message to a webhook, which is deleted afterwards. */
async function delivered(url: string, fields: object = { client_certificate: true }) {
  proxy.targets.length = 0;
  const { id } = await createWebhook(acme.api, url, fields);
  expect((await sender.api.send({ to: 'acme' })).status).toBe(201);
  const [attempt] = await attemptsOf(acme.api, id, 1);
  await acme.api.request('DELETE', `/v1/webhooks/${id}`);
  return attempt;
}

describe('with OUTBOUND_PROXY', () => {
  test('the proxy is given the checked address, the receiver the name and the client certificate', async () => {
    nameServer.set('hook.test', [FIRST]);
    expect(await delivered('https://hook.test/in')).toMatchObject({ status: 'delivered', status_code: 204 });
    expect(proxy.targets).toEqual([`${FIRST}:443`]);
    const { headers, socket } = receiver.at('/in')[0] ?? {};
    expect(headers).toMatchObject({ host: 'hook.test', 'waybill-event': 'message.received' });
    expect(headers).not.toHaveProperty('proxy-authorization');
    expect(socket).toMatchObject({ authorized: true, servername: 'hook.test' });
  });

  test('the client certificate is shown to webhooks that ask for it alone, also at the same endpoint', async () => {
    nameServer.set('hook.test', [FIRST]);
    expect(await delivered('https://hook.test/in', {})).toMatchObject({ status: 'retrying', status_code: null });
    const webhook = await createWebhook(acme.api, 'https://hook.test/shown', { client_certificate: true });
    expect(webhook).toMatchObject({ client_certificate: true });
    const { body } = await acme.api.write('PATCH', `/webhooks/${webhook.id}`, { client_certificate: false });
    expect(body.client_certificate).toBe(false);
    await acme.api.request('DELETE', `/v1/webhooks/${webhook.id}`);
    expect(await delivered('https://hook.test/in')).toMatchObject({ status: 'delivered' });
    expect(await delivered('https://hook.test/in', { client_certificate: false })).toMatchObject({ status: 'retrying' });
  });

  test('an address that the proxy can’t reach is followed by the next', async () => {
    nameServer.set('two.test', [SECOND, IPV6]);
    expect(await delivered('https://two.test/next')).toMatchObject({ status: 'delivered' });
    expect(proxy.targets).toEqual([`${SECOND}:443`, `[${IPV6}]:443`]);
  });

  test('a literal address and a port of its own', async () => {
    expect(await delivered(`https://${FIRST}:8443/literal`)).toMatchObject({ status: 'delivered' });
    expect(proxy.targets).toEqual([`${FIRST}:8443`]);
  });

  test('a name that leads to a private address by the time of the attempt reaches neither the proxy nor the address', async () => {
    nameServer.set('rebound.test', [FIRST], ['127.0.0.1']);
    expect(await delivered(`https://rebound.test:${canary.port}/`)).toMatchObject({
      status: 'retrying',
      error: expect.stringMatching(/not public/),
    });
    expect(proxy.targets).toEqual([]);
    expect(canary.visits).toEqual([]);
  });

  test('private hosts are reached without it', async () => {
    expect(await delivered(privateReceiver.url('/private'))).toMatchObject({ status: 'delivered' });
    expect(proxy.targets).toEqual([]);
  });

  test('its refusal is the reason in the log', async () => {
    nameServer.set('refused.test', [SECOND]);
    expect(await delivered('https://refused.test/')).toMatchObject({
      status: 'retrying',
      status_code: null,
      error: 'the outbound proxy of the service refused the connection (502)',
    });
  });
});

test.each([
  ['plain, with a wrong password', async () => strict.url.replace('a:b', 'a:c'), /refused the connection \(407\)$/],
  ['that is not there', async () => 'http://127.0.0.1:9', /could not be reached$/],
  ['that is no proxy', async () => receiver.url().replace('https', 'http').replace(/\/$/, ''), /\((?:400|not HTTP)\)$|not be reached$/],
])('a proxy %s', async (_which, url, reason) => {
  nameServer.set('hook.test', [FIRST]);
  const other = await startTestService({ DNS_SERVERS: nameServer.address, WEBHOOK_RETRY_DELAYS_S: '600', OUTBOUND_PROXY: await url() });
  try {
    const [from, to] = [await other.business('sender'), await other.business('acme')];
    const { id } = await createWebhook(to.api, 'https://hook.test/in');
    expect((await from.api.send({ to: 'acme' })).status).toBe(201);
    const [attempt] = await attemptsOf(to.api, id, 1);
    expect(attempt).toMatchObject({ status: 'retrying', error: expect.stringMatching(reason) });
  } finally {
    await other.stop();
  }
});
