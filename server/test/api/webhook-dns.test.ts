import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Canary, startCanary } from '../support/canary.ts';
import { type NameServer, type Reply, startNameServer } from '../support/name-server.ts';
import { type Receiver, startReceiver, withStatus } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook } from '../support/webhook-log.ts';

const PUBLIC_IPV4 = '93.184.216.34';
const PUBLIC_IPV6 = '2606:2800:220:1:248:1893:25c8:1946';
const NOT_PUBLIC = /has an address that is not public/;
const NO_ADDRESS = /has no address/;
const NO_LOOK_UP = /could not be looked up/;
/** A delivery and a registration are limited to ten seconds. The rest is for a busy machine. */
const PATIENCE_MS = 15_000;

let service: TestService;
let canary: Canary;
let nameServer: NameServer;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;

beforeAll(async () => {
  nameServer = await startNameServer();
  canary = await startCanary();
  receiver = await startReceiver({ plain: true });
  service = await startTestService({ DNS_SERVERS: nameServer.address, WEBHOOK_PRIVATE_HOSTS: 'localhost' });
  sender = await service.business('sender');
  acme = await service.business('acme');
});
afterAll(async () => {
  // All work that the tests have started is over by now, or ends here.
  await service.stop();
  await receiver.stop();
  await canary.stop();
  await nameServer.stop();
});

/** A URL at the port of the canary, which notices every connection to this machine. */
const urlOf = (name: string) => `https://${name}:${canary.port}/hook`;

async function deliverTo(business: TestBusiness): Promise<void> {
  expect((await sender.api.send({ to: business.handle, type: 'note' })).status).toBe(201);
}

/** The log entry of the only attempt of each webhook. */
async function firstAttempts(business: TestBusiness, ids: string[]) {
  const logs = await Promise.all(ids.map((id) => attemptsOf(business.api, id, 1)));
  return logs.map(([attempt]) => attempt);
}

async function create(name: string, ...replies: [Reply, ...Reply[]]) {
  nameServer.set(name, ...replies);
  const begun = performance.now();
  const response = await acme.api.write('POST', '/webhooks', { url: urlOf(name) });
  expect(performance.now() - begun).toBeLessThan(PATIENCE_MS);
  return response;
}

async function expectRefused(why: RegExp, name: string, ...replies: [Reply, ...Reply[]]): Promise<void> {
  const response = await create(name, ...replies);
  expectRefusal(response, 'invalid_webhook_url');
  expect(response.body.error.message, name).toMatch(why);
  expect(response.body.error.message).toContain(`The host ${name} `);
  expect((await acme.api.get('/webhooks')).body.data).toEqual([]);
  expect(canary.visits).toEqual([]);
}

describe('POST /webhooks with a name', () => {
  test.each<[string, Reply]>([
    ['an IPv4 address', [PUBLIC_IPV4]],
    ['an IPv6 address', [PUBLIC_IPV6]],
    ['several of both', [PUBLIC_IPV4, '1.1.1.1', PUBLIC_IPV6, '2606:4700:4700::1111']],
    ['another name for them', { alias: 'public.test' }],
    ['a DNS response that takes more than a second', { lateMs: 1_200, reply: [PUBLIC_IPV4] }],
  ])('accepts one that is public: %s', async (_kind, reply) => {
    nameServer.set('public.test', [PUBLIC_IPV4, PUBLIC_IPV6]);
    const response = await create('accepted.test', reply);
    expect(response.status, response.text).toBe(201);
    expect(nameServer.questionsAbout('accepted.test').toSorted()).toEqual(['A', 'AAAA']);
    expect((await acme.api.request('DELETE', `/v1/webhooks/${response.body.id}`)).status).toBe(204);
  });

  const specialAddresses = `
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.0.0.2 127.255.255.255 168.63.129.16 169.254.169.254
    172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 ::ffff:7f00:1 ::ffff:a9fe:a9fe ::ffff:a00:1 ::ffff:808:808 ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
    64:ff9b:1::7f00:1 100::1 2001::1 2001:0:4136:e378:8000:63bf:80ff:fffe 2001:2::1 2001:db8::1 2002:7f00:1::1 2002:a9fe:a9fe::1 3fff::1
    2600:1234::5efe:7f00:1 2600:1234::200:5efe:a9fe:a9fe 2600:1234:5:6:0:5efe:: fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 5f00::1`;

  test('refuses names with an address of each special network', async () => {
    for (const [i, address] of specialAddresses.trim().split(/\s+/).entries())
      await expectRefused(NOT_PUBLIC, `n${i}.special.test`, [address]);
  });

  test.each<[string, Reply]>([
    ['an IPv4 address after a public one', [PUBLIC_IPV4, '127.0.0.1']],
    ['an IPv4 address before a public one', ['127.0.0.1', PUBLIC_IPV4]],
    ['an IPv6 address beside a public IPv4 address', [PUBLIC_IPV4, '::1']],
    ['an IPv4 address beside a public IPv6 address', ['127.0.0.1', PUBLIC_IPV6]],
    ['an IPv6 address after a public one', [PUBLIC_IPV6, '::1']],
    ['IPv4 in IPv6 beside public ones', [PUBLIC_IPV4, PUBLIC_IPV6, '::ffff:7f00:1']],
    // Too many addresses for UDP, so the rest comes by TCP.
    ['the last of two hundred', [...Array.from({ length: 199 }, (_, i) => `93.184.216.${i + 1}`), '127.0.0.1']],
    ['an address behind another name', { alias: 'loopback.test' }],
    ['an address behind several names', { alias: 'chain.test' }],
    ['an address behind a name of IPv6 only', { alias: 'mapped.test' }],
    ['an address behind localhost', { alias: 'localhost' }],
    ['a slow DNS response', { lateMs: 700, reply: ['127.0.0.1'] }],
  ])('refuses one with a private address: %s', async (_kind, reply) => {
    nameServer.set('loopback.test', ['127.0.0.1']);
    nameServer.set('mapped.test', ['::ffff:7f00:1']);
    nameServer.set('chain.test', { alias: 'chain2.test' });
    nameServer.set('chain2.test', { alias: 'loopback.test' });
    nameServer.set('localhost', ['127.0.0.1', '::1']);
    await expectRefused(NOT_PUBLIC, 'mixed.test', reply);
  });

  test('asks nobody about names of one label or with a dot at the end', async () => {
    for (const name of ['public', 'dotted.test', 'localhost']) nameServer.set(name, [PUBLIC_IPV4]);
    for (const name of ['public', 'PUBLIC', 'dotted.test.', 'localhost.'])
      expectRefusal(await acme.api.write('POST', '/webhooks', { url: urlOf(name) }), 'invalid_webhook_url');
    expect(['public', 'dotted.test', 'localhost'].flatMap(nameServer.questionsAbout)).toEqual([]);
  });
});

/** Registers names that are public for now, and delivers when they no longer are. */
async function expectFailures(business: TestBusiness, flips: [Reply, RegExp][]): Promise<void> {
  const nameOf = (i: number) => `flip${i}-${business.handle}.test`;
  const ids: string[] = [];
  for (const [i, [reply]] of flips.entries()) {
    nameServer.set(nameOf(i), [PUBLIC_IPV4]);
    ids.push((await createWebhook(business.api, urlOf(nameOf(i)))).id);
    nameServer.set(nameOf(i), reply);
  }
  await deliverTo(business);
  for (const [i, attempt] of (await firstAttempts(business, ids)).entries()) {
    const [reply, why] = flips[i] as [Reply, RegExp];
    expect(attempt, JSON.stringify(reply)).toMatchObject({ status: 'retrying', attempt: 1, status_code: null });
    expect(attempt?.error).toMatch(why);
    expect(attempt?.error).toContain(`The host ${nameOf(i)} `);
    expect(attempt?.response_ms).toBeLessThan(PATIENCE_MS);
  }
  expect(canary.visits).toEqual([]);
}

// Concurrent, because some tests take the whole time limit.
describe.concurrent('a name that can’t be looked up', () => {
  const lost: [Reply, RegExp][] = [
    [{ error: 'NXDOMAIN' }, NO_ADDRESS],
    [[], NO_ADDRESS],
    [{ alias: 'nowhere.test' }, NO_ADDRESS],
    [{ alias: 'circle.test' }, /has no address|could not be looked up/],
    [{ error: 'SERVFAIL' }, NO_LOOK_UP],
    [{ error: 'REFUSED' }, NO_LOOK_UP],
    [{ error: 'FORMERR' }, NO_LOOK_UP],
    [{ garbage: true }, NO_LOOK_UP],
    [{ silence: true }, NO_LOOK_UP],
    [{ lateMs: 9_000, reply: [PUBLIC_IPV4] }, NO_LOOK_UP],
  ];
  beforeAll(() => nameServer.set('circle.test', { alias: 'circle.test' }));

  test('is refused by POST /webhooks, soon and without a fault', async () => {
    await Promise.all(lost.map(([reply, why], i) => expectRefused(why, `lost${i}.test`, reply)));
  });

  test('fails a delivery, soon and with the reason in the log', async () => {
    await expectFailures(await service.business('unresolved'), lost);
  });
});

describe('a delivery', () => {
  test('does not reach a name that has become private since it was registered', async () => {
    const rebound = await service.business('rebound');
    const flips: [Reply, RegExp][] = [
      [['127.0.0.1'], NOT_PUBLIC],
      [['127.0.0.2'], NOT_PUBLIC],
      [['0.0.0.0'], NOT_PUBLIC],
      [['::1'], NOT_PUBLIC],
      [['::ffff:7f00:1'], NOT_PUBLIC],
      [['169.254.169.254'], NOT_PUBLIC],
      [[PUBLIC_IPV4, '127.0.0.1'], NOT_PUBLIC],
      [['127.0.0.1', PUBLIC_IPV4], NOT_PUBLIC],
      [[PUBLIC_IPV4, '::1'], NOT_PUBLIC],
      [['127.0.0.1', PUBLIC_IPV6], NOT_PUBLIC],
      [{ alias: 'home.test' }, NOT_PUBLIC],
      [{ lateMs: 700, reply: ['127.0.0.1'] }, NOT_PUBLIC],
    ];
    nameServer.set('home.test', ['127.0.0.1', '::1']);
    await expectFailures(rebound, flips);
  });

  test('looks a name up once, and connects to what was found then', async () => {
    const once = await service.business('once');
    // The address looks public but is not assigned, so a connection fails.
    nameServer.set('twice.test', [PUBLIC_IPV6], ['3000::1'], ['127.0.0.1', '::1']);
    const { id } = await createWebhook(once.api, urlOf('twice.test'));
    expect(nameServer.questionsAbout('twice.test')).toHaveLength(2);
    await deliverTo(once);
    const [attempt] = await firstAttempts(once, [id]);
    expect(attempt).toMatchObject({ status: 'retrying', status_code: null });
    expect(attempt?.error).not.toContain('The host');
    expect(nameServer.questionsAbout('twice.test').toSorted()).toEqual(['A', 'A', 'AAAA', 'AAAA']);
    expect(canary.visits).toEqual([]);
  });

  test('does not reach private addresses that stand in the database, as if an older release had let them in', async () => {
    const legacy = await service.business('legacy');
    nameServer.set('legacy.test', [PUBLIC_IPV4]);
    nameServer.set('loopback.test', ['127.0.0.1', '::1']);
    const at = (hosts: string[], scheme = 'https') => hosts.map((host) => `${scheme}://${host}:${canary.port}/`);
    const urls = [
      ...at([
        '127.0.0.1',
        '127.0.0.2',
        '127.1',
        '0x7f000001',
        '2130706433',
        '0177.0.0.1',
        '１２７。0。0。1',
        '%31%32%37.0.0.1',
        '0.0.0.0',
        '0',
      ]),
      ...at(['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1%25lo]']),
      ...at([
        'localhost.',
        'x.localhost',
        'localhost.localdomain',
        'loopback.test',
        'intranet',
        'user:pw@localhost',
        'legacy.test@127.0.0.1',
      ]),
      ...at(['127.0.0.1', '127.0.0.2', '[::1]', 'localhost.', 'x.localhost', 'loopback.test', 'legacy.test'], 'http'),
      ...at(['localhost', '127.0.0.1'], 'ftp'),
      ...['file:///etc/passwd', 'https://', 'nonsense', ''],
    ];
    const ids: string[] = [];
    for (const [i, url] of urls.entries()) {
      const registered = `https://legacy.test/${i}`;
      ids.push((await createWebhook(legacy.api, registered)).id);
      await service.sql('UPDATE webhooks SET url = $2 WHERE url = $1', [registered, url]);
    }
    const control = await createWebhook(legacy.api, receiver.url('/control'));
    await deliverTo(legacy);
    for (const [i, attempt] of (await firstAttempts(legacy, ids)).entries()) {
      expect(attempt, urls[i]).toMatchObject({ status: 'retrying', attempt: 1, status_code: null });
      expect(attempt?.error, urls[i]).toMatch(/public|full domain name|end with a dot|https:\/\/|user name|not a URL|has no address/);
    }
    expect(await firstAttempts(legacy, [control.id])).toMatchObject([{ status: 'delivered', status_code: 204 }]);
    expect(canary.visits).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect with status %i from a host that it may reach', async (status) => {
    const led = await service.business(`led-${status}`);
    const places = [
      `http://127.0.0.1:${canary.port}/`,
      `https://127.0.0.1:${canary.port}/`,
      `http://localhost:${canary.port}/`,
      `//[::1]:${canary.port}/`,
    ];
    receiver.respond = (delivery, response, request) => {
      const place = places[Number(delivery.path.slice(1))];
      withStatus(place === undefined ? 204 : status, place === undefined ? {} : { location: place })(delivery, response, request);
    };
    const before = receiver.deliveries.length;
    const ids: string[] = [];
    for (const i of places.keys()) ids.push((await createWebhook(led.api, receiver.url(`/${i}`))).id);
    await deliverTo(led);
    for (const attempt of await firstAttempts(led, ids)) {
      expect(attempt).toMatchObject({ status: 'retrying', status_code: status });
      expect(attempt?.error).toMatch(/redirects are not followed/);
    }
    expect(receiver.deliveries.length - before).toBe(places.length);
    expect(canary.visits).toEqual([]);
  });

  test('would have been noticed by the canary', async () => {
    const direct = await service.business('direct');
    const { id } = await createWebhook(direct.api, `http://localhost:${canary.port}/`);
    await deliverTo(direct);
    expect(await firstAttempts(direct, [id])).toMatchObject([{ status: 'retrying', status_code: null }]);
    // No other connection has come meanwhile.
    expect(canary.visits).toHaveLength(1);
    expect(['127.0.0.1', '::1']).toContain(canary.visits[0]);
  });
});
