import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { Api, type ApiResponse } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { everyPage, ids } from '../support/pages.ts';
import { startPrepared } from '../support/prepared-folder.ts';
import { runProgram, type ServiceProcess, startProcess, temporaryFolder, until } from '../support/process.ts';
import { createDatabase } from '../support/service.ts';
import { ON_CITUS } from '../support/sharded.ts';

const WRITERS = 8;
const MESSAGES_PER_ROUND_MAX = 150;
const env = {
  MONTHLY_MESSAGE_LIMIT: '0',
  RATE_LIMIT_PER_MINUTE: '0',
  PUBLIC_RATE_LIMIT_PER_MINUTE: '0',
};

// biome-ignore lint/suspicious/noExplicitAny: an envelope
type Envelope = any;

interface Intent {
  key: string;
  body: object;
  /** The client retries under load, and not only at the end. */
  isImpatient: boolean;
}

/** The first 201 of each key, and the keys without a response before a crash. */
const acknowledged = new Map<string, Envelope>();
const unresponded = new Map<string, Intent>();
/** Keys whose response was not a repeat. */
const sentBy201 = new Set<string>();
/** Responses that no crash explains. */
const surprises: string[] = [];
let repeats = 0;
let cutOff = 0;

const DATABASES = ON_CITUS
  ? [{ database: 'four shards on nodes of Citus', start: startOnCitus, rounds: 10 }]
  : [
      { database: 'one database', start: startOnFolder, rounds: 20 },
      { database: 'four shards', start: startOnShards, rounds: 10 },
    ];

/** A service with acme/purchasing and globex/orders, and the settings for another start. */
interface Started {
  service: ServiceProcess;
  settings: Record<string, string>;
  secrets: Record<string, string>;
}

async function startOnFolder(): Promise<Started> {
  const service = await startPrepared({ env });
  return { service, settings: { ...env, DATA_DIR: service.dataFolder }, secrets: service.keys };
}

async function startOnShards(): Promise<Started> {
  const { service, settings, secrets } = await startOnFolder();
  await service.stop();
  const distributed = await runProgram('cli', { env: settings, args: ['distribute', '--shards', '4'] });
  expect(distributed.code, distributed.stderr).toBe(0);
  return { service: await startProcess({ env: settings }), settings, secrets };
}

async function startOnCitus(): Promise<Started> {
  const settings = { ...env, DATABASE_URL: await createDatabase(), DATA_DIR: temporaryFolder(), PORT: String(await freePort()) };
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProgram('cli', { env: settings, args: [...args, '--json'] });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const secrets: Record<string, string> = {};
  for (const [handle = '', segment = ''] of [
    ['acme', 'purchasing'],
    ['globex', 'orders'],
  ]) {
    await command('business', 'create', handle, '--name', handle);
    const agent = await command('agent', 'create', handle, '--name', segment);
    secrets[`${handle}/${segment}`] = (await command('key', 'create', agent.id, '--scope', 'read_write')).secret;
  }
  return { service: await startProcess({ env: settings }), settings, secrets };
}

describe.each(DATABASES)('on $database, after $rounds times kill -9 of the service under load', ({ start, rounds }) => {
  let service: ServiceProcess;
  let secrets: Record<string, string>;
  const acme = () => new Api(service.url, secrets['acme/purchasing']);
  const globex = () => new Api(service.url, secrets['globex/orders']);

  beforeAll(async () => {
    const started = await start();
    const { settings } = started;
    service = started.service;
    secrets = started.secrets;
    for (const all of [acknowledged, unresponded, sentBy201]) all.clear();
    [repeats, cutOff] = [0, 0];
    for (let round = 1; round <= rounds; round++) {
      const isOver = { value: false };
      const writers = Array.from({ length: WRITERS }, () => write(acme(), isOver));
      const enough = acknowledged.size + randomInt(MESSAGES_PER_ROUND_MAX);
      await until(() => acknowledged.size >= enough);
      await sleep(randomInt(20));
      await service.stop('SIGKILL');
      isOver.value = true;
      await Promise.all(writers);
      service = await startProcess({ env: settings });
    }
  });

  test('there was load, and clients were cut off in the middle of requests', () => {
    expect(acknowledged.size).toBeGreaterThan(rounds * WRITERS);
    expect(cutOff).toBeGreaterThan(rounds);
    expect(unresponded.size).toBeGreaterThan(0);
    expect(repeats).toBeGreaterThan(rounds);
    expect(surprises).toEqual([]);
  });

  test('the repeat of a key whose response was lost gives one message, whether or not it had been committed', async () => {
    await inParallel([...unresponded.values()], async (intent) => {
      const [one, other] = await Promise.all([send(acme(), intent), send(acme(), intent)]);
      expect([one.status, other.status]).toEqual([201, 201]);
      expect(other.body).toEqual(one.body);
      // At most one of the two responses can be the first.
      expect(isReplay(one) || isReplay(other)).toBe(true);
      acknowledged.set(intent.key, seen(one.body));
    });
  });

  test('each message that was acknowledged is exactly once in inbox and outbox, and no key has two', async () => {
    const lists = await Promise.all([everyPage(globex(), '/inbox', { limit: 200 }), everyPage(acme(), '/outbox', { limit: 200 })]);
    for (const list of lists) {
      const messages: Envelope[] = list.flat().map(seen);
      const byId = new Map(messages.map((message) => [message.id, message]));
      expect(byId.size).toBe(messages.length);
      expect(new Set(messages.map(({ idempotency_key }) => idempotency_key)).size).toBe(messages.length);
      for (const envelope of acknowledged.values()) expect(byId.get(envelope.id)).toEqual(envelope);
      // Every key was repeated until it had a response, so every message has been reported to a client.
      expect(messages.length).toBe(acknowledged.size);
    }
  });

  test('each is exactly once in its thread, with the same hashes on both sides', async () => {
    const threads = new Map<string, Envelope[]>();
    for (const envelope of acknowledged.values()) threads.set(envelope.thread_id, [...(threads.get(envelope.thread_id) ?? []), envelope]);
    expect([...threads.values()].some((messages) => messages.length > 1)).toBe(true);
    await inParallel([...threads], async ([id, messages]) => {
      const shown = (await everyPage(globex(), `/threads/${id}`)).flat();
      expect(ids(shown).sort()).toEqual(ids(messages).sort());
      for (const envelope of messages) expect(hashesOf(shown.find((one) => one.id === envelope.id))).toEqual(hashesOf(envelope));
    });
  });

  test('each has a receipt of its own, with the same hashes', async () => {
    const urls = [...acknowledged.values()].map(({ receipt_url }) => receipt_url);
    expect(new Set(urls).size).toBe(urls.length);
    await inParallel([...acknowledged.values()], async (envelope) => {
      const receipt = await new Api(service.url).get(`/receipts/${envelope.receipt_url.split('/').at(-1)}`);
      expect(receipt.status).toBe(200);
      expect(receipt.body.id).toBe(envelope.id);
      expect(hashesOf(receipt.body)).toEqual(hashesOf(envelope));
    });
    await service.stop();
  });
});

/** Sends until the service is gone: mostly new messages, some replies, and some repeats of keys with or without a response. */
async function write(api: Api, isOver: { value: boolean }): Promise<void> {
  while (!isOver.value) {
    const earlier = randomInt(4) === 0 ? earlierIntent() : undefined;
    const intent = earlier ?? newIntent();
    try {
      record(intent, await send(api, intent));
    } catch {
      cutOff++;
      if (!acknowledged.has(intent.key)) unresponded.set(intent.key, intent);
      return;
    }
    await sleep(randomInt(8));
  }
}

function newIntent(): Intent {
  const key = randomUUID();
  const parent = randomInt(5) === 0 ? anyOf([...acknowledged.values()]) : undefined;
  return { key, body: { ...(parent ? { in_reply_to: parent.id } : { to: 'globex' }), json: { key } }, isImpatient: randomInt(2) === 0 };
}

function earlierIntent(): Intent | undefined {
  const impatient = [...unresponded.values()].filter(({ isImpatient }) => isImpatient);
  if (impatient.length > 0) return anyOf(impatient);
  const key = anyOf([...acknowledged.keys()]);
  return key === undefined ? undefined : { key, body: { to: 'globex', note: 'the body of a repeat does not count' }, isImpatient: true };
}

function record(intent: Intent, response: ApiResponse): void {
  const before = acknowledged.get(intent.key);
  if (response.status !== 201) {
    surprises.push(`${response.status} ${response.text}`);
    return;
  }
  // If two clients repeat a key at once, the first need not get the first response.
  if (!isReplay(response)) {
    if (sentBy201.has(intent.key)) surprises.push(`sent twice: ${response.text}`);
    sentBy201.add(intent.key);
  }
  if (before === undefined) {
    acknowledged.set(intent.key, seen(response.body));
    unresponded.delete(intent.key);
  } else {
    repeats++;
    if (!isDeepStrictEqual(seen(response.body), before)) surprises.push(`a different repeat: ${response.text}`);
  }
}

function send(api: Api, { key, body }: Intent): Promise<ApiResponse> {
  return api.send(body, { 'idempotency-key': key });
}

function isReplay({ headers }: ApiResponse): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

/** Each start has another port, and so another address of receipts. */
function seen(envelope: Envelope): Envelope {
  return { ...envelope, receipt_url: new URL(envelope.receipt_url).pathname };
}

function hashesOf(message: Envelope): object {
  return { content_hash: message?.content_hash, json_sha256: message?.json_sha256 };
}

function anyOf<T>(items: T[]): T | undefined {
  return items.length === 0 ? undefined : items[randomInt(items.length)];
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: WRITERS }, worker));
}
