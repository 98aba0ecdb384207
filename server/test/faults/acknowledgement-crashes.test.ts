import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { newSigningKey, signedWrite } from '../support/signing.ts';

const KILLS = 3;
const MESSAGES = 60;

let service: TestService;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

test('a process that is killed leaves acknowledgements with both parties, and in the log, or nowhere', async () => {
  for (let round = 0; round < KILLS; round++) {
    const ids: string[] = [];
    for (let i = 0; i < MESSAGES; i++) ids.push((await acme.api.send({ to: 'globex', json: { i } })).body.id);
    const settings = { DATABASE_URL: service.databaseUrl, PORT: String(await freePort()), RATE_LIMIT_PER_MINUTE: '0' };
    const killed = await startProcess({ env: settings, args: ['--role', 'api'] });
    const there = new Api(killed.url, globex.secret);
    const confirmed = new Set<string>();
    const all = Promise.allSettled(
      ids.map(async (id) => {
        const { status } = await there.write('POST', `/messages/${id}/acknowledge`, { status: 'accepted' });
        if (status === 201) confirmed.add(id);
      }),
    );
    await sleep(randomInt(5, 60));
    await killed.stop('SIGKILL');
    await all;
    await sleep(500);
    let acknowledged = 0;
    for (const id of ids) {
      const [mine, theirs] = await Promise.all([acme, globex].map(({ api }) => api.get(`/messages/${id}/acknowledgements`)));
      expect(mine?.body).toEqual(theirs?.body);
      if (confirmed.has(id)) expect(mine?.body.data).toHaveLength(1);
      acknowledged += mine?.body.data.length;
      const again = await globex.api.write('POST', `/messages/${id}/acknowledge`, { status: 'accepted' });
      expect(again.status).toBe(mine?.body.data.length === 1 ? 200 : 201);
    }
    expect(acknowledged).toBeGreaterThanOrEqual(confirmed.size);
  }
  const [leaves] = await service.sql<{ count: number }>(`SELECT count(*)::integer AS count FROM log_batches WHERE get_byte(leaves, 0) = 3`);
  const [rows] = await service.sql<{ count: number }>('SELECT count(*)::integer AS count FROM acknowledgements');
  expect([leaves?.count, rows?.count]).toEqual([KILLS * MESSAGES, 2 * KILLS * MESSAGES]);
});

test('a process that is killed leaves replies together with what they acknowledge, or nothing', async () => {
  const ids: string[] = [];
  for (let i = 0; i < MESSAGES; i++) ids.push((await acme.api.send({ to: 'globex', type: 'order', json: { i } })).body.id);
  const settings = { DATABASE_URL: service.databaseUrl, PORT: String(await freePort()), RATE_LIMIT_PER_MINUTE: '0' };
  for (let round = 0; round < KILLS; round++) {
    const killed = await startProcess({ env: settings });
    const there = new Api(killed.url, globex.secret);
    const some = ids.slice((round * MESSAGES) / KILLS, ((round + 1) * MESSAGES) / KILLS);
    const confirmed = new Set<string>();
    const all = Promise.allSettled(
      some.map(async (id) => {
        const { status } = await there.send({ in_reply_to: id, acknowledge: { status: 'accepted', reason: id } });
        if (status === 201) confirmed.add(id);
      }),
    );
    await sleep(randomInt(5, 60));
    await killed.stop('SIGKILL');
    await all;
    const replied = async (id: string) => {
      const { thread_id } = (await globex.api.get(`/messages/${id}`)).body;
      return (await globex.api.get(`/threads/${thread_id}`)).body.data.length === 2;
    };
    const acknowledged = async (id: string, by: TestBusiness) =>
      (await by.api.get(`/messages/${id}/acknowledgements`)).body.data.map(({ reason }: { reason: string }) => reason);
    for (const id of some) {
      const isReplied = await replied(id);
      if (confirmed.has(id)) expect(isReplied).toBe(true);
      for (const by of [acme, globex]) await expect.poll(() => acknowledged(id, by), { timeout: 10_000 }).toEqual(isReplied ? [id] : []);
    }
  }
  expect(await service.sql('SELECT FROM due_acknowledgements')).toEqual([]);
});

test('a key that is revoked while sends are under way signs none that begin after the revocation; no send loses its signature', async () => {
  const key = await newSigningKey(service, acme);
  const party = (await service.sql<{ id: string }>("SELECT id FROM parties WHERE handle = 'acme'"))[0]?.id;
  const underWay = Array.from({ length: 40 }, (_, n) => signedWrite(acme, key, '/messages', { to: 'globex', json: { n } }));
  await sleep(5);
  await service.sql('UPDATE signing_keys SET revoked_at = now() WHERE party_id = $1 AND public_key = $2', [
    party,
    Buffer.from(key.publicKey, 'base64'),
  ]);
  const after = await signedWrite(acme, key, '/messages', { to: 'globex' });
  expect([after.status, after.body.error.code]).toEqual([400, 'invalid_signature']);
  for (const { status, body } of await Promise.all(underWay)) {
    if (status === 201) expect((await globex.api.get(`/messages/${body.id}/signature`)).status).toBe(200);
    else expect(body.error.code).toBe('invalid_signature');
  }
});
