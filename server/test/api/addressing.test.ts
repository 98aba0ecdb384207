import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimedBy, joinedBy } from '../support/businesses.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { contentHashOf } from '../support/rfc8785.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { logOf } from '../support/webhook-log.ts';

let service: TestService;
let receiver: Receiver;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, INBOUND_DOMAIN: 'In.Example.org' });
  acme = await service.business('acme', { segment: 'purchasing' });
  globex = await service.business('globex');
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const sent = async (api: TestBusiness['api'], body: object) => {
  const response = await api.send(body);
  expect(response.status, response.text).toBe(201);
  return response.body;
};

describe('`to` is understood as', () => {
  test.each([
    ['globex', null],
    ['@globex', null],
    ['@GLOBEX', null],
    ['@globex/Orders', 'orders'],
    ['globex/orders', 'orders'],
    ['globex@in.example.org', null],
    ['globex+orders@in.example.org', 'orders'],
    ['Globex+Orders@IN.example.ORG', 'orders'],
  ])('%s', async (to, segment) => {
    const body = await sent(acme.api, { to });
    expect(body.to).toEqual({ party: { kind: 'handle', handle: 'globex', display_name: 'The globex company' }, segment });
    if (segment !== null) expect((await globex.api.get(`/inbox?to=${segment}&limit=1`)).body.data).toEqual([body]);
    // The same applies to a reply.
    const parent = await sent(globex.api, { to: 'acme' });
    expect((await sent(acme.api, { to, in_reply_to: parent.id })).to).toEqual(body.to);
  });

  test.each([
    '@',
    '@@globex',
    '@globex/',
    'globex@example.org',
    'globex+orders@example.org',
    '+orders@in.example.org',
    '@globex@in.example.org',
  ])('nobody: %s', async (to) => expectRefusal(await acme.api.send({ to }), 'unknown_recipient'));

  test('no address at all: globex+orders', async () => expectInvalid(await acme.api.send({ to: 'globex+orders' }), 'to'));
});

test('the segment stands in every reading of a message, and in what its hash covers', async () => {
  const body = await sent(acme.api, { to: 'globex/orders', json: 1 });
  const receipt = (await service.anonymous.get(`/receipts/${body.receipt_url.split('/').at(-1)}`)).body;
  const read = [(await acme.api.get(`/messages/${body.id}`)).body, (await globex.api.get(`/messages/${body.id}`)).body, receipt];
  for (const one of [body, ...read]) {
    expect(one.to.segment).toBe('orders');
    expect(contentHashOf(one)).toBe(body.content_hash);
  }
  expect(contentHashOf({ ...body, to: { party: body.to.party, segment: null } })).not.toBe(body.content_hash);
});

test('a message of before segments were recorded reads as it did, and its receipt can still be checked', async () => {
  const body = await sent(acme.api, { to: 'globex' });
  const { segment: _, ...to } = body.to;
  const hash = contentHashOf({ ...body, to });
  await service.sql(`UPDATE messages SET recipient = $1, content_hash = decode($2, 'hex') WHERE content_hash = decode($3, 'hex')`, [
    JSON.stringify(to),
    hash.slice('sha256:'.length),
    body.content_hash.slice('sha256:'.length),
  ]);
  const old = (await globex.api.get(`/messages/${body.id}`)).body;
  expect(old).toEqual({ ...body, to, content_hash: hash });
  expect(contentHashOf(old)).toBe(hash);
});

describe('a reply without `to`', () => {
  test('goes to the segment of the agent that sent the original, so that its webhook gets it', async () => {
    const webhook = (await acme.api.write('POST', '/webhooks', { url: receiver.url('/purchasing'), target: 'purchasing' })).body;
    const parent = await sent(acme.api, { to: 'globex' });
    const reply = await sent(globex.api, { in_reply_to: parent.id });
    expect(reply.to).toMatchObject({ party: { handle: 'acme' }, segment: 'purchasing' });
    expect((await logOf(acme.api, webhook.id)).map(({ message_id }) => message_id)).toEqual([reply.id]);
    const bare = await sent(globex.api, { in_reply_to: parent.id, to: 'acme' });
    expect(bare.to.segment).toBeNull();
    const other = await sent(globex.api, { in_reply_to: parent.id, to: 'acme/else' });
    expect(other.to.segment).toBe('else');
  });

  test('goes to the bare handle when that agent has none', async () => {
    const parent = await sent(globex.api, { to: 'acme/purchasing' });
    expect((await sent(acme.api, { in_reply_to: parent.id })).to).toMatchObject({ party: { handle: 'globex' }, segment: null });
  });

  test('goes where the original went, when that was one’s own', async () => {
    const parent = await sent(acme.api, { to: 'globex/orders' });
    expect((await sent(acme.api, { in_reply_to: parent.id })).to).toEqual(parent.to);
  });

  test('goes to the segment that the agent has by now', async () => {
    const late = await service.business('late', { segment: 'early' });
    const parent = await sent(late.api, { to: 'globex' });
    await service.sql("UPDATE segments SET segment = 'moved' WHERE segment = 'early'");
    expect((await sent(globex.api, { in_reply_to: parent.id })).to.segment).toBe('moved');
    await service.sql("DELETE FROM segments WHERE segment = 'moved'");
    expect((await sent(globex.api, { in_reply_to: parent.id })).to.segment).toBeNull();
  });

  test('goes to the segment of the member who wrote', async () => {
    const owner = await claimedBy(service, 'olga@works.test', 'works');
    const mia = await joinedBy(service, owner, 'mia@works.test', 'member', 'mia');
    const parent = (await mia.post('/messages', { to: 'globex' })).body;
    expect((await sent(globex.api, { in_reply_to: parent.id })).to).toMatchObject({ party: { handle: 'works' }, segment: 'mia' });
    const ofOwner = (await owner.post('/messages', { to: 'globex' })).body;
    expect((await sent(globex.api, { in_reply_to: ofOwner.id })).to.segment).toBeNull();
  });

  test('to oneself goes to the segment of the agent that wrote', async () => {
    const parent = await sent(acme.api, { to: 'acme/else' });
    expect((await sent(acme.api, { in_reply_to: parent.id })).to.segment).toBe('purchasing');
  });
});
