import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../src/contract/api-key.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { Operator } from '../support/operator.ts';
import { exchange } from '../support/raw-http.ts';
import { expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { keyRows } from '../support/table.ts';

let service: TestService;
let operator: Operator;
let acme: TestBusiness;
/** The response to a request without a key. Every invalid key must get the same one. */
let refused: ReturnType<typeof withoutTraces>;

beforeAll(async () => {
  service = await startTestService();
  operator = new Operator(service);
  acme = await service.business('acme');
  refused = withoutTraces(await service.anonymous.get('/me'));
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});

const withHeader = (authorization: string): Promise<ApiResponse> => service.anonymous.get('/me', { authorization });

function expectUnauthorized(response: ApiResponse): void {
  expectRefusal(response, 'unauthorized');
  expect(withoutTraces(response)).toEqual(refused);
}

describe('the same 401', () => {
  test('says how to authenticate', () => {
    expect(refused.headers['www-authenticate']).toBe('Bearer');
  });

  test.each(keyRows.map(({ method, url }) => [method, url]))('meets %s %s without a key', async (method, url) => {
    expectUnauthorized(await service.anonymous.request(method, url));
  });

  test.each(keyRows.map(({ method, url }) => [method, url]))('meets %s %s before anything else is looked at', async (method, url) => {
    const init = { body: '{', headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip', 'idempotency-key': '\t' } };
    const response = await service.anonymous.request(method, `${url}?limit=nonsense&colour=red`, method === 'GET' ? {} : init);
    expectUnauthorized(response);
  });

  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'Token x',
    'Bearer null',
    'Bearer undefined',
    'Bearer wb_',
    'Bearer é',
    'wb_x',
    'Bearer a b',
    'Bearer\tx',
  ])('meets the header "%s"', async (authorization) => {
    expectUnauthorized(await withHeader(authorization));
  });

  test('meets a good key in any other form than Bearer', async () => {
    const { secret } = acme;
    const basic = `Basic ${Buffer.from(`${secret}:`).toString('base64')}`;
    for (const form of [
      secret,
      basic,
      `Token ${secret}`,
      `Bearer: ${secret}`,
      `Bearer "${secret}"`,
      `Bearer ${secret},`,
      `Bearer ${secret} x`,
      `Bearer\t${secret}`,
      `XBearer ${secret}`,
    ]) {
      expectUnauthorized(await withHeader(form));
    }
  });

  test('does not meet a good key behind several spaces, or a scheme in another case', async () => {
    for (const form of [`Bearer  ${acme.secret}`, `bearer    ${acme.secret}`]) expect((await withHeader(form)).status).toBe(200);
  });

  test('meets a good key in any other place than the header', async () => {
    expectUnauthorized(await service.anonymous.get(`/me?key=${acme.secret}`));
    expectUnauthorized(await service.anonymous.get(`/me?access_token=${acme.secret}`));
    expectUnauthorized(await service.anonymous.get('/me', { 'x-api-key': acme.secret, cookie: `authorization=${acme.secret}` }));
  });

  test('meets a key that is well formed but unknown', async () => {
    for (let i = 0; i < 5; i++) expectUnauthorized(await withHeader(`Bearer ${newApiKey()}`));
  });

  test('meets a key with any one character changed, left out, doubled or swapped with the next', async () => {
    const { secret } = acme;
    const typos = [...secret].flatMap((letter, i) => {
      const [before, after] = [secret.slice(0, i), secret.slice(i + 1)];
      const other = letter === 'a' ? 'b' : 'a';
      const flipped = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
      const swapped = before + (secret[i + 1] ?? '') + letter + secret.slice(i + 2);
      return [before + other + after, before + flipped + after, before + after, before + letter + letter + after, swapped];
    });
    const wrong = typos.filter((typo) => typo !== secret);
    for (const response of await Promise.all(wrong.map((typo) => withHeader(`Bearer ${typo}`)))) expectUnauthorized(response);
  });

  test.each(['good twice', 'good, then bad', 'bad, then good', 'good, then empty'])(
    'meets two Authorization headers: %s',
    async (which) => {
      const headers: Record<string, [string, string]> = {
        'good twice': [acme.secret, acme.secret],
        'good, then bad': [acme.secret, newApiKey()],
        'bad, then good': [newApiKey(), acme.secret],
        'good, then empty': [acme.secret, ''],
      };
      const lines = (headers[which] as [string, string]).map(
        (secret, i) => `${i ? 'authorization' : 'Authorization'}: Bearer ${secret}\r\n`,
      );
      const { status, text } = await exchange(service.url, `GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}\r\n`);
      expect(status).toBe(401);
      const requestId = /x-request-id: (\S+)/i.exec(text)?.[1] ?? '';
      expect(text.split('\r\n\r\n')[1]?.replace(requestId, 'req_')).toBe(refused.text);
    },
  );
});

test('the word Bearer may be written in any case', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) expect((await withHeader(`${scheme} ${acme.secret}`)).status).toBe(200);
});

describe('a key with scope read', () => {
  const readers = keyRows.filter(({ auth }) => auth === 'key');
  const writers = keyRows.filter(({ auth }) => auth === 'key rw');
  let reader: Api;
  beforeAll(async () => {
    reader = await acme.withKey('read');
  });

  test.each(writers.map(({ method, url }) => [method, url]))('may not %s %s', async (method, url) => {
    expectRefusal(await reader.request(method, url), 'forbidden');
    const init = { body: '{"to":"acme"}', headers: { 'content-type': 'application/json' } };
    expectRefusal(await reader.request(method, `${url}?limit=0`, method === 'GET' ? {} : init), 'forbidden');
  });

  test.each(readers.map(({ method, url }) => [method, url]))('may %s %s', async (method, url) => {
    const response = await reader.request(method, url);
    expect([200, 400, 404], response.text).toContain(response.status);
  });

  test('is told forbidden of what exists and what does not alike', async () => {
    const real = await reader.patch(`/agents/${acme.agentId}`, { name: 'x' });
    const unknown = await reader.patch('/agents/agt_x', { name: 'x' });
    expect(withoutTraces(real)).toEqual(withoutTraces(unknown));
  });

  test('leaves nothing behind when it tries to send', async () => {
    expectRefusal(await reader.send({ to: 'acme' }), 'forbidden');
    expect((await acme.api.get('/outbox')).body.data).toEqual([]);
  });
});

describe('a revoked key', () => {
  test('is refused in every process on the very next request, like one that never was', async () => {
    const sibling = await service.sibling();
    for (let round = 0; round < 25; round++) {
      const key = await operator.addKey(acme.agentId, 'read_write');
      const apis = [service.url, sibling.url].map((url) => new Api(url, key.secret));
      // Both processes have served the key, and may have cached it.
      for (const api of apis) for (let i = 0; i < 2; i++) expect((await api.get('/me')).status).toBe(200);
      await operator.revoke(key.id);
      for (const response of await Promise.all(apis.map((api) => api.get('/me')))) expectUnauthorized(response);
    }
    await sibling.stop();
  });

  test('sends nothing any more, and stops no other key of its agent', async () => {
    const key = await operator.addKey(acme.agentId, 'read_write');
    const api = new Api(service.url, key.secret);
    await api.get('/me');
    await operator.revoke(key.id);
    expectUnauthorized(await api.get('/me'));
    expectUnauthorized(await api.send({ to: 'acme' }));
    expect((await acme.api.get('/outbox')).body.data).toEqual([]);
  });

  test('can be revoked again, and an unknown one can’t', async () => {
    const key = await operator.addKey(acme.agentId, 'read');
    await operator.revoke(key.id);
    await operator.revoke(key.id);
    await expect(operator.revoke('key_01h455vb4pex5vsknk084sn02q')).rejects.toThrow('The key was not found.');
  });
});

describe('what the database knows of a key', () => {
  test('is its SHA-256 and its first eight characters, and no table holds more', async () => {
    await acme.api.get('/me');
    const tables = await service.sql<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
        WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
    );
    expect(tables.map(({ name }) => name)).toContain('public.api_keys');
    const body = acme.secret.slice(8);
    for (const { name } of tables) {
      const found = await service.sql(`SELECT 1 FROM ${name} AS r WHERE strpos(r::text, $1) > 0 OR strpos(r::text, $2) > 0`, [
        body,
        Buffer.from(body).toString('hex'),
      ]);
      expect(found, name).toEqual([]);
    }
    const [row] = await service.sql<{ prefix: string; secret_hash: Buffer }>(
      'SELECT prefix, secret_hash FROM api_keys WHERE secret_hash = sha256($1)',
      [Buffer.from(acme.secret)],
    );
    expect(row?.prefix).toBe(acme.secret.slice(0, 8));
    expect(row?.secret_hash).toEqual(createHash('sha256').update(acme.secret).digest());
  });

  test('includes when it was last used', async () => {
    const sibling = await service.sibling();
    const key = await operator.addKey(acme.agentId, 'read');
    const unused = await operator.addKey(acme.agentId, 'read');
    await new Api(sibling.url, key.secret).get('/me');
    // Uses are written at intervals, and before a process ends.
    await sibling.stop();
    const usedAt = async (secret: string) => {
      const [row] = await service.sql<{ last_used_at: Date | null }>('SELECT last_used_at FROM api_keys WHERE secret_hash = sha256($1)', [
        Buffer.from(secret),
      ]);
      return row?.last_used_at;
    };
    expect(await usedAt(key.secret)).toBeInstanceOf(Date);
    expect(await usedAt(unused.secret)).toBeNull();
  });
});
