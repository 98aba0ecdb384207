import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attached, INBOUND, type MailText, type MailWorld, mailText, multipart, startMailWorld } from '../support/mail-world.ts';
import { ids } from '../support/pages.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: an envelope
type Envelope = any;

let world: MailWorld;
let globex: TestBusiness;
let initech: TestBusiness;

beforeAll(async () => {
  world = await startMailWorld();
  globex = await world.service.business('globex', { segment: 'orders' });
  initech = await world.service.business('initech');
  for (const domain of ['acme-works.test', 'umbrella.test', 'gmail.com']) world.publish(domain);
});
afterAll(() => world.stop());

const idIn = (reply: string) => /^250 2\.0\.0 Delivered as (msg_\w+)$/.exec(reply)?.[1];
const newest = async (business = globex): Promise<Envelope> => (await business.api.get('/inbox?limit=1')).body.data[0];

async function sent(text: MailText = {}, recipient = `globex@${INBOUND}`, business = globex): Promise<Envelope> {
  const sender = /<?([^<>\s]+@[^<>\s]+?)>?$/.exec(text.from ?? 'ann@acme-works.test')?.[1] ?? '';
  const reply = await world.deliver({ sender, recipients: [recipient], mail: mailText(text) });
  const message = await newest(business);
  expect(message?.id, reply).toBe(idIn(reply));
  return message;
}

describe('a mail becomes a message', () => {
  test('from the domain that sent it, with the mailbox as its actor', async () => {
    const message = await sent();
    expect(message).toMatchObject({
      in_reply_to: null,
      from: {
        party: { kind: 'domain', domain: 'acme-works.test' },
        actor: { kind: 'mailbox', name: 'Ann', email: 'ann@acme-works.test', verified: true, provider: 'smtp' },
      },
      to: { party: { kind: 'handle', handle: 'globex' } },
      type: null,
      subject: 'Order 4711',
      note: 'Three of A-1, please.',
      json: null,
      files: [],
    });
    expect(message.from.actor.id).toMatch(/^mbx_/);
    // The key is internal: no client has sent one.
    expect(message).not.toHaveProperty('idempotency_key');
    const receipt = await world.service.anonymous.get(`/receipts/${message.receipt_url.split('/').at(-1)}`);
    expect(receipt.body).toMatchObject({ id: message.id, content_hash: message.content_hash });
    expect(receipt.body).not.toHaveProperty('idempotency_key');
  });

  test('from a consumer mailbox, which is a party of its own', async () => {
    const message = await sent({ from: 'Bob <Bob@Gmail.com>' });
    expect(message.from).toMatchObject({
      party: { kind: 'mailbox', email: 'bob@gmail.com' },
      actor: { email: 'bob@gmail.com', name: 'Bob' },
    });
    expect(ids((await globex.api.get('/inbox?from=bob@gmail.com')).body.data)).toEqual([message.id]);
  });

  test.each([
    ['globex+orders', 'orders'],
    ['GLOBEX+Orders', 'orders'],
    ['globex+nobody', 'nobody'],
  ])('to the segment in %s@', async (local, segment) => {
    const message = await sent({}, `${local}@${INBOUND.toUpperCase()}`);
    expect(ids((await globex.api.get(`/inbox?to=${segment}&limit=1`)).body.data)).toEqual([message.id]);
  });

  test('that webhooks and contacts know of like any other', async () => {
    await sent({ from: 'eve@umbrella.test' });
    const contact = (await globex.api.get('/contacts/by-party?domain=umbrella.test')).body;
    expect(contact).toMatchObject({
      can_initiate: false,
      activity: { messages_in: 1, actors: [{ kind: 'mailbox', email: 'eve@umbrella.test' }] },
    });
  });
});

describe('its text', () => {
  const plain = (body: string) => ({ headers: ['Content-Type: text/plain; charset=utf-8'], body });
  const html = (body: string) => ({ headers: ['Content-Type: text/html; charset=utf-8'], body });

  test('of 10,000 characters is the note; of one more, the whole is a file beside the beginning of it', async () => {
    const inBase64 = (text: string) => ({
      headers: ['Content-Transfer-Encoding: base64', 'Content-Type: text/plain; charset=utf-8'],
      body: Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n'),
    });
    const fits = '😀'.repeat(10_000);
    expect(await sent(inBase64(fits))).toMatchObject({ note: fits, files: [] });
    const longer = `${fits}!`;
    const { note, files } = await sent(inBase64(longer));
    expect([...note]).toHaveLength(10_000);
    expect(note).toMatch(/^😀+\n\[The whole text is in note\.txt\.\]$/u);
    expect(files).toMatchObject([{ filename: 'note.txt', content_type: 'text/plain; charset=utf-8' }]);
    expect(await (await fetch(files[0].download_url)).text()).toBe(longer);
  });

  test('of more than a megabyte is a file, whole', async () => {
    const long = 'line of text\r\n'.repeat(200_000);
    const { note, files } = await sent({ body: long });
    expect({ note, files }).toMatchObject({ note: null, files: [{ filename: 'note.txt', size_bytes: long.length }] });
    expect(await (await fetch(files[0].download_url)).text()).toBe(long);
  });

  test('is the plain version where there are two', async () => {
    expect(await sent(multipart('alternative', [plain('Plain.'), html('<p>Rich.</p>')]))).toMatchObject({ note: 'Plain.', files: [] });
  });

  test('is made of the HTML where there is no other, which is kept beside it', async () => {
    const page =
      '<html><head><title>no</title><style>p{}</style></head><body><!-- no --><p>Dear&nbsp;Sir &amp; Madam,</p><ul><li>one<li>two</ul><script>alert(1)</script>see <a href="https://x.test/?a=1&amp;b=2">this</a> or <a href="javascript:alert(1)">that</a>: 1 &lt; 2 <i title="a>b">f&uuml;r</i> alle</body></html>';
    const note = 'Dear Sir & Madam,\n\n- one\n- two\n\nsee this <https://x.test/?a=1&b=2> or that: 1 < 2 für alle';
    for (const text of [
      { headers: ['Content-Type: text/html; charset=utf-8'], body: page },
      multipart('alternative', [plain(' '), html(page)]),
      multipart('mixed', [html(page)]),
    ]) {
      const message = await sent(text);
      expect(message).toMatchObject({ note, files: [{ filename: 'note.html', content_type: 'text/html; charset=utf-8' }] });
      expect(await (await fetch(message.files[0].download_url)).text()).toContain('<li>one');
    }
  });

  test('is complete when it comes in several pieces', async () => {
    const message = await sent(multipart('mixed', [plain('Before.'), attached('a.txt', 'text/plain', 'a'), plain('After.')]));
    expect(message).toMatchObject({ note: 'Before.\n\nAfter.', files: [{ filename: 'a.txt' }] });
  });
});

describe('what is attached', () => {
  const json = (name: string, text: string) => attached(name, 'application/json', text);

  test('becomes files, byte for byte, with their names and types', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) % 256));
    const { files } = await sent(
      multipart('mixed', [attached('a b.pdf', 'application/pdf', bytes), attached('=?utf-8?Q?Gr=C3=B6=C3=9Fe.csv?=', 'text/csv', '')]),
    );
    expect(files).toMatchObject([
      { filename: 'a b.pdf', content_type: 'application/pdf', size_bytes: 300_000 },
      { filename: 'Größe.csv', content_type: 'text/csv', size_bytes: 0 },
    ]);
    expect(Buffer.from(await (await fetch(files[0].download_url)).arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('if it is one JSON document, is the payload, byte for byte', async () => {
    const text = '{ "amount": 12345678901234567890, "rate": 1.0 }';
    const mail = multipart('mixed', [json('order.json', text), attached('a.txt', 'text/plain', 'a')]);
    const message = await sent(mail);
    expect(message.files).toMatchObject([{ filename: 'a.txt' }]);
    expect((await globex.api.get(`/messages/${message.id}`)).text).toContain(`"json":${text},`);
  });

  test.each<[string, ReturnType<typeof attached>[], string[]]>([
    ['two JSON documents', [json('a.json', '1'), json('b.json', '2')], ['a.json', 'b.json']],
    ['what is no JSON', [json('a.json', '{"a":')], ['a.json']],
    ['JSON of more than a megabyte', [json('a.json', `"${'x'.repeat(1_048_576)}"`)], ['a.json']],
    ['JSON of more than 1,000 levels', [json('a.json', `${'['.repeat(1_001)}${']'.repeat(1_001)}`)], ['a.json']],
    ['JSON that is called something else', [attached('a.json', 'text/plain', '{}')], ['a.json']],
  ])('%s stays a file', async (_, parts, names) => {
    const message = await sent(multipart('mixed', parts));
    expect(message.json).toBeNull();
    expect(message.files.map(({ filename }: { filename: string }) => filename)).toEqual(names);
  });
});

describe('a thread', () => {
  test('goes on when the business replies, and when a mail replies to that', async () => {
    const first = await sent();
    const reply = await globex.api.send({ in_reply_to: first.id, note: 'They ship tomorrow.' });
    expect([reply.status, reply.body.to.party.domain, reply.body.thread_id]).toEqual([201, 'acme-works.test', first.thread_id]);
    const followUp = await sent({ headers: [`In-Reply-To: <${reply.body.id}@${INBOUND}>`], body: 'Thank you.\r\n' });
    expect(followUp).toMatchObject({ in_reply_to: reply.body.id, thread_id: first.thread_id });
    const byReference = await sent(
      { headers: [`References: <x@y> <${first.id}@${INBOUND}> <${reply.body.id}@${INBOUND}>`] },
      `globex+orders@${INBOUND}`,
    );
    expect(byReference).toMatchObject({ in_reply_to: reply.body.id, thread_id: first.thread_id });
    expect(ids((await globex.api.get(`/threads/${first.thread_id}`)).body.data)).toEqual([
      first.id,
      reply.body.id,
      followUp.id,
      byReference.id,
    ]);
  });

  test('is not joined by who has no part in it, nor towards another business', async () => {
    const first = await sent();
    const reply = (await globex.api.send({ in_reply_to: first.id })).body;
    const headers = [`In-Reply-To: <${reply.id}@${INBOUND}>`];
    const stranger = await sent({ from: 'eve@umbrella.test', headers });
    const elsewhere = await sent({ headers }, `initech@${INBOUND}`, initech);
    const forged = await sent({ headers: [`In-Reply-To: <${reply.id}@elsewhere.test>`] });
    for (const message of [stranger, elsewhere, forged]) {
      expect(message.in_reply_to).toBeNull();
      expect(message.thread_id).not.toBe(first.thread_id);
    }
  });

  test('can’t be begun with a domain or mailbox', async () => {
    await sent();
    for (const to of ['acme-works.test', 'ann@acme-works.test', 'bob@gmail.com'])
      expectRefusal(await globex.api.send({ to }), 'unknown_recipient');
  });
});

describe('who is not welcome', () => {
  const BLOCKED = /^550 5\.7\.1 The recipient has blocked this sender\.$/;
  const mail = (from: string) => world.deliver({ sender: from, mail: mailText({ from }) });
  const block = async (body: object) => expect((await globex.api.write('POST', '/blocks', body)).status).toBe(201);

  test('a blocked mailbox is refused at once, and others of its domain are not', async () => {
    world.publish('blocked-one.test');
    const message = await sent({ from: 'eve@blocked-one.test' });
    await block({ user_id: message.from.actor.id });
    expect(await mail('eve@blocked-one.test')).toMatch(BLOCKED);
    expect(await mail('EVE@blocked-one.test')).toMatch(BLOCKED);
    expect(idIn(await mail('ann@blocked-one.test'))).toBeDefined();
  });

  test('a blocked domain is refused at once, with those below it', async () => {
    for (const domain of ['blocked-all.test', 'eu.blocked-all.test']) world.publish(domain);
    expect(idIn(await mail('ann@eu.blocked-all.test'))).toBeDefined();
    await block({ email_domain: 'blocked-all.test' });
    expect(await mail('ann@blocked-all.test')).toMatch(BLOCKED);
    expect(await mail('ann@eu.blocked-all.test')).toMatch(BLOCKED);
  });

  test('a business that accepts no drops accepts only mail in reply to its own messages', async () => {
    const closed = await world.service.business('closed');
    const recipient = `closed@${INBOUND}`;
    const first = await sent({}, recipient, closed);
    const reply = (await closed.api.send({ in_reply_to: first.id })).body;
    // Set directly, because the API has no endpoint for it.
    await world.service.sql("UPDATE parties SET accepting_drops = false WHERE handle = 'closed'");
    await world.service.sql("SELECT pg_notify('waybill_changes', 'x party:' || id) FROM parties WHERE handle = 'closed'");
    await expect
      .poll(() => world.deliver({ recipients: [recipient], mail: mailText() }))
      .toMatch(/^550 5\.7\.1 The closed company accepts no messages from people without a handle\.$/);
    const followUp = await sent({ headers: [`In-Reply-To: <${reply.id}@${INBOUND}>`] }, recipient, closed);
    expect(followUp.thread_id).toBe(first.thread_id);
  });
});

describe('the same mail again', () => {
  test('is another one if its body is another, though it has the Message-ID of the first', async () => {
    const mail = mailText();
    const [first, other] = [await world.deliver({ mail }), await world.deliver({ mail: mail.replace('Three', 'Four') })];
    expect(other).toMatch(/^250 /);
    expect(idIn(other)).not.toBe(idIn(first));
    expect((await globex.api.get(`/messages/${idIn(other)}`)).body.note).toBe('Four of A-1, please.');
    expect(await world.deliver({ mail })).toBe(first);
    expect(await world.deliver({ mail: mail.replace('Three', 'Four') })).toBe(other);
  });

  test('gets the same SMTP reply, and is no second message', async () => {
    const mail = mailText({ headers: ['X-Try: 1'] });
    const first = await world.deliver({ mail });
    const again = await world.deliver({ mail: mail.replace('X-Try: 1', 'X-Try: 2') });
    expect(idIn(first)).toBeDefined();
    expect(again).toBe(first);
    const withoutId = mailText({ messageId: null });
    expect(await world.deliver({ mail: withoutId })).toBe(await world.deliver({ mail: withoutId }));
    expect(idIn(await world.deliver({ mail: withoutId.replace('Three', 'Four') }))).not.toBe(
      idIn(await world.deliver({ mail: withoutId })),
    );
  });

  test('by ten connections at once is one message, and one set of files', async () => {
    const mail = mailText(multipart('mixed', [attached('a.txt', 'text/plain', 'once')]));
    const replies = await Promise.all(Array.from({ length: 10 }, () => world.deliver({ mail })));
    expect(new Set(replies).size).toBe(1);
    const message = await newest();
    expect(message.id).toBe(idIn(replies[0] as string));
    expect(await (await fetch(message.files[0].download_url)).text()).toBe('once');
  });

  test('from somebody else with the same id is another message', async () => {
    const messageId = '<the-same@id>';
    const one = await sent({ messageId });
    const other = await sent({ messageId, from: 'eve@umbrella.test' });
    const colleague = await sent({ messageId, from: 'bob@acme-works.test' });
    expect(new Set([one.id, other.id, colleague.id]).size).toBe(3);
  });
});
