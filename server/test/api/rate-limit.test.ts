import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newApiKey } from '../../src/contract/api-key.ts';
import { IPV6_SITE_FACTOR } from '../../src/contract/limits.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { signInWithCode } from '../support/people.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { connectionWaitingIn, lockingWith, waitingForLocks } from '../support/sql-locks.ts';

async function serviceWith(env: Record<string, string>): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(() => service.stop());
  return service;
}

const times = (count: number, ask: (i: number) => Promise<ApiResponse>): Promise<ApiResponse[]> =>
  Array.fromAsync({ length: count }, (_, i) => ask(i));
const statuses = (responses: ApiResponse[]) => responses.map(({ status }) => status);
const header = (response: ApiResponse | undefined, name: string) => Number(response?.headers.get(name));

/** The rate refills so slowly that no test notices it. */
const SLOW = '1';

describe('the limit of a person', () => {
  test('counts all their sessions together, and nobody else', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '3', RATE_LIMIT_BURST: '3' });
    const [laptop, phone] = [await signInWithCode(service, 'jane@corp.example'), await signInWithCode(service, 'jane@corp.example')];
    const responses = await times(4, (i) => (i % 2 ? laptop : phone).get('/v1/account'));
    expect(statuses(responses)).toEqual([200, 200, 200, 429]);
    expectRefusal(responses[3] as ApiResponse, 'rate_limited');
    expect((await (await signInWithCode(service, 'kim@corp.example')).get('/v1/account')).status).toBe(200);
  });
});

describe('the limit of a key', () => {
  test('lets a burst through, then responds with rate_limited and says when to come back', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '6', RATE_LIMIT_BURST: '5' });
    const acme = await service.business('acme');
    const responses = await times(8, () => acme.api.get('/agents'));
    const last = responses.at(-1) as ApiResponse;
    expect(statuses(responses).slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expectRefusal(last, 'rate_limited');
    expect(header(last, 'retry-after')).toBeGreaterThan(0);
    expect(header(last, 'retry-after')).toBeLessThanOrEqual(10);
    expect(header(last, 'ratelimit-remaining')).toBe(0);
  });

  test('states with every response what is left', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: SLOW, RATE_LIMIT_BURST: '1' });
    const acme = await service.business('acme');
    const [first, second] = await times(2, () => acme.api.get('/me'));
    for (const response of [first, second]) {
      expect(header(response, 'ratelimit-limit')).toBe(1);
      expect(header(response, 'ratelimit-remaining')).toBe(0);
      expect(header(response, 'ratelimit-reset')).toBeGreaterThan(50);
    }
    expect(header(second, 'retry-after')).toBeGreaterThan(50);
    expect(header(second, 'retry-after')).toBeLessThanOrEqual(60);
  });

  test('counts down to nothing', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '10', RATE_LIMIT_BURST: '10' });
    const acme = await service.business('acme');
    const responses = await times(11, () => acme.api.get('/me'));
    expect(responses.map((response) => header(response, 'ratelimit-remaining'))).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]);
    expect(statuses(responses).filter((status) => status === 429)).toHaveLength(1);
  });

  test('lets requests through again after the time it named', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '40', RATE_LIMIT_BURST: '1' });
    const acme = await service.business('acme');
    const [, refused] = await times(2, () => acme.api.get('/me'));
    expectRefusal(refused as ApiResponse, 'rate_limited');
    await new Promise((resolve) => setTimeout(resolve, header(refused, 'retry-after') * 1000));
    expect((await acme.api.get('/me')).status).toBe(200);
  });

  test('holds for one key alone', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: SLOW, RATE_LIMIT_BURST: '1' });
    const acme = await service.business('acme');
    const globex = await service.business('globex');
    const colleague = await acme.withKey('read_write');
    expect(statuses(await times(3, () => acme.api.get('/me')))).toEqual([200, 429, 429]);
    expect((await globex.api.get('/me')).status).toBe(200);
    expect((await colleague.get('/me')).status).toBe(200);
  });

  test('counts sends and reads alike, and a refused send leaves nothing behind', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '2', RATE_LIMIT_BURST: '2' });
    const acme = await service.business('acme');
    expect((await acme.api.get('/inbox')).status).toBe(200);
    expect((await acme.api.send({ to: 'acme' })).status).toBe(201);
    expectRefusal(await acme.api.send({ to: 'acme' }), 'rate_limited');
    const reader = await acme.withKey('read_write');
    expect((await reader.get('/inbox')).body.data).toHaveLength(1);
  });

  test('comes after the key and its scope, and before the body', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: SLOW, RATE_LIMIT_BURST: '1' });
    const acme = await service.business('acme');
    const reader = await acme.withKey('read');
    await reader.get('/me');
    expectRefusal(await reader.get('/me'), 'rate_limited');
    expectRefusal(await reader.get('/outbox'), 'forbidden');
    await acme.api.get('/me');
    expectRefusal(await acme.api.send('{broken'), 'rate_limited');
    expectRefusal(await acme.api.get('/inbox?limit=0'), 'rate_limited');
  });

  test('is spent by parallel requests too, exactly', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '20', RATE_LIMIT_BURST: '20' });
    const acme = await service.business('acme');
    const responses = await Promise.all(Array.from({ length: 60 }, () => acme.api.get('/agents')));
    const letThrough = statuses(responses).filter((status) => status === 200).length;
    // One unit comes back every three seconds.
    expect(letThrough).toBeGreaterThanOrEqual(20);
    expect(letThrough).toBeLessThanOrEqual(22);
  });

  test('is off when set to 0', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '0', RATE_LIMIT_BURST: '1' });
    const acme = await service.business('acme');
    const responses = await times(30, () => acme.api.get('/agents'));
    expect(new Set(statuses(responses))).toEqual(new Set([200]));
    expect(responses[0]?.headers.has('ratelimit-limit')).toBe(false);
  });
});

describe('the limit of a business', () => {
  test('counts all its keys and people together, twice the rate of one unless set, and nobody else', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '3', RATE_LIMIT_BURST: '3' });
    const acme = await service.business('acme');
    const keys = [acme.api, await acme.withKey('read'), await acme.withKey('read_write')];
    const responses = await times(9, (i) => (keys[i % 3] as Api).get('/agents'));
    expect(statuses(responses)).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429]);
    const last = responses.at(-1) as ApiResponse;
    expectRefusal(last, 'rate_limited');
    expect(last.body.error.message).toContain('6 a minute and business');
    expect(header(last, 'ratelimit-limit')).toBe(6);
    expect((await (await service.business('globex')).api.get('/agents')).status).toBe(200);
  });

  test('is told in the headers where it is the tighter one, and uses up no key', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '10', RATE_LIMIT_BURST: '10', RATE_LIMIT_PER_BUSINESS_PER_MINUTE: '12' });
    const acme = await service.business('acme');
    const second = await acme.withKey('read');
    const responses = [...(await times(9, () => acme.api.get('/me'))), ...(await times(4, () => second.get('/me')))];
    expect(responses.map((response) => header(response, 'ratelimit-limit'))).toEqual([...Array(9).fill(10), ...Array(4).fill(12)]);
    expect(responses.slice(9).map((response) => header(response, 'ratelimit-remaining'))).toEqual([2, 1, 0, 0]);
    expect(statuses(responses.slice(9))).toEqual([200, 200, 200, 429]);
  });

  test('is off when set to 0', async () => {
    const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: '2', RATE_LIMIT_BURST: '2', RATE_LIMIT_PER_BUSINESS_PER_MINUTE: '0' });
    const acme = await service.business('acme');
    for (let i = 0; i < 4; i++) expect((await (await acme.withKey('read')).get('/me')).status).toBe(200);
  });
});

describe('the limit of requests without a valid key', () => {
  const unknown = () => newApiKey();
  const as = (service: TestService, secret: string, headers = {}) =>
    service.anonymous.get('/me', { authorization: `Bearer ${secret}`, ...headers });

  test('counts unknown, malformed and missing keys by address, and then responds with rate_limited', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: '4' });
    const responses = [
      await as(service, unknown()),
      await as(service, 'nonsense'),
      await service.anonymous.get('/me'),
      await as(service, unknown()),
      await as(service, unknown()),
      await as(service, 'nonsense'),
      await service.anonymous.get('/me'),
    ];
    expect(statuses(responses)).toEqual([401, 401, 401, 401, 429, 429, 429]);
    expectRefusal(responses[4] as ApiResponse, 'rate_limited');
    expect(header(responses[4], 'retry-after')).toBeGreaterThan(0);
    // Public endpoints have a separate count.
    expect((await service.anonymous.get('/public/demo')).status).toBe(200);
  });

  test('leaves valid keys of the same address alone, remembered or not', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: SLOW });
    const acme = await service.business('acme');
    expect((await acme.api.get('/me')).status).toBe(200);
    expect(statuses(await times(3, () => as(service, unknown())))).toEqual([401, 429, 429]);
    expect((await acme.api.get('/me')).status).toBe(200);
    expect((await (await acme.withKey('read')).get('/me')).status).toBe(200);
  });

  test('looks no more than one key up at a time for an address that is over it', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: SLOW });
    await as(service, unknown());
    const { rollBack } = await lockingWith(service, 'LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const flood = Array.from({ length: 30 }, () => as(service, unknown()));
    await connectionWaitingIn(service, 'FROM api_keys k');
    await sleep(300);
    const waiting = await waitingForLocks(service, 'api_keys k');
    await rollBack();
    expect(waiting).toHaveLength(1);
    expect(new Set(statuses(await Promise.all(flood)))).toEqual(new Set([429]));
  });

  test('counts a network of IPv6 as one', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: '2', TRUSTED_PROXIES: '127.0.0.1' });
    const from = (address: string) => as(service, unknown(), { 'x-forwarded-for': address });
    const responses = [
      await from('2001:db8::1'),
      await from('2001:db8::2'),
      await from('2001:db8:0:0:5::3'),
      await from('2001:db8:0:ff::1'),
      await from('2001:db8:0:100::1'),
    ];
    expect(statuses(responses)).toEqual([401, 401, 429, 429, 401]);
  });

  test('counts all networks of an IPv6 /48 together, at a higher limit', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: SLOW, TRUSTED_PROXIES: '127.0.0.1' });
    const from = (i: number) => ({ 'x-forwarded-for': `2001:db8:7:${i.toString(16)}00::1` });
    const [unkeyed, anonymous] = [
      await times(IPV6_SITE_FACTOR + 1, (i) => as(service, unknown(), from(i))),
      await times(IPV6_SITE_FACTOR + 1, (i) => service.anonymous.get('/public/demo', from(i))),
    ];
    expect(statuses(unkeyed)).toEqual([...Array(IPV6_SITE_FACTOR).fill(401), 429]);
    expect(statuses(anonymous)).toEqual([...Array(IPV6_SITE_FACTOR).fill(200), 429]);
    expect((await service.anonymous.get('/public/demo', { 'x-forwarded-for': '2001:db8:8::1' })).status).toBe(200);
  });
});

describe('the limit of an address', () => {
  const spoof = (i: number) => ({ 'x-forwarded-for': `203.0.113.${i}`, forwarded: `for=203.0.113.${i}`, 'x-real-ip': `203.0.113.${i}` });

  test('holds for public endpoints and the receipt page together', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: '3' });
    const responses = [
      await service.anonymous.get('/public/demo'),
      await service.anonymous.get('/receipts/rcpt_x'),
      await service.anonymous.request('GET', '/r/rcpt_x'),
      await service.anonymous.get('/public/demo'),
    ];
    expect(statuses(responses)).toEqual([200, 404, 404, 429]);
    expectRefusal(responses[3] as ApiResponse, 'rate_limited');
    expect(header(responses[3], 'retry-after')).toBeGreaterThan(0);
    expect(header(responses[0], 'ratelimit-limit')).toBe(3);
    expect(header(responses[0], 'ratelimit-remaining')).toBe(2);
  });

  test('touches neither keys nor the operator’s probes', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: SLOW });
    const acme = await service.business('acme');
    expect(statuses(await times(2, () => service.anonymous.get('/public/demo')))).toEqual([200, 429]);
    expect((await acme.api.get('/me')).status).toBe(200);
    expect((await service.anonymous.request('GET', '/openapi.json')).status).toBe(429);
    for (const path of ['/healthz', '/readyz', '/metrics', '/docs']) {
      expect((await service.anonymous.request('GET', path)).status, path).toBe(200);
    }
  });

  test('can’t be got around with a made-up X-Forwarded-For', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: '2' });
    const responses = await times(5, (i) => service.anonymous.get('/public/demo', spoof(i)));
    expect(statuses(responses)).toEqual([200, 200, 429, 429, 429]);
  });

  test('follows X-Forwarded-For when it comes from a trusted proxy', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: SLOW, TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' });
    const responses = await times(3, (i) => service.anonymous.get('/public/demo', spoof(i)));
    expect(statuses(responses)).toEqual([200, 200, 200]);
    expect((await service.anonymous.get('/public/demo', spoof(1))).status).toBe(429);
  });

  test('believes a trusted proxy no further than the last address that is not trusted', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: SLOW, TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' });
    // The client wrote the first address itself. The proxy has appended the real one.
    const from = (made: string) => service.anonymous.get('/public/demo', { 'x-forwarded-for': `${made}, 198.51.100.7, 10.1.2.3` });
    expect(statuses([await from('203.0.113.1'), await from('203.0.113.2')])).toEqual([200, 429]);
  });

  test('does not believe a proxy that is not on the list', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: SLOW, TRUSTED_PROXIES: '10.0.0.0/8' });
    expect(statuses(await times(2, (i) => service.anonymous.get('/public/demo', spoof(i))))).toEqual([200, 429]);
  });

  test('survives a nonsensical X-Forwarded-For from a trusted proxy', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: '100', TRUSTED_PROXIES: '127.0.0.1' });
    for (const value of ['', ',', 'nonsense', '999.999.999.999', '::1, x', 'a'.repeat(4_000), '1.2.3.4:80', '[::1]:1']) {
      expect((await service.anonymous.get('/public/demo', { 'x-forwarded-for': value })).status, value).toBe(200);
    }
  });

  test('is off when set to 0', async () => {
    const service = await serviceWith({ PUBLIC_RATE_LIMIT_PER_MINUTE: '0' });
    expect(new Set(statuses(await times(20, () => service.anonymous.get('/public/demo'))))).toEqual(new Set([200]));
  });
});

test('keys that are refused use up no limit', async () => {
  const service = await serviceWith({ RATE_LIMIT_PER_MINUTE: SLOW, RATE_LIMIT_BURST: '1' });
  const acme = await service.business('acme');
  const typo = new Api(service.url, `${acme.secret.slice(0, -1)}${acme.secret.endsWith('a') ? 'b' : 'a'}`);
  expect(statuses(await times(3, () => typo.get('/me')))).toEqual([401, 401, 401]);
  expect((await acme.api.get('/me')).status).toBe(200);
});

describe('two processes', () => {
  const BURST = 20;
  const PER_MINUTE = 60;

  test('allow together what one would: each learns what the other has admitted', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: String(PER_MINUTE), RATE_LIMIT_BURST: String(BURST) };
    const one = await serviceWith(env);
    const other = await serviceWith({ ...env, DATABASE_URL: one.databaseUrl });
    const acme = await one.business('acme');
    const startedAt = performance.now();
    const responses: ApiResponse[] = [];
    for (let i = 0; i < 80; i++) {
      responses.push(await acme.api.at(i % 2 ? one.url : other.url).get('/me'));
      await sleep(50);
    }
    const allowed = BURST + ((performance.now() - startedAt) / 60_000) * PER_MINUTE;
    const admitted = responses.filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(BURST);
    // Processes may not have reported an eighth of a burst each, and the tokens of a tenth of a second.
    expect(admitted).toBeLessThan(allowed + BURST / 2);
    for (const response of responses) expect(header(response, 'ratelimit-remaining')).toBeGreaterThanOrEqual(0);
  });

  test('make up for what they have admitted at the same moment', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: SLOW, PUBLIC_RATE_LIMIT_PER_MINUTE: String(BURST) };
    const one = await serviceWith(env);
    const other = await serviceWith({ ...env, DATABASE_URL: one.databaseUrl });
    const anonymous = [one.anonymous, other.anonymous];
    const startedAt = performance.now();
    const ask = (api: Api) => Array.from({ length: BURST }, () => api.get('/public/nobody'));
    const responses = await Promise.all(anonymous.flatMap(ask));
    await sleep(500);
    const excess = responses.filter(({ status }) => status !== 429).length - BURST;
    for (const api of anonymous) {
      const response = await api.get('/public/nobody');
      expectRefusal(response, 'rate_limited');
      // Alone, each process would have a token again after three seconds. Unreported tokens are less than an eighth of a burst each.
      const secondsForExcess = ((excess - BURST / 4) * 60) / BURST - (performance.now() - startedAt) / 1000;
      expect(header(response, 'retry-after')).toBeGreaterThan(secondsForExcess);
    }
  });
});
