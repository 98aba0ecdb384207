import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import type { Browser } from '../support/browser.ts';
import { MemberApi } from '../support/member.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { signInWithCode } from '../support/people.ts';
import { runProgram } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { rows } from '../support/table.ts';

let service: TestService;
let names: NameServer;
let person: Browser;
let owner: MemberApi;

beforeAll(async () => {
  names = await startNameServer();
  service = await startTestService({ DNS_SERVERS: names.address });
  person = await signInWithCode(service, 'ann@tailor-works.test');
  owner = new MemberApi(person, 'tailor');
});
afterAll(async () => {
  await service.stop();
  await names.stop();
});

/** The routes by which an owner does for one business what a command of the operator does. Commands about all businesses have none. */
const routesFor: Record<string, string[]> = {
  'business create': ['POST /v1/businesses'],
  'domain verify': ['POST /v1/domains', 'POST /v1/domains/:domain/check'],
  'domain remove': ['DELETE /v1/domains/:domain'],
  'agent create': ['POST /v1/agents'],
  'key create': ['POST /v1/agents/:id/keys'],
  'key revoke': ['DELETE /v1/keys/:id'],
  'log status': [],
  'log new': [],
  'log rotate-key': [],
  'log add-older': [],
  distribute: [],
  migrate: [],
  reindex: [],
  shards: [],
};

describe('everything the operator’s commands can do for one business, an owner can do alone', () => {
  test('every command is told here with its routes', async () => {
    const { stdout } = await runProgram('cli', { args: ['--help'] });
    const commands = [...stdout.matchAll(/^ {2}([a-z]+(?: [a-z][a-z-]*)?)(?= |$)/gm)].map(([, command]) => command);
    // `start` is the service itself, and `witness` a program for logs of others.
    expect(commands.sort()).toEqual([...Object.keys(routesFor), 'start', 'witness'].sort());
  });

  test.each(Object.entries(routesFor).filter(([, routes]) => routes.length > 0))('“%s” has %s in the table', (_command, routes) => {
    for (const route of routes) {
      const row = rows.find(({ method, path }) => `${method} ${path}` === route);
      expect(row, route).toBeDefined();
      expect(['person', 'member', 'admin', 'owner']).toContain(row?.auth);
    }
  });

  test('and it has the same effect', async () => {
    expect((await person.post('/v1/businesses', { handle: 'tailor', display_name: 'Tailor' })).status).toBe(201);

    const { record } = (await owner.post('/domains', { domain: 'tailor-works.test' })).body;
    names.set(record.name, { txt: [record.value] });
    await owner.post('/domains/tailor-works.test/check');
    expect((await owner.get('/business')).body.verified_domains).toEqual(['tailor-works.test']);
    await owner.delete('/domains/tailor-works.test');
    expect((await owner.get('/business')).body.verified_domains).toEqual([]);

    const agent = (await owner.post('/agents', { name: 'Till', segment: 'till' })).body;
    expect(agent).toMatchObject({ name: 'Till', segment: 'till' });
    const key = (await owner.post(`/agents/${agent.id}/keys`, { scope: 'read_write' })).body;
    const api = new Api(service.url, key.secret);
    expect((await api.send({ to: 'tailor/till' })).status).toBe(201);
    await owner.delete(`/keys/${key.id}`);
    expect((await api.get('/me')).status).toBe(401);
  });
});
