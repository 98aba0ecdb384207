import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../src/platform/outbound/public-address.ts';
import { type Canary, hasIpv6, startCanary } from '../support/canary.ts';
import { hostileUrls } from '../support/hostile-urls.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { startReceiver } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook } from '../support/webhook-log.ts';

let service: TestService;
let canary: Canary;
let nameServer: NameServer;
let acme: TestBusiness;

beforeAll(async () => {
  nameServer = await startNameServer();
  nameServer.set('public.test', ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946']);
  canary = await startCanary();
  service = await startTestService({ DNS_SERVERS: nameServer.address });
  acme = await service.business('acme');
});
afterAll(async () => {
  await service.stop();
  await canary.stop();
  await nameServer.stop();
});

const create = (url: string, api = acme.api) => api.write('POST', '/webhooks', { url });
const loopbacks = ['127.0.0.1', '127.0.0.2', '127.45.67.89', ...(hasIpv6 ? ['::1'] : [])];

describe('POST /webhooks', () => {
  const kinds = hostileUrls(0).map(({ kind }) => kind);

  test('has a corpus of well over 150 URLs to refuse', () => {
    const urls = hostileUrls(1).flatMap((kind) => kind.urls);
    expect(new Set(urls).size).toBe(urls.length);
    expect(urls.length).toBeGreaterThan(350);
  });

  test.each(kinds)('refuses %s, says why, and connects to nothing', async (kind) => {
    const { urls, why } = hostileUrls(canary.port).find((other) => other.kind === kind) as { urls: string[]; why: RegExp };
    for (const url of urls) {
      const response = await create(url);
      expectRefusal(response, 'invalid_webhook_url');
      expect(response.body.error.message, JSON.stringify(url)).toMatch(why);
    }
    expect((await acme.api.get('/webhooks')).body.data).toEqual([]);
    expect(canary.visits).toEqual([]);
  });

  test.each(loopbacks)('would have been noticed by the canary at %s', async (host) => {
    expect(await canary.notices(host)).toBe(true);
  });

  // Without these accepted URLs, a service that refuses everything would pass.
  test.each([
    'https://public.test/hook',
    'https://public.test:8443/hook?a=1',
    'HTTPS://PUBLIC.test',
    'https://ｐublic.test/',
    'https://93.184.216.34/hook',
    'https://0x5d.0xb8.0xd8.0x22/hook',
    'https://[2606:2800:220:1:248:1893:25c8:1946]:8443/hook',
  ])('accepts %s', async (url) => {
    const { status, body } = await create(url);
    expect([status, body.url]).toEqual([201, url]);
    expect((await acme.api.request('DELETE', `/v1/webhooks/${body.id}`)).status).toBe(204);
  });

  test.each([
    ['in the path', 'https://public.test/a\u0000b'],
    ['before the scheme', '\u0000https://public.test/'],
    ['at the end', 'https://public.test/\u0000'],
  ])('refuses a NUL %s, which no database keeps', async (_where, url) => {
    expectInvalid(await create(url), 'url');
  });
});

describe('WEBHOOK_PRIVATE_HOSTS', () => {
  /** The response of another process, which has other private hosts, to the URLs. */
  async function accepted(privateHosts: string, urls: string[]): Promise<Record<string, boolean>> {
    const other = await service.sibling({ WEBHOOK_PRIVATE_HOSTS: privateHosts });
    try {
      const outcomes: Record<string, boolean> = {};
      for (const url of urls) {
        const response = await create(url, acme.api.at(other.url));
        if (response.status === 201) await acme.api.request('DELETE', `/v1/webhooks/${response.body.id}`);
        else expectRefusal(response, 'invalid_webhook_url');
        outcomes[url] = response.status === 201;
      }
      return outcomes;
    } finally {
      await other.stop();
    }
  }
  const expectations = (yes: string[], no: string[]) => ({
    ...Object.fromEntries(yes.map((url) => [url, true])),
    ...Object.fromEntries(no.map((url) => [url, false])),
  });

  test.each([
    {
      listed: 'localhost',
      yes: ['http://localhost:1/', 'https://localhost:1/', 'http://LOCALHOST/', 'http://ⓛocalhost/'],
      no: [
        ...['http://localhost./', 'https://localhost./', 'https://x.localhost/', 'http://x.localhost/', 'https://localhost.localdomain/'],
        ...['http://127.0.0.1/', 'https://127.0.0.1/', 'https://127.1/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/'],
        ...['http://user@localhost/', 'http://user:pw@localhost/', 'ftp://localhost/', 'ws://localhost/', 'http://public.test/'],
      ],
    },
    {
      listed: '127.0.0.1',
      yes: ['http://127.0.0.1:1/', 'https://127.0.0.1/', 'http://127.1/', 'http://0x7f000001/', 'http://2130706433/', 'http://127.0.0.1./'],
      no: [
        ...['http://127.0.0.2/', 'https://127.0.0.2/', 'https://127.2/', 'http://0.0.0.0/', 'http://localhost/', 'https://localhost/'],
        ...['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[64:ff9b::127.0.0.1]/', 'https://127.0.0.1.nip.test/'],
      ],
    },
    {
      listed: '::1',
      yes: ['http://[::1]:1/', 'https://[::1]/', 'http://[0:0:0:0:0:0:0:1]/', 'http://[::0.0.0.1]/'],
      no: [
        'http://[::]/',
        'http://[::2]/',
        'https://[::ffff:0.0.0.1]/',
        'https://[64:ff9b::1]/',
        'http://127.0.0.1/',
        'http://localhost/',
        'http://0.0.0.1/',
      ],
    },
    {
      listed: 'Hooks.Internal.test, 10.1.2.3, fd00:0::8',
      yes: ['http://hooks.internal.test/', 'http://10.1.2.3:8080/', 'http://[fd00::8]/'],
      no: [
        ...['https://internal.test/', 'https://a.hooks.internal.test/', 'https://hooks.internal.test./', 'https://hooks-internal.test/'],
        ...['https://10.1.2.4/', 'https://10.1.2.30/', 'https://[fd00::80]/', 'https://[fd00::9]/', 'http://public.test/'],
      ],
    },
  ])('allows $listed, and what looks like it not', async ({ listed, yes, no }) => {
    expect(await accepted(listed, [...yes, ...no])).toEqual(expectations(yes, no));
  });

  test('lets deliveries reach the listed addresses, in any spelling and without HTTPS', async () => {
    const receiver = await startReceiver({ plain: true });
    const other = await startTestService({ DNS_SERVERS: nameServer.address, WEBHOOK_PRIVATE_HOSTS: '127.0.0.1,::1' });
    const visited = await startCanary();
    try {
      const globex = await other.business('globex');
      const hooks = [];
      for (const host of ['127.0.0.1', '127.1', '0x7f000001'])
        hooks.push(await createWebhook(globex.api, `http://${host}:${receiver.port}/${host}`));
      const beyond = hasIpv6 ? [await createWebhook(globex.api, `http://[0:0::1]:${visited.port}/`)] : [];
      expect((await (await other.business('initech')).api.send({ to: 'globex', type: 'note' })).status).toBe(201);
      for (const { id } of hooks) expect(await attemptsOf(globex.api, id, 1)).toMatchObject([{ status: 'delivered', status_code: 204 }]);
      expect(receiver.deliveries.map(({ path }) => path).toSorted()).toEqual(['/0x7f000001', '/127.0.0.1', '/127.1']);
      for (const { id } of beyond) expect(await attemptsOf(globex.api, id, 1)).toMatchObject([{ status: 'retrying', status_code: null }]);
      expect(visited.visits).toEqual(beyond.map(() => '::1'));
    } finally {
      await other.stop();
      await receiver.stop();
      await visited.stop();
    }
  });
});

describe('a public address', () => {
  const special = `
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
    192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
    ::/128 ::1/128 ::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 ::/8 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 200::/7 400::/6 800::/5
    1000::/4 2001::/32 2001::/23 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16
    2620:4f:8000::/48 3ffe::/16 3fff::/20 4000::/3 5f00::/16 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5 f800::/6 fc00::/7
    fe00::/9 fe80::/10 fec0::/10 ff00::/8`;
  const networks = special.trim().split(/\s+/);

  test.each(networks)('is none of %s: not the first, not the last, none between', (network) => {
    const { first, last, bits } = rangeOf(network);
    const member = fc.oneof(fc.constant(first), fc.constant(last), fc.bigInt(first, last));
    fc.assert(
      fc.property(member, (number) => {
        for (const spelling of spellings(number, bits)) if (isPublicAddress(spelling)) throw new Error(`${spelling} passed`);
      }),
    );
  });

  test('is none that keeps an IPv4 address the ISATAP way, whatever is before it', () => {
    const prefix = rangeOf('2600::/12');
    const member = fc.tuple(
      fc.bigInt(prefix.first >> 64n, prefix.last >> 64n),
      fc.constantFrom(0x5efen, 0x2005efen),
      fc.bigInt(0n, 0xffffffffn),
    );
    fc.assert(
      fc.property(member, ([head, middle, ipv4]) => {
        const number = (head << 64n) | (middle << 32n) | ipv4;
        for (const spelling of spellings(number, 128)) if (isPublicAddress(spelling)) throw new Error(`${spelling} passed`);
      }),
      { examples: [[[0x2600_1234_0005_0006n, 0x5efen, 0n]], [[0x2600_1234_0005_0006n, 0x2005efen, 1n]], [[0x2600n << 48n, 0x5efen, 0n]]] },
    );
  });

  test('is not what is no address, has a zone, or is spelled for a parser', () => {
    const words = [
      '',
      ' ',
      'localhost',
      'public.test',
      '1.1.1',
      '1.1.1.1.',
      '01.1.1.1',
      '0x1.1.1.1',
      '16843009',
      '1.1.1.1:443',
      '[2606:4700::1]',
    ];
    for (const text of [...words, '2606:4700::1%eth0', 'fe80::1%1', '2606:4700::1::', '1.1.1.1\n', ' 1.1.1.1'])
      expect(isPublicAddress(text), text).toBe(false);
  });

  test.each([
    '1.1.1.1 8.8.8.8 9.9.9.9 93.184.216.34 140.82.121.4 52.95.110.1',
    '1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17',
    '169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255 192.0.3.0 192.88.98.255 192.88.100.0',
    '192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255',
    '2606:4700:4700::1111 2001:4860:4860::8888 2620:fe::fe 2a00:1450:4001:80b::200e 2600:: 2400:3200::1',
    '2000:: 2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2003::',
    '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001:: 3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2600:1234::5efe:0:0:1 2600:0:5efe::1 2600:1234:5:6:1:5efe:7f00:1',
  ])('is each of %s', (addresses) => {
    for (const address of addresses.split(' ')) expect(isPublicAddress(address), address).toBe(true);
  });
});

/** The first and last address of a network, as numbers. */
function rangeOf(network: string): { first: bigint; last: bigint; bits: 32 | 128 } {
  const [address = '', length] = network.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const first = bits === 32 ? numberOf(address.split('.').map(Number), 8n) : numberOf(groupsOf(address), 16n);
  return { first, last: first + (1n << BigInt(bits - Number(length))) - 1n, bits };
}

function numberOf(parts: number[], width: bigint): bigint {
  return parts.reduce((number, part) => (number << width) | BigInt(part), 0n);
}

function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))));
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** The address in full, short, in capitals, and with its last part as IPv4. */
function spellings(number: bigint, bits: 32 | 128): string[] {
  const parts = (width: number, from: bigint, count: number) =>
    Array.from({ length: count }, (_, i) => Number((from >> BigInt(width * (count - 1 - i))) & ((1n << BigInt(width)) - 1n)));
  const dotted = parts(8, number & 0xffffffffn, 4).join('.');
  if (bits === 32) return [dotted];
  const groups = parts(16, number, 8).map((group) => group.toString(16));
  const full = groups.map((group) => group.padStart(4, '0')).join(':');
  const short = new URL(`http://[${full}]`).hostname.slice(1, -1);
  const all = [full, groups.join(':'), short, short.toUpperCase(), `${groups.slice(0, 6).join(':')}:${dotted}`];
  const same = new BlockList();
  same.addAddress(full, 'ipv6');
  if (!all.every((spelling) => same.check(spelling, 'ipv6'))) throw new Error(`${all} are not the same address`);
  return all;
}
