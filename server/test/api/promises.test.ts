import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LEAF, leafOf, parsePromise, policyOf, verifyPromise, verifyProof } from '@waybill/proof';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LOGGED_WAITS_PER_BUSINESS_MAX, PROMISE_INCLUSION_WITHIN_S } from '../../src/contract/limits.ts';
import { LogReader } from '../support/log.ts';
import { dataFolderOf, runProgram, temporaryFolder } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let vkey: string;

beforeAll(async () => {
  service = await startTestService();
  [acme, globex] = [await service.business('acme'), await service.business('globex')];
  vkey = (await new LogReader(service.url).wellKnown()).log.vkey;
});
afterAll(() => service.stop());

const verified = async (text = '', key = vkey) => {
  const { verdict, promise, checks } = await verifyPromise(text, { vkeys: [key] });
  expect(verdict, JSON.stringify(checks)).toBe('verified');
  return promise;
};
const metric = async ({ url }: { url: string }, name: string) => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^waybill_${name} (\\d+)$`, 'm').exec(text)?.[1]);
};
const positionsOf = async (handle: string, from = service): Promise<string[]> => {
  const rows = await from.sql<{ position: string }>(
    `SELECT e.position FROM ledger_entries e JOIN parties p ON p.id = e.party_id WHERE p.handle = $1 AND e.box = 'out' ORDER BY e.position`,
    [handle],
  );
  return rows.map(({ position }) => position);
};

describe('the response to a send', () => {
  test('promises when the message will be in the log, in its body and its header', async () => {
    const { status, body, headers, promises = [] } = await acme.api.send({ to: 'globex', json: { n: 1 } });
    expect([status, promises.length]).toEqual([201, 1]);
    expect(Buffer.from(headers.get('waybill-promise') ?? '', 'base64').toString('utf8')).toBe(promises[0]);
    const promise = await verified(promises[0]);
    expect(promise).toMatchObject({ contentHash: body.content_hash, log: vkey.split('+')[0] });
    expect([promise.position]).toEqual((await positionsOf('acme')).slice(-1));
    const [at, by] = [Date.parse(promise.at), Date.parse(promise.by)];
    expect([by - at, at >= Date.parse(body.received_at)]).toEqual([PROMISE_INCLUSION_WITHIN_S * 1_000, true]);
    await new LogReader(service.url).until([body.content_hash]);
    expect(headers.get('preference-applied')).toBeNull();
    expect(body).toEqual((await acme.api.get(`/messages/${body.id}`)).body);
  });

  test('shares its signature with those that are sent at the same time', async () => {
    const sender = await service.business('many-at-once');
    const sent = await Promise.all(Array.from({ length: 40 }, (_, i) => sender.api.send({ to: 'globex', subject: `${i}` })));
    const texts = sent.map(({ promises }) => promises?.[0] ?? '');
    const promises = await Promise.all(texts.map((text) => verified(text)));
    expect(promises.map(({ contentHash }) => contentHash)).toEqual(sent.map(({ body }) => body.content_hash));
    expect(promises.map(({ position }) => position).toSorted()).toEqual(await positionsOf('many-at-once'));
    expect(new Set(texts.map((text) => parsePromise(text).tree.root)).size).toBeLessThan(40);
  });

  test('promises a reply and a message to oneself, and nothing of a refused one', async () => {
    const { body: parent } = await acme.api.send({ to: 'globex' });
    for (const message of [{ in_reply_to: parent.id }, { to: 'globex' }]) {
      const { body, promises = [] } = await globex.api.send(message);
      expect((await verified(promises[0])).contentHash).toBe(body.content_hash);
    }
    const refused = await acme.api.send({ to: 'nobody-here' });
    expect([refused.status, refused.promises, refused.headers.get('waybill-promise')]).toEqual([404, [], null]);
  });

  test('promises a repeat again, at the position of the original', async () => {
    const [first, again] = [
      await acme.api.send({ to: 'globex' }, { 'idempotency-key': 'promised' }),
      await acme.api.send('not even JSON', { 'idempotency-key': 'promised' }),
    ];
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const [original, repeat] = [await verified(first.promises?.[0]), await verified(again.promises?.[0])];
    expect(repeat).toMatchObject({ contentHash: original.contentHash, position: original.position });
  });

  test('promises nothing of a repeat of a message that is older than the log', async () => {
    const { body } = await acme.api.send({ to: 'globex' }, { 'idempotency-key': 'from-before' });
    await service.sql('UPDATE messages SET log_batch = NULL, log_slot = NULL WHERE content_hash = $1', [
      Buffer.from(body.content_hash.slice('sha256:'.length), 'hex'),
    ]);
    const again = await acme.api.send({ to: 'globex' }, { 'idempotency-key': 'from-before' });
    expect([again.status, again.promises]).toEqual([201, []]);
  });

  test('promises nothing of a repeat of a message in a log that has ended', async () => {
    const alone = await startTestService();
    onTestFinished(() => alone.stop());
    const sender = await alone.business('acme');
    const send = (key: string) => sender.api.send({ to: 'acme' }, { 'idempotency-key': key });
    const [kept] = (await send('kept')).promises ?? [];
    await new LogReader(alone.url).until([parsePromise(kept ?? '').promise.contentHash]);
    const env = { DATABASE_URL: alone.databaseUrl, DATA_DIR: dataFolderOf(alone.databaseUrl), LOG_KEY_PLAINTEXT: 'allow' };
    expect((await runProgram('cli', { env, args: ['log', 'new', '--reason', 'moved'] })).stderr).toBe('');
    const later = await alone.sibling();
    onTestFinished(() => later.stop());
    const { origin } = (await new LogReader(later.url).wellKnown()).log;
    const sent = await sender.api.at(later.url).send({ to: 'acme' }, { 'idempotency-key': 'new' });
    expect(parsePromise(sent.promises?.[0] ?? '').promise.log).toBe(origin);
    const again = await sender.api.at(later.url).send({ to: 'acme' }, { 'idempotency-key': 'kept' });
    expect([again.status, again.headers.get('idempotent-replayed'), again.promises]).toEqual([201, 'true', []]);
    expect((await sender.api.at(later.url).send({ to: 'acme' }, { 'idempotency-key': 'new' })).promises).toHaveLength(1);
  });

  test('promises each delivered message of a batch, by one signature', async () => {
    const sender = await service.business('in-a-batch');
    const messages = [{ to: 'globex', subject: 'a' }, { to: 'nobody-here' }, { to: 'globex', subject: 'b' }, { to: 'acme', subject: 'c' }];
    const { status, body, promises = [] } = await sender.api.write('POST', '/messages/batch', { messages });
    expect([status, promises.length]).toEqual([200, 3]);
    const made = await Promise.all(promises.map((text) => verified(text)));
    const delivered = body.data.flatMap(({ message }: { message: { content_hash: string } | null }) => message?.content_hash ?? []);
    expect(made.map(({ contentHash }) => contentHash)).toEqual(delivered);
    expect(made.map(({ position }) => position)).toEqual(await positionsOf('in-a-batch'));
    expect(new Set(promises.map((text) => parsePromise(text).treeNote)).size).toBe(1);
  });
});

describe('Prefer: wait=logged', () => {
  test.each(['wait=logged', 'respond-async, Wait=Logged '])('gets the proof with the response: %s', async (prefer) => {
    const { status, body, headers } = await acme.api.send({ to: 'globex' }, { prefer });
    expect([status, headers.get('preference-applied')]).toEqual([201, 'wait=logged']);
    const { index, checkpoint } = await verifyProof(body.proof, leafOf(LEAF.message, body.content_hash), policyOf(vkey));
    expect(index).toBeLessThan(checkpoint.size);
  });

  test('gets the proof of a repeat that the log has had for long', async () => {
    const headers = { 'idempotency-key': 'waited-for', prefer: 'wait=logged' };
    const first = await acme.api.send({ to: 'globex' }, headers);
    const again = await acme.api.send({ to: 'globex' }, headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const { body } of [first, again]) await verifyProof(body.proof, leafOf(LEAF.message, first.body.content_hash), policyOf(vkey));
  });

  test.each(['wait=5', 'wait=loggedx', 'return=minimal', ','.repeat(8_000)])('waits for nothing else: %.20s', async (prefer) => {
    const { status, body, headers } = await acme.api.send({ to: 'globex' }, { prefer });
    expect([status, body.proof, headers.get('preference-applied')]).toEqual([201, undefined, null]);
  });

  test('waits for some seconds at most, and only so many of a business at a time', async () => {
    const alone = await startTestService({}, 'api');
    onTestFinished(() => alone.stop());
    const sender = await alone.business('acme');
    let ended = 0;
    const waits = Array.from({ length: LOGGED_WAITS_PER_BUSINESS_MAX + 1 }, async () => {
      const response = await sender.api.send({ to: 'acme' }, { prefer: 'wait=logged' });
      ended++;
      return response;
    });
    await Promise.race(waits);
    expect(ended).toBe(1);
    for (const { status, body, headers, promises = [] } of await Promise.all(waits))
      expect([status, body.proof, headers.get('preference-applied'), promises.length]).toEqual([201, undefined, null, 1]);
  });

  test('waits no longer than the client', async () => {
    const alone = await startTestService({}, 'api');
    onTestFinished(() => alone.stop());
    const sender = await alone.business('acme');
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${sender.secret}`, 'content-type': 'application/json', prefer: 'wait=logged' };
    const init = { method: 'POST', headers, body: '{"to":"acme"}', signal: leaving.signal };
    let hasEnded = false;
    const staying = sender.api.send({ to: 'acme' }, { prefer: 'wait=logged' }).finally(() => {
      hasEnded = true;
    });
    await expect.poll(() => metric(alone, 'logged_waits')).toBe(1);
    const left = fetch(`${alone.url}/v1/messages`, init).catch(({ name }) => name);
    await expect.poll(() => metric(alone, 'logged_waits')).toBe(2);
    leaving.abort();
    expect(await left).toBe('AbortError');
    // The one that came first waits on, so no time limit has ended the other.
    await expect.poll(() => metric(alone, 'logged_waits'), { interval: 20 }).toBe(1);
    expect(hasEnded).toBe(false);
    await staying;
    expect((await sender.api.get('/outbox')).body.data).toHaveLength(2);
  });
});

describe('a service that can promise nothing', () => {
  test('because the program of its key fails, delivers all the same, and says so', async () => {
    const program = path.join(temporaryFolder(), 'fails.sh');
    writeFileSync(program, '#!/bin/sh\nexit 3\n');
    chmodSync(program, 0o700);
    const without = await startTestService({ LOG_KEY_COMMAND: program, LOG_PUBLIC_KEY: Buffer.alloc(32, 7).toString('base64') }, 'api');
    onTestFinished(() => without.stop());
    const sender = await without.business('acme');
    const { status, promises, headers } = await sender.api.send({ to: 'acme' });
    expect([status, promises, headers.get('waybill-promise')]).toEqual([201, [], null]);
    const batch = await sender.api.write('POST', '/messages/batch', { messages: [{ to: 'acme' }] });
    expect([batch.body.data[0].status, batch.promises]).toEqual([201, []]);
    expect((await without.anonymous.request('GET', '/readyz')).body).toMatchObject({
      status: 'ok',
      promises: expect.stringContaining('certified no key'),
    });
    expect(await metric(without, 'promises_fault')).toBe(1);
  });

  test('because its log is at fault, promises what it could not keep no more', async () => {
    const first = await startTestService({}, 'api');
    onTestFinished(() => first.stop());
    await first.sql(`UPDATE logs SET fault = 'the key is missing'`);
    const later = await first.sibling();
    onTestFinished(() => later.stop());
    const sender = await first.business('acme');
    expect((await sender.api.at(later.url).send({ to: 'acme' })).promises).toEqual([]);
    expect((await later.anonymous.request('GET', '/readyz')).body.promises).toContain('at fault');
  });

  test('is none that was started again: it has another key, and what the former one signed stays true', async () => {
    const first = await startTestService({}, 'api');
    onTestFinished(() => first.stop());
    const key = (await new LogReader(first.url).wellKnown()).log.vkey;
    const sender = await first.business('acme');
    const before = (await sender.api.send({ to: 'acme' })).promises?.[0];
    const again = await first.sibling();
    onTestFinished(() => again.stop());
    const after = (await sender.api.at(again.url).send({ to: 'acme' })).promises?.[0];
    const [one, other] = [await verified(before, key), await verified(after, key)];
    expect(one.log).toBe(other.log);
    expect(parsePromise(before ?? '').key.vkey).not.toBe(parsePromise(after ?? '').key.vkey);
    expect(await metric(again, 'promises_fault')).toBe(0);
  });
});
