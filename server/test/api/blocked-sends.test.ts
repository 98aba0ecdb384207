import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { sendForm } from '../support/form.ts';
import { type FormService, startFormService } from '../support/form-service.ts';
import { Operator } from '../support/operator.ts';
import { ids } from '../support/pages.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { announce, upload } from '../support/transfer.ts';

let service: FormService;
let operator: Operator;
let made = 0;
let sender: TestBusiness;
let receiver: TestBusiness;
let domain: string;

beforeAll(async () => {
  service = await startFormService();
  operator = new Operator(service);
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});
beforeEach(async () => {
  domain = `sender-${++made}.example`;
  sender = await service.business(`sender-${made}`);
  receiver = await service.business(`receiver-${made}`);
  await operator.verifyDomain(sender.handle, domain);
});

const block = async (email_domain: string, api: Api = receiver.api): Promise<string> => {
  const { status, text, body } = await api.write('POST', '/blocks', { email_domain });
  expect(status, text).toBe(201);
  return body.id;
};
const unblock = async (id: string) => expect((await receiver.api.request('DELETE', `/v1/blocks/${id}`)).status).toBe(204);
const send = (body: object = {}, headers = {}, api: Api = sender.api) => api.send({ to: receiver.handle, ...body }, headers);

test.each([
  ['its verified domain', (own: string) => [own, own]],
  ['the domain above it', (own: string) => [`eu.mail.${own}`, own]],
  ['a domain in other letters', (own: string) => [`bücher.${own}`, `BÜCHER.${own.toUpperCase()}`]],
  ['one of several domains', (own: string) => [`second.${own}.net`, `${own}.net`]],
])('a business is refused for a block of %s', async (_, namesOf) => {
  const [verified, blocked] = namesOf(`corp-${made}.example`) as [string, string];
  await operator.verifyDomain(sender.handle, verified);
  expect((await send()).status).toBe(201);
  await block(blocked);
  expectRefusal(await send(), 'sender_blocked');
});

test.each([
  ['that merely ends alike', (own: string) => `er-${own.split('-')[1]}`],
  ['that contains it', (own: string) => `not${own}`],
  ['below it', (own: string) => `mail.${own}`],
  ['that begins like it', (own: string) => `${own}.net`],
  ['with another ending', (own: string) => own.replace('.example', '.test')],
])('a business is not refused for a block of a domain %s', async (_, blocked) => {
  await block(blocked(domain));
  expect((await send()).status).toBe(201);
});

test('a business that has verified no domain is not refused for anybody’s', async () => {
  const plain = await service.business(`plain-${made}`);
  await block(domain);
  expect((await send({}, {}, plain.api)).status).toBe(201);
});

describe('while a business is blocked', () => {
  test('its messages, replies, files and forms are refused, and leave nothing behind', async () => {
    const parent = (await receiver.api.send({ to: sender.handle })).body.id;
    const own = (await send()).body.id;
    const uploadId = await upload(sender.api, 'bytes');
    await sender.api.send({ to: sender.handle, files: [uploadId] });
    await block(domain);
    const usage = async () => (await sender.api.get('/me')).body.usage;
    const [traces, used] = [await service.traces(), await usage()];
    const key = { 'idempotency-key': 'refused' };
    const refused = [
      await send({}, key),
      await send({ type: 'order', note: 'x', json: { a: 1 } }, key),
      await sender.api.send({ to: `${receiver.handle}/orders` }, key),
      await sender.api.send({ in_reply_to: parent }, key),
      await sender.api.send({ in_reply_to: own, to: receiver.handle }, key),
      await send({ files: [uploadId] }, key),
      await sendForm(
        sender.api,
        [
          { name: 'to', bytes: receiver.handle },
          { filename: 'a.txt', bytes: 'x'.repeat(100_000) },
        ],
        key,
      ),
      await sendForm(
        sender.api,
        [
          { filename: 'a.txt', bytes: 'a' },
          { name: 'in_reply_to', bytes: parent },
        ],
        key,
      ),
    ];
    for (const response of refused) expectRefusal(response, 'sender_blocked');
    expect(await service.traces()).toEqual(traces);
    expect(await usage()).toEqual(used);
    expect((await receiver.api.get('/inbox')).body.data.map(({ id }: { id: string }) => id)).toEqual([own]);
  });

  test('every key and agent of it is', async () => {
    const { secret } = await operator.addKey(await operator.addAgent(sender.handle, 'Another'), 'read_write');
    await block(domain);
    expectRefusal(await send({}, { authorization: `Bearer ${secret}` }), 'sender_blocked');
    expectRefusal(await send({}, {}, await sender.withKey('read_write')), 'sender_blocked');
  });

  test('the other direction, other recipients and itself stay open to it', async () => {
    await block(domain);
    const other = await service.business(`other-${made}`);
    expect((await receiver.api.send({ to: sender.handle })).status).toBe(201);
    expect((await sender.api.send({ to: other.handle })).status).toBe(201);
    expect((await sender.api.send({ to: sender.handle })).status).toBe(201);
    expect((await sender.api.get(`/public/${receiver.handle}`)).status).toBe(200);
  });

  test('messages received before stay, and can be replied to', async () => {
    const sent = (await send({ note: 'before' })).body;
    await block(domain);
    expect(ids((await receiver.api.get('/inbox')).body.data)).toEqual([sent.id]);
    expect((await sender.api.get(`/messages/${sent.id}`)).body.note).toBe('before');
    expect((await receiver.api.send({ in_reply_to: sent.id })).status).toBe(201);
    expect((await receiver.api.get(`/threads/${sent.thread_id}`)).body.data).toHaveLength(2);
  });

  test('a repeat of what it sent before returns the original', async () => {
    const key = { 'idempotency-key': 'sent-before' };
    const first = await send({ note: 'once' }, key);
    await block(domain);
    const again = await send({ note: 'once' }, key);
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.id]).toEqual([201, 'true', first.body.id]);
    expectRefusal(await send({ note: 'once' }, { 'idempotency-key': 'another' }), 'sender_blocked');
  });

  test('a key that was refused is free once the block is gone', async () => {
    const id = await block(domain);
    const key = { 'idempotency-key': 'tried' };
    expectRefusal(await send({}, key), 'sender_blocked');
    await unblock(id);
    const first = await send({}, key);
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});

test('it is told after what is wrong with the request, the recipient and the uploads, and before the quota', async () => {
  await block(domain);
  const { upload_id } = await announce(sender.api);
  expectRefusal(await send({ josn: 1 }), 'validation_error');
  expectRefusal(await sender.api.send({ to: 'nobody' }), 'unknown_recipient');
  expectRefusal(await send({ in_reply_to: 'msg_01h455vb4pex5vsknk084sn02q' }), 'not_found');
  expectRefusal(await send({ files: ['upl_x'] }), 'upload_not_found');
  expectRefusal(await send({ files: [upload_id] }), 'upload_incomplete');
  const sibling = await service.sibling({ MONTHLY_MESSAGE_LIMIT: '1' });
  try {
    const limited = sender.api.at(sibling.url);
    expect((await limited.send({ to: sender.handle })).status).toBe(201);
    expectRefusal(await limited.send({ to: sender.handle }), 'quota_exceeded');
    expectRefusal(await send({}, {}, limited), 'sender_blocked');
  } finally {
    await sibling.stop();
  }
});

describe('in another process', () => {
  let sibling: Awaited<ReturnType<FormService['sibling']>>;
  beforeAll(async () => {
    sibling = await service.sibling();
  });
  afterAll(() => sibling.stop());
  const sendThere = () => send({}, {}, sender.api.at(sibling.url));

  test('a block holds once the request has its response, and so does its removal', async () => {
    for (let round = 0; round < 5; round++) {
      expect((await sendThere()).status).toBe(201);
      const id = await block(domain);
      expectRefusal(await sendThere(), 'sender_blocked');
      expectRefusal(await send(), 'sender_blocked');
      await unblock(id);
    }
    expect((await sendThere()).status).toBe(201);
    await block(domain, receiver.api.at(sibling.url));
    expectRefusal(await send(), 'sender_blocked');
  });

  test('a domain counts as soon as it is verified, and no longer once it is taken away', async () => {
    const late = `late-${made}.example`;
    await block(late);
    expect((await sendThere()).status).toBe(201);
    await operator.verifyDomain(sender.handle, late);
    expectRefusal(await sendThere(), 'sender_blocked');
    expectRefusal(await send(), 'sender_blocked');
    await operator.removeDomain(sender.handle, late);
    expect((await sendThere()).status).toBe(201);
  });

  test('nothing that is sent after the response gets through, however much is under way', async () => {
    let blocked = false;
    const later: number[] = [];
    const senders = Array.from({ length: 8 }, async (_, i) => {
      for (let n = 0; n < 12; n++) {
        const after = blocked;
        const { status } = await (i % 2 ? sendThere() : send());
        if (after) later.push(status);
      }
    });
    await block(domain);
    blocked = true;
    await Promise.all(senders);
    later.push((await sendThere()).status);
    expect(new Set(later)).toEqual(new Set([403]));
  });
});
