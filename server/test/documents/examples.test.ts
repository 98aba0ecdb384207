import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../../src/contract/records.ts';
import { EXAMPLES_FILE, type Example } from '../../src/modules/documentation/recorded-examples.ts';
import {
  recordConsumers,
  recordContacts,
  recordDocumentTypes,
  recordFiles,
  recordMessages,
  recordSchemas,
  recordThreads,
  recordWebhooks,
} from '../support/examples/by-key.ts';
import { recordAccount, recordBusiness, recordDeviceLogins, recordMembers } from '../support/examples/by-people.ts';
import { clientsHere } from '../support/examples/client.ts';
import { type ExampleWorld, openExampleWorld } from '../support/examples/world.ts';

/** `UPDATE_EXAMPLES=1 npm test -- documents/examples` writes docs/reference/examples.json again. */
const UPDATES = process.env['UPDATE_EXAMPLES'] === '1';

let world: ExampleWorld;
let recorded: Record<string, Example>;
let stored: Record<string, Example>;

/** Makes all requests of the examples, from the first order to the last session. */
async function record(world: ExampleWorld): Promise<Record<string, Example>> {
  const sent = await recordMessages(world);
  await recordThreads(world, sent);
  await recordFiles(world);
  await recordWebhooks(world);
  await recordConsumers(world);
  await recordContacts(world);
  await recordSchemas(world);
  await recordDocumentTypes(world);
  await recordBusiness(world);
  await recordMembers(world);
  await recordDeviceLogins(world);
  await recordAccount(world);
  return world.recorder.examples;
}

beforeAll(async () => {
  world = await openExampleWorld();
  recorded = await record(world);
  for (const language of clientsHere) {
    const another = await openExampleWorld(language);
    try {
      for (const [name, { clients }] of Object.entries(await record(another))) recorded[name]?.clients.push(...clients);
    } finally {
      await another.stop();
    }
  }
  if (UPDATES) writeFileSync(EXAMPLES_FILE, `${JSON.stringify(sorted(recorded), null, 2)}\n`);
  stored = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'));
});
afterAll(() => world.stop());

function sorted(examples: Record<string, Example>): Record<string, Example> {
  return Object.fromEntries(Object.entries(examples).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Compares the shapes of two values. Null matches any value, and an empty list any list, because both depend on the moment. */
function differences(before: unknown, now: unknown, at = ''): string[] {
  if (before === null || now === null) return [];
  if (Array.isArray(before) && Array.isArray(now))
    return before.length === 0 || now.length === 0 ? [] : differences(before[0], now[0], `${at}/0`);
  if (isRecord(before) && isRecord(now)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
    return names.flatMap((name) => {
      if (!(name in before)) return [`${at}/${name} is new`];
      if (!(name in now)) return [`${at}/${name} is gone`];
      return differences(before[name], now[name], `${at}/${name}`);
    });
  }
  return typeof before === typeof now ? [] : [`${at} was ${typeof before}, is ${typeof now}`];
}

describe('docs/reference/examples.json', () => {
  test('has an example of every operation, made by the command that its page shows', async () => {
    const { paths } = (await world.service.anonymous.request('GET', '/openapi.json')).body;
    const operations = Object.values(paths as Record<string, object>).flatMap((methods) => Object.values(methods));
    expect(Object.keys(recorded).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
  });

  test('is what the service does today: run UPDATE_EXAMPLES=1 npm test -- documents/examples if it is not', () => {
    expect(Object.keys(stored)).toEqual(Object.keys(sorted(recorded)));
    for (const [name, { request, response }] of Object.entries(recorded)) {
      const before = stored[name] as Example;
      expect([name, before.request.method, before.request.by, before.response.status, before.response.contentType]).toEqual([
        name,
        request.method,
        request.by,
        response.status,
        response.contentType,
      ]);
      expect(differences(before.request.body, request.body), `${name}, request`).toEqual([]);
      expect(differences(before.response.body, response.body), `${name}, response`).toEqual([]);
    }
  });

  test('names the clients whose samples made the same requests', () => {
    const here = (clients: string[]) => clients.filter((name) => clientsHere.some((one) => one === name));
    for (const [name, { clients }] of Object.entries(recorded)) expect([name, here(stored[name]?.clients ?? [])]).toEqual([name, clients]);
  });

  test('notices a field that is new, one that is gone, and one of another type', () => {
    expect(differences({ a: 1, b: [{ c: 'x' }] }, { a: '1', b: [{ d: 'x' }] })).toEqual([
      '/a was number, is string',
      '/b/0/c is gone',
      '/b/0/d is new',
    ]);
  });

  test('holds no secret and no address of the machine that made it', () => {
    const text = readFileSync(EXAMPLES_FILE, 'utf8');
    expect(text).not.toMatch(/\bwb_\w{9}|whsec_\w|127\.0\.0\.1|localhost|\/tmp\//);
  });
});
