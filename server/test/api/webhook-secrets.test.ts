import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { type Delivery, type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { verifyOwn, verifyStandard } from '../support/verify-webhook.ts';
import { attemptsOf, createWebhook, hasSucceeded } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 20 };
const newKey = () => randomBytes(32).toString('base64');
const [FIRST_KEY, SECOND_KEY] = [newKey(), newKey()];

let service: TestService;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, SECRETS_KEY: FIRST_KEY });
  sender = await service.business('sender');
});
beforeEach(async () => {
  receiver.respond = withStatus(204);
  acme = await service.business(`acme-${++businesses}`);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const urlOf = (name: string) => receiver.url(`/${acme.handle}/${name}`);
const rotate = ({ id }: { id: string }, body: unknown) => acme.api.write('POST', `/webhooks/${id}/rotate-secret`, body);

async function rotated(webhook: { id: string }, graceS: number): Promise<{ secret: string; previous_valid_until: string | null }> {
  const { status, text, body } = await rotate(webhook, { grace_s: graceS });
  expect(status, text).toBe(200);
  return body;
}

async function delivered(webhook: { id: string }, name: string): Promise<Delivery> {
  const before = receiver.at(`/${acme.handle}/${name}`).length;
  const { status } = await sender.api.send({ to: acme.handle });
  expect(status).toBe(201);
  await attemptsOf(acme.api, webhook.id, before + 1);
  const delivery = receiver.at(`/${acme.handle}/${name}`)[before];
  if (!delivery) throw new Error('nothing was delivered');
  return delivery;
}

/** Returns the secrets that verify a delivery, in both schemes alike. */
function proving(delivery: Delivery, secrets: string[]): string[] {
  const own = secrets.filter((secret) => verifyOwn(delivery, secret));
  expect(secrets.filter((secret) => verifyStandard(delivery, secret))).toEqual(own);
  return own;
}

const stored = async ({ id }: { id: string }) => {
  const [row] = await service.sql<{ secret: string; previous_secret: string | null; headers: string | null }>(
    'SELECT secret, previous_secret, headers FROM webhooks WHERE id = $1',
    [parseId('wh', id)],
  );
  if (!row) throw new Error('no such webhook');
  return row;
};
const runChore = () => service.sql("SELECT graphile_worker.add_job('encrypt-webhook-secrets')");

describe('POST /webhooks/{id}/rotate-secret', () => {
  test('gives a new secret; until the grace is over, both prove each delivery', async () => {
    const webhook = await createWebhook(acme.api, urlOf('rotated'));
    const first = webhook.secret;
    expect(proving(await delivered(webhook, 'rotated'), [first])).toEqual([first]);
    const from = Date.now();
    const { secret: second, previous_valid_until } = await rotated(webhook, 3_600);
    expect(second).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Math.abs(Date.parse(String(previous_valid_until)) - from - 3_600_000)).toBeLessThan(60_000);
    const both = await delivered(webhook, 'rotated');
    expect(proving(both, [first, second])).toEqual([first, second]);
    expect(both.headers['waybill-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(both.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);

    await service.sql(`UPDATE webhooks SET previous_secret_until = now() - interval '1 second' WHERE id = $1`, [parseId('wh', webhook.id)]);
    // A lease from within the grace period is used for two more seconds at most.
    await expect.poll(async () => proving(await delivered(webhook, 'rotated'), [first, second]), PATIENTLY).toEqual([second]);
    await runChore();
    await expect.poll(async () => (await stored(webhook)).previous_secret, PATIENTLY).toBeNull();
  });

  test('without grace ends the secret before at once, also for attempts that are leased ahead', async () => {
    const webhook = await createWebhook(acme.api, urlOf('at-once'));
    await hasSucceeded(service, webhook);
    const first = webhook.secret;
    await delivered(webhook, 'at-once');
    const { secret: second, previous_valid_until } = await rotated(webhook, 0);
    expect(previous_valid_until).toBeNull();
    expect(proving(await delivered(webhook, 'at-once'), [first, second])).toEqual([second]);
  });

  test('twice keeps the last secret before', async () => {
    const webhook = await createWebhook(acme.api, urlOf('twice'));
    const { secret: second } = await rotated(webhook, 3_600);
    const { secret: third } = await rotated(webhook, 3_600);
    expect(proving(await delivered(webhook, 'twice'), [webhook.secret, second, third])).toEqual([second, third]);
  });

  test('shows no secret anywhere else', async () => {
    const webhook = await createWebhook(acme.api, urlOf('shown'));
    const { secret } = await rotated(webhook, 3_600);
    for (const path of [`/webhooks/${webhook.id}`, '/webhooks', `/webhooks/${webhook.id}/deliveries`]) {
      const { text } = await acme.api.get(path);
      for (const each of [secret, webhook.secret, 'whsec_']) expect(text).not.toContain(each);
    }
  });

  test.each([[{}], [{ grace_s: -1 }], [{ grace_s: 604_801 }], [{ grace_s: 1.5 }], [{ grace_s: '60' }], [{ grace_s: null }]])(
    'refuses %j',
    async (body) => {
      const webhook = await createWebhook(acme.api, urlOf('refused'));
      expectInvalid(await rotate(webhook, body), 'grace_s');
    },
  );

  test('knows no webhook of another business', async () => {
    const other = await service.business(`other-${businesses}`);
    const webhook = await createWebhook(other.api, urlOf('others'));
    const before = await stored(webhook);
    expectRefusal(await rotate(webhook, { grace_s: 0 }), 'not_found');
    expect(await stored(webhook)).toEqual(before);
  });
});

describe('in the database', () => {
  const secretsIn = async (webhook: { id: string }) => JSON.stringify(await stored(webhook));

  test('secrets and the values of headers are encrypted, and each value belongs to its webhook', async () => {
    const [one, two] = [await createWebhook(acme.api, urlOf('one')), await createWebhook(acme.api, urlOf('two'))];
    await acme.api.patch(`/webhooks/${one.id}`, { headers: { 'x-token': 't0ps3cret' } });
    await rotated(one, 3_600);
    const text = await secretsIn(one);
    expect(text.match(/§[0-9a-f]{8}\./g)).toHaveLength(3);
    expect(text).not.toMatch(/whsec_|t0ps3cret/);
    expect((await delivered(one, 'one')).headers['x-token']).toBe('t0ps3cret');

    await attemptsOf(acme.api, two.id, 1);
    // A secret that was copied in the database to another webhook signs nothing there.
    await service.sql('UPDATE webhooks SET secret = $2 WHERE id = $1', [parseId('wh', two.id), (await stored(one)).secret]);
    const before = receiver.at(`/${acme.handle}/two`).length;
    await sender.api.send({ to: acme.handle });
    await attemptsOf(acme.api, one.id, 2);
    await service.sql('UPDATE webhooks SET secret = $2 WHERE id = $1', [parseId('wh', two.id), 'whsec_AAAA']);
    await attemptsOf(acme.api, two.id, 2);
    for (const delivery of receiver.at(`/${acme.handle}/two`).slice(before)) expect(verifyOwn(delivery, 'whsec_AAAA')).toBe(true);
  });

  test('what is plain, or encrypted with an older key, is encrypted with the current one by a chore', async () => {
    const webhook = await createWebhook(acme.api, urlOf('renewed'));
    await acme.api.patch(`/webhooks/${webhook.id}`, { headers: { 'x-token': 'abc' } });
    await rotated(webhook, 3_600);
    const before = await stored(webhook);
    const plain = await createWebhook(acme.api, urlOf('plain'));
    await service.sql('UPDATE webhooks SET secret = $2 WHERE id = $1', [parseId('wh', plain.id), plain.secret]);
    expect(proving(await delivered(plain, 'plain'), [plain.secret])).toEqual([plain.secret]);

    await runChore();
    await expect.poll(() => secretsIn(plain), PATIENTLY).not.toContain('whsec_');
    expect(await stored(webhook)).toEqual(before);
    expect(proving(await delivered(plain, 'plain'), [plain.secret])).toEqual([plain.secret]);
  });
});

test('with a new key, what the former one encrypted is read and encrypted again; without the former one the service does not start', async () => {
  const former = await startTestService({ ...receiverSettings, SECRETS_KEY: FIRST_KEY });
  const { api } = await former.business('corp');
  const webhook = await createWebhook(api, receiver.url('/corp'));
  await former.stop();
  const start = (env: Record<string, string>) => startTestService({ ...receiverSettings, DATABASE_URL: former.databaseUrl, ...env });
  for (const env of [{}, { SECRETS_KEY: SECOND_KEY }, { SECRETS_OLD_KEYS: SECOND_KEY }])
    await expect(start(env as Record<string, string>)).rejects.toThrow(
      /^Secrets of webhooks are encrypted with the key [0-9a-f]{8}: add it to/,
    );

  const tested = async (now: TestService, attempts: number) => {
    await api.at(now.url).request('POST', `/v1/webhooks/${webhook.id}/test`);
    await attemptsOf(api.at(now.url), webhook.id, attempts);
    const delivery = receiver.at('/corp')[attempts - 1];
    return delivery !== undefined && verifyOwn(delivery, webhook.secret);
  };
  const next = await start({ SECRETS_KEY: SECOND_KEY, SECRETS_OLD_KEYS: `${newKey()}, ${FIRST_KEY}` });
  expect(await tested(next, 1)).toBe(true);
  const secret = async () => (await next.sql<{ secret: string }>('SELECT secret FROM webhooks'))[0]?.secret;
  const before = await secret();
  await next.sql("SELECT graphile_worker.add_job('encrypt-webhook-secrets')");
  await expect.poll(secret, PATIENTLY).not.toBe(before);
  const logKey = async () => (await next.sql<{ secret: string }>('SELECT secret FROM log_keys'))[0]?.secret;
  const keyBefore = await logKey();
  await next.sql("SELECT graphile_worker.add_job('encrypt-log-keys')");
  await expect.poll(logKey, PATIENTLY).not.toBe(keyBefore);
  expect(await tested(next, 2)).toBe(true);
  await next.stop();

  const last = await start({ SECRETS_KEY: SECOND_KEY });
  expect(await tested(last, 3)).toBe(true);
  await last.stop();
});
