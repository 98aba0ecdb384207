import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsumerClient } from '../support/consumers.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const KILLS = 4;
const MESSAGES = 300;
const AT_ONCE = 100;

let service: TestService;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
// Workers that number hand-overs run in processes of their own, which are killed.
beforeAll(async () => {
  service = await startTestService({}, 'api');
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

const count = async (text: string) =>
  (await service.sql<{ count: number }>(`SELECT count(*)::integer AS count FROM ${text}`))[0]?.count ?? 0;
const logged = async () =>
  (await service.sql<{ leaves: Buffer }>('SELECT leaves FROM log_batches WHERE get_byte(leaves, 0) = 7')).reduce(
    (sum, { leaves }) => sum + leaves.length / 33,
    0,
  );
const worker = async () =>
  startProcess({
    env: { DATABASE_URL: service.databaseUrl, PORT: String(await freePort()), LOG_LEVEL: 'error' },
    args: ['--role', 'worker'],
  });

test('a worker that is killed while it numbers hand-overs leaves each with its number and its leaf, or none of them', async () => {
  const orders = new ConsumerClient(globex.api, 'orders', 'w1');
  await orders.put();
  const ids: string[] = [];
  for (let round = 0; round < KILLS; round++) {
    for (let n = 0; n < MESSAGES; n += AT_ONCE) {
      const messages = Array.from({ length: AT_ONCE }, () => ({ to: 'globex' }));
      const { body } = await acme.api.write('POST', '/messages/batch', { messages });
      ids.push(...body.data.map(({ message }: { message: { id: string } }) => message.id));
    }
    const noted = ids.slice(-MESSAGES);
    for (let n = 0; n < MESSAGES; n += AT_ONCE) await orders.do('ack', await orders.leaseIds({ limit: AT_ONCE }));
    const killed = await worker();
    const saying = noted.slice(0, 20).map((id) => globex.api.write('POST', `/messages/${id}/acknowledge`, { status: 'accepted' }));
    await sleep(randomInt(0, 800));
    await killed.stop('SIGKILL');
    expect((await Promise.all(saying)).every(({ status, body }) => status === 201 && body.number === 2)).toBe(true);
    const numbered = await count('hand_overs');
    expect([numbered + (await count('noted_hand_overs')), await logged()]).toEqual([ids.length, numbered]);
  }
  const last = await worker();
  await expect.poll(() => count('noted_hand_overs')).toBe(0);
  await last.stop();
  expect([await count('hand_overs'), await logged(), await count('hand_overs WHERE number <> 1')]).toEqual([ids.length, ids.length, 0]);
});
