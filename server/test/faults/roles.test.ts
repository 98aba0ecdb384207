import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { everyPage, ids } from '../support/pages.ts';
import { type Ended, runProgram, type ServiceProcess, startProcess, temporaryFolder } from '../support/process.ts';
import { createDatabase } from '../support/service.ts';
import { SHARDS } from '../support/sharded.ts';

const unlimited = { RATE_LIMIT_PER_MINUTE: '0', MONTHLY_MESSAGE_LIMIT: '0' };

describe('with DATABASE_URL', () => {
  test('no data folder is made, no database is started, and there are no sample businesses', async () => {
    const dataFolder = path.join(temporaryFolder(), 'data');
    const service = await startProcess({ env: { DATABASE_URL: await createDatabase('template0'), DATA_DIR: dataFolder } });
    expect(existsSync(dataFolder)).toBe(false);
    expect(service.output()).toContain('DATABASE_URL');
    expect(service.output()).not.toContain('Data folder');
    expect(service.output()).not.toContain('wb_');
    expect((await new Api(service.url).get('/public/acme')).status).toBe(404);
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(dataFolder)).toBe(false);
  });

  test('a database that is out of reach is told in one sentence, and not replaced by another', async () => {
    const dataFolder = path.join(temporaryFolder(), 'data');
    const { code, stderr } = await runProgram('main', {
      env: { DATABASE_URL: 'postgres://waybill@127.0.0.1:1/none', DATABASE_START_S: '0', DATA_DIR: dataFolder, PORT: '0' },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Waybill could not start: [^\n]*127\.0\.0\.1:1\b[^\n]*\n$/);
    expect(existsSync(dataFolder)).toBe(false);
  });

  test('processes that start at the same moment on an empty database all come up', async () => {
    const env = { DATABASE_URL: await createDatabase('template0') };
    const roles = ['api', 'api', 'worker', 'all'];
    const services = await Promise.all(roles.map((role) => startProcess({ env, args: ['--role', role] })));
    for (const { url } of services.filter(({ url }) => url !== '')) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    for (const ended of await Promise.all(services.map((service) => service.stop()))) expect(ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('an API process and a worker on one database', () => {
  let api: ServiceProcess;
  let worker: ServiceProcess;

  beforeAll(async () => {
    const DATABASE_URL = await createDatabase();
    api = await startProcess({ env: { DATABASE_URL }, args: ['--role', 'api'] });
    worker = await startProcess({ env: { DATABASE_URL, PORT: String(await freePort()) }, args: ['--role', 'worker'] });
    return async () => {
      await api.stop();
      await worker.stop();
    };
  });

  test.each(['/healthz', '/readyz', '/metrics'])('both respond to %s', async (probe) => {
    for (const url of [api.url, worker.url]) expect((await fetch(`${url}${probe}`)).status).toBe(200);
  });

  test.each(['/v1/me', '/v1/inbox', '/v1/public/demo', '/docs', '/openapi.json', '/', '/inbox', '/@demo'])(
    'the worker has no %s, and the API process has',
    async (found) => {
      expect((await fetch(`${worker.url}${found}`)).status).toBe(404);
      expect((await fetch(`${api.url}${found}`)).status).not.toBe(404);
    },
  );
});

describe('two API processes on one database', () => {
  let DATABASE_URL: string;
  let services: ServiceProcess[];
  let acme: Api[];
  let globex: Api[];
  const command = async (...args: string[]) => objectOf(await runProgram('cli', { env: { DATABASE_URL }, args: [...args, '--json'] }));
  const everywhere = (secret: string) => services.map(({ url }) => new Api(url, secret));

  beforeAll(async () => {
    DATABASE_URL = await createDatabase();
    const start = async () =>
      startProcess({
        env: { DATABASE_URL, PUBLIC_URL: 'https://waybill.example', PORT: String(await freePort()), ...unlimited },
        args: ['--role', 'api'],
      });
    services = await Promise.all([start(), start()]);
    const keyOf = async (handle: string) => {
      await command('business', 'create', handle, '--name', handle);
      const agent = await command('agent', 'create', handle, '--name', handle);
      return (await command('key', 'create', agent.id, '--scope', 'read_write')).secret;
    };
    acme = everywhere(await keyOf('acme'));
    globex = everywhere(await keyOf('globex'));
    return async () => {
      await Promise.all(services.map((service) => service.stop()));
    };
  });

  test('repeats of one idempotency key give one message, whichever process they reach', async () => {
    const key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, n) => (acme[n % 2] as Api).send({ to: 'globex', json: { n } }, { 'idempotency-key': key })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  });

  test('both show one order, and it has every message once', async () => {
    const sent = await Promise.all(Array.from({ length: 200 }, (_, n) => (acme[n % 2] as Api).send({ to: 'globex', json: { n } })));
    const [one, other] = await Promise.all(globex.map(async (api) => (await everyPage(api, '/inbox', { limit: 30 })).flat()));
    expect(other).toEqual(one);
    const shown = ids(one as { id: string }[]);
    expect(new Set(shown).size).toBe(shown.length);
    expect(shown).toEqual(expect.arrayContaining(sent.map(({ body }) => body.id)));
    const times = (one as { received_at: string }[]).map(({ received_at }) => received_at);
    // Between two shards, neighbours may have their times in reverse order.
    if (SHARDS === 0) expect(times).toEqual(times.toSorted().reverse());
  });

  test('a cursor of one is good at the other', async () => {
    const first = await globex[0]?.get('/inbox?limit=10');
    const second = await globex[1]?.get(`/inbox?limit=10&cursor=${first?.body.next_cursor}`);
    expect(second?.status).toBe(200);
    expect(ids(second?.body.data)).not.toEqual(ids(first?.body.data));
  });

  test('a key that is revoked is refused by both on the next request', async () => {
    const agent = await command('agent', 'create', 'acme', '--name', 'Short-lived');
    const key = await command('key', 'create', agent.id, '--scope', 'read');
    for (const api of everywhere(key.secret)) expect((await api.get('/me')).status).toBe(200);
    await command('key', 'revoke', key.id);
    for (const api of everywhere(key.secret)) expect((await api.get('/me')).status).toBe(401);
  });
});

test.each([
  [['--role', 'boss'], /--role must be one of api, worker, mail, all, but is "boss"\.\n$/],
  [['--role', ''], /--role must be one of api, worker, mail, all, but is ""\.\n$/],
  [['--role', 'mail'], /^The role mail needs the setting SMTP_LISTEN, such as 0\.0\.0\.0:25\.\n$/],
])('%j is refused in one sentence', async (args, sentence) => {
  const { code, stdout, stderr } = await runProgram('main', { args, env: { DATA_DIR: '/nonexistent/never-opened' } });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(sentence);
  expect(stderr).toMatch(/^[^\n]+\n$/);
});

// biome-ignore lint/suspicious/noExplicitAny: objects of different shapes
function objectOf({ code, stdout, stderr }: Ended): any {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}
