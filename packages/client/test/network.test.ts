import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../server/test/support/free-port.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '../../../server/test/support/process.ts';
import { createDatabase, startTestService, type TestService } from '../../../server/test/support/service.ts';
import { type Message, Waybill } from '../src/index.ts';
import { startUnsteadyNetwork, type UnsteadyNetwork } from './support/unsteady-network.ts';

async function idsIn(messages: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of messages) ids.push(id);
  return ids;
}

describe('on an unsteady network', () => {
  let service: TestService;
  let network: UnsteadyNetwork;
  let [acme, globex] = [] as unknown as [Waybill, Waybill];
  let acmeKey: string;

  beforeAll(async () => {
    service = await startTestService();
    network = await startUnsteadyNetwork(service.url);
    acmeKey = (await service.business('acme')).secret;
    acme = new Waybill({ baseUrl: network.url, key: acmeKey });
    globex = new Waybill({ baseUrl: network.url, key: (await service.business('globex')).secret });
  });
  afterAll(async () => {
    await network.stop();
    await service.stop();
  });

  test('a send whose response is lost is repeated, and delivered once', async () => {
    // The whole request arrives, but only the first bytes of the response get through.
    network.cutAfter = [{ service: 20 }, { service: 400 }];
    const sent = await acme.send({ to: 'globex', type: 'lost-response', json: { order: 4711 } });
    expect(network.cuts).toBe(2);
    expect(await idsIn(globex.inbox({ type: 'lost-response' }))).toEqual([sent.id]);
  });

  test('a request that could do harm twice is not repeated', async () => {
    const { thread_id } = await acme.send({ to: 'globex' });
    // A separate network without open connections.
    const other = await startUnsteadyNetwork(service.url);
    other.cutAfter = [{ service: 20 }];
    const waybill = new Waybill({ baseUrl: other.url, key: acmeKey });
    await expect(waybill.comment(thread_id, { text: 'Once only' })).rejects.toMatchObject({ code: 'connection_failed', status: 0 });
    expect((await acme.comments(thread_id).take(9)).map(({ text }) => text)).toEqual(['Once only']);
    await other.stop();
  });

  test('a slow network is waited for, up to the time-out', async () => {
    network.delayMs = 150;
    try {
      expect((await acme.me()).business.handle).toBe('acme');
      const hasty = new Waybill({ baseUrl: network.url, key: acmeKey, timeoutMs: 50, maxRetries: 1 });
      await expect(hasty.me()).rejects.toMatchObject({ code: 'timed_out', isTemporary: true });
    } finally {
      network.delayMs = 0;
    }
  });

  test('when nobody gets through, the error says so after the last try', async () => {
    const other = await startUnsteadyNetwork(service.url);
    other.isDown = true;
    await expect(new Waybill({ baseUrl: other.url, key: acmeKey, maxRetries: 2 }).me()).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining(other.url),
    });
    expect(other.connections).toBe(3);
    await other.stop();
  });

  test('an abort ends a request, and the pause before its next try', async () => {
    network.isDown = true;
    network.cutAll();
    const aborting = new AbortController();
    const connections = network.connections;
    const request = acme.me({ signal: aborting.signal });
    const outcome = expect(request).rejects.toThrow('never mind');
    await expect.poll(() => network.connections).toBeGreaterThan(connections);
    aborting.abort(new Error('never mind'));
    await outcome;
    network.isDown = false;
    await expect(acme.me({ signal: aborting.signal })).rejects.toThrow('never mind');
  });

  test('events and followed messages survive broken connections', async () => {
    const stopping = new AbortController();
    const got: string[] = [];
    const ready = Promise.withResolvers<void>();
    const following = (async () => {
      for await (const message of globex.follow({ signal: stopping.signal, onReady: ready.resolve })) got.push(message.id);
    })();
    await ready.promise;
    const sent: string[] = [];
    for (let i = 0; i < 4; i++) {
      sent.push((await acme.send({ to: 'globex', type: 'followed' })).id);
      await expect.poll(() => got, { timeout: 60_000 }).toEqual(sent);
      network.cutAll();
    }
    stopping.abort();
    await following;
  });

  test('events tell what there can be, and end with the key', async () => {
    const business = await service.business('watcher');
    const watcher = new Waybill({ baseUrl: network.url, key: business.secret });
    const events = watcher.events();
    const types = new Set([(await events.next()).value?.type, (await events.next()).value?.type]);
    expect(types).toEqual(new Set(['messages', 'threads']));
    await acme.send({ to: 'watcher' });
    expect((await events.next()).value).toEqual({ type: 'messages', inbox: true, outbox: false });
    await events.return();
    await expect(new Waybill({ baseUrl: network.url, key: 'wb_none' }).events().next()).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('at the limits', () => {
  test('429 is waited for as long as the service says', async () => {
    const service = await startTestService({ RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_BURST: '3' });
    let refused = 0;
    const waybill = new Waybill({
      baseUrl: service.url,
      key: (await service.business('acme')).secret,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (response.status === 429) refused++;
        return response;
      },
    });
    await service.business('globex');
    const sent = await Promise.all(Array.from({ length: 6 }, () => waybill.send({ to: 'globex' })));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(6);
    expect(refused).toBeGreaterThan(0);
    await service.stop();
  });

  test('a limit that lasts for long is reported at once', async () => {
    const service = await startTestService({ MONTHLY_MESSAGE_LIMIT: '1' });
    const waybill = new Waybill({ baseUrl: service.url, key: (await service.business('acme')).secret });
    await service.business('globex');
    await waybill.send({ to: 'globex' });
    const error = await waybill.send({ to: 'globex' }).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'quota_exceeded', status: 429, details: [{ limit: expect.any(String) }] });
    expect(error.retryAfterS).toBeGreaterThan(0);
    await service.stop();
  });
});

test('a service that is killed and started again loses nothing and sends nothing twice', async () => {
  const databaseUrl = await createDatabase();
  const helper = await startTestService({ DATABASE_URL: databaseUrl });
  const keys = [(await helper.business('acme')).secret, (await helper.business('globex')).secret];
  await helper.stop();
  const port = String(await freePort());
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: temporaryFolder(),
    PORT: port,
    RATE_LIMIT_PER_MINUTE: '0',
    PUBLIC_RATE_LIMIT_PER_MINUTE: '0',
    MONTHLY_MESSAGE_LIMIT: '0',
  };
  let running: ServiceProcess = await startProcess({ env });
  const [acme, globex] = keys.map((key) => new Waybill({ baseUrl: `http://127.0.0.1:${port}`, key, maxRetries: 30 })) as [Waybill, Waybill];
  const [stopping, consumed] = [new AbortController(), new Set<string>()];
  const settings = { start: 'beginning' };
  const consuming = globex.consume('orders', ({ id }: Message) => void consumed.add(id), { settings, signal: stopping.signal, leaseS: 3 });
  const sent: string[] = [];
  let isOver = false;
  const sending = Array.from({ length: 4 }, async () => {
    while (!isOver) sent.push((await acme.send({ to: 'globex', json: { n: sent.length } })).id);
  });
  for (let kills = 0; kills < 3; kills++) {
    const before = sent.length;
    await expect.poll(() => sent.length, { timeout: 120_000 }).toBeGreaterThan(before + 20);
    await running.stop('SIGKILL');
    running = await startProcess({ env });
  }
  isOver = true;
  await Promise.all(sending);
  expect(new Set(await idsIn(globex.inbox({ limit: 200, include: 'summary' })))).toEqual(new Set(sent));
  expect(new Set(sent).size).toBe(sent.length);
  await expect.poll(() => consumed.size, { timeout: 120_000 }).toBe(sent.length);
  stopping.abort();
  await consuming;
  await running.stop();
});
