import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import type { ClientLanguage } from '../../../src/modules/documentation/recorded-examples.ts';
import { Api } from '../api.ts';
import { tryClaim } from '../businesses.ts';
import { type KeyDomains, startKeyDomains } from '../key-domains.ts';
import { MemberApi } from '../member.ts';
import type { NameServer } from '../name-server.ts';
import { resolved } from '../openapi.ts';
import { signInWithCode } from '../people.ts';
import { type Receiver, receiverSettings, startReceiver } from '../receiver.ts';
import { startTestService, type TestService } from '../service.ts';
import { openExampleClient } from './client.ts';
import { ExampleRecorder } from './recorder.ts';

interface ExampleBusiness {
  owner: MemberApi;
  agentId: string;
  key: string;
  api: Api;
}

export interface ExampleWorld {
  service: TestService;
  receiver: Receiver;
  names: NameServer;
  domains: KeyDomains;
  acme: ExampleBusiness;
  globex: ExampleBusiness;
  recorder: ExampleRecorder;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  byKey(route: string, path?: string, body?: unknown, headers?: Record<string, string>): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  byOwner(route: string, path?: string, body?: unknown): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  byNobody(route: string, path?: string): Promise<any>;
  stop(): Promise<void>;
}

async function business(service: TestService, email: string, handle: string, name: string, segment: string): Promise<ExampleBusiness> {
  const person = await signInWithCode(service, email);
  const claimed = await tryClaim(person, handle, name);
  expect(claimed.status, claimed.text).toBe(201);
  const owner = new MemberApi(person, handle);
  const agent = (await owner.post('/agents', { name: segment === 'orders' ? 'Order desk' : 'Purchasing', segment })).body;
  const key = (await owner.post(`/agents/${agent.id}/keys`, { scope: 'read_write' })).body.secret;
  return { owner, agentId: agent.id, key, api: new Api(service.url, key) };
}

export async function openExampleWorld(language?: ClientLanguage): Promise<ExampleWorld> {
  const [receiver, domains] = [await startReceiver(), await startKeyDomains('acme.example')];
  const service = await startTestService({ ...receiverSettings, ...domains.settings });
  const acme = await business(service, 'ann@acme.example', 'acme', 'Acme', 'purchasing');
  const globex = await business(service, 'olga@globex.example', 'globex', 'Globex', 'orders');
  const { paths } = resolved((await service.anonymous.request('GET', '/openapi.json')).body);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-examples-'));
  const client = language && (await openExampleClient(language, service.url));
  const recorder = new ExampleRecorder(service.url, folder, paths, receiver.url(), client);
  const init = (at?: string, body?: unknown, headers?: Record<string, string>) => ({
    ...(at !== undefined && { path: at }),
    ...(body !== undefined && { body }),
    ...(headers !== undefined && { headers }),
  });
  return {
    service,
    receiver,
    names: domains.names,
    domains,
    acme,
    globex,
    recorder,
    byKey: (route, at, body, headers) => recorder.record(route, { key: acme.key }, init(at, body, headers)),
    byOwner: (route, at, body) => recorder.record(route, { person: acme.owner.browser, business: 'acme' }, init(at, body)),
    byNobody: (route, at) => recorder.record(route, undefined, init(at)),
    stop: async () => {
      await client?.stop();
      await service.stop();
      await receiver.stop();
      await domains.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
