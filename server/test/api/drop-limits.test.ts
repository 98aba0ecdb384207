import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MB } from '../../src/contract/limits.ts';
import { claim, drop, dropped } from '../support/drops.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';
import { announcement, download, put, sha256Of, someBytes } from '../support/transfer.ts';

const DAILY = 4;
const DAILY_BYTES = 40 * MB;

let service: TestService;
let shop: TestBusiness;
beforeAll(async () => {
  service = await startTestService({
    NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: String(DAILY),
    DAILY_UPLOAD_LIMIT_BYTES: String(DAILY_BYTES),
  });
  shop = await service.business('shop');
});
afterAll(() => service.stop());

const signIn = (email: string) => signInWithCode(service, email);

describe('files of people', () => {
  test('come inside of the form, with all that the form says', async () => {
    const ann = await signIn('ann@gmail.com');
    const form = new FormData();
    const [first, second] = [someBytes(3 * MB), someBytes(10)];
    for (const [name, text] of Object.entries({ to: 'shop', type: 'invoice', note: 'see below', json: '{"big":12345678901234567890}' }))
      form.set(name, text);
    form.append('file', new Blob([first], { type: 'application/pdf' }), 'Rechnung für März.pdf');
    form.append('file', new Blob([second]), 'b.bin');
    const sent = await dropped(ann, form);
    expect(sent).toMatchObject({ type: 'invoice', note: 'see below', from: { party: { kind: 'mailbox', email: 'ann@gmail.com' } } });
    const [message] = (await shop.api.get('/inbox?from=ann@gmail.com')).body.data;
    expect(
      message.files.map(({ filename, content_type, size_bytes, sha256 }: never) => [filename, content_type, size_bytes, sha256]),
    ).toEqual([
      ['Rechnung für März.pdf', 'application/pdf', first.length, sha256Of(first)],
      ['b.bin', expect.any(String), 10, sha256Of(second)],
    ]);
    expect((await shop.api.get('/inbox?from=ann@gmail.com')).text).toContain('"json":{"big":12345678901234567890}');
    for (const [i, bytes] of [first, second].entries())
      expect(sha256Of((await download(message.files[i].download_url)).bytes)).toBe(sha256Of(bytes));
    expect((await service.anonymous.get(`/receipts/${sent.receipt_url.split('/').at(-1)}`)).body.files).toHaveLength(2);
  });

  test('that are large are announced, PUT, and sent by their ids', async () => {
    const ben = await signIn('ben@file-works.test');
    const bytes = someBytes(26 * MB);
    const { status, body: ticket } = await ben.post('/v1/drops/uploads', announcement({ size_bytes: bytes.length, filename: 'plan.dwg' }));
    expect(status).toBe(201);
    expect((await put(ticket, bytes)).status).toBe(200);
    const sent = await dropped(ben, { to: 'shop', files: [ticket.upload_id] });
    expect(sent.files).toMatchObject([{ filename: 'plan.dwg', size_bytes: bytes.length, sha256: sha256Of(bytes) }]);
    const [message] = (await shop.api.get('/inbox?from=file-works.test')).body.data;
    expect(sha256Of((await download(message.files[0].download_url)).bytes)).toBe(sha256Of(bytes));
    expect((await put(ticket, bytes)).status).toBe(409);
  });

  test('come back to them with a reply, which only the business can read for now', async () => {
    const cat = await signIn('cat@gmail.com');
    const sent = await dropped(cat, { to: 'shop' });
    const form = new FormData();
    form.set('in_reply_to', sent.id);
    form.set('file', new Blob(['the reply.']), 'reply.txt');
    const response = await fetch(`${service.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.secret}` },
      body: form,
    });
    expect(response.status).toBe(201);
    const message = (await response.json()) as { files: { id: string }[] };
    expect((await shop.api.get('/outbox')).body.data[0].files).toMatchObject([{ filename: 'reply.txt' }]);
    expect((await cat.get(`/v1/files/${message.files[0]?.id}`)).status).toBe(401);
  });

  test('count toward the day’s bytes of the party', async () => {
    const dan = await signIn('dan@gmail.com');
    const announceBytes = (size_bytes: number) => dan.post('/v1/drops/uploads', announcement({ size_bytes }));
    expect((await announceBytes(DAILY_BYTES - 10)).status).toBe(201);
    const refused = await announceBytes(11);
    expectRefusal(refused, 'quota_exceeded');
    expect(refused.body.error.details[0].limit).toBe('daily_upload_bytes');
    const form = new FormData();
    form.set('to', 'shop');
    form.set('file', new Blob(['eleven byte']), 'a.txt');
    expectRefusal(await drop(dan, form), 'quota_exceeded');
    expect((await announceBytes(10)).status).toBe(201);
  });
});

describe('a sender without a handle counts as new', () => {
  test('for ever, and replies count too', async () => {
    const eve = await signIn('eve@old-works.test');
    const first = await dropped(eve, { to: 'shop' });
    await service.sql("UPDATE parties SET created_at = now() - interval '3 years' WHERE domain = 'old-works.test'");
    const { body: response } = await shop.api.send({ in_reply_to: first.id });
    for (const in_reply_to of [response.id, first.id]) await dropped(eve, { in_reply_to });
    const many = await Promise.all(Array.from({ length: 6 }, () => drop(eve, { to: 'shop' })));
    expect(many.filter(({ status }) => status === 201)).toHaveLength(1);
    const before = await tracesOfSends(service);
    const refused = await drop(eve, { in_reply_to: response.id });
    expectRefusal(refused, 'quota_exceeded');
    expect(refused.body.error.details[0].limit).toBe('new_account_daily_messages');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await tracesOfSends(service)).toEqual(before);
    await service.sql("UPDATE daily_organisation_usage SET day = day - 1 WHERE organisation = 'old-works.test'");
    expect((await drop(eve, { to: 'shop' })).status).toBe(201);
  });

  test('as an organisation together, but each consumer alone', async () => {
    const [fay, gus] = [await signIn('fay@two-works.test'), await signIn('gus@two-works.test')];
    for (let n = 0; n < DAILY; n++) await dropped(n % 2 ? fay : gus, { to: 'shop' });
    for (const person of [fay, gus]) expectRefusal(await drop(person, { to: 'shop' }), 'quota_exceeded');
    const [hal, ida] = [await signIn('hal@gmx.de'), await signIn('ida@gmx.de')];
    for (let n = 0; n < DAILY; n++) await dropped(hal, { to: 'shop' });
    expectRefusal(await drop(hal, { to: 'shop' }), 'quota_exceeded');
    await dropped(ida, { to: 'shop' });
  });

  test('until there is a business whose domain is verified', async () => {
    const operator = new Operator(service);
    const jon = await signIn('jon@free-works.test');
    for (let n = 0; n < DAILY; n++) await dropped(jon, { to: 'shop' });
    expectRefusal(await drop(jon, { to: 'shop' }), 'quota_exceeded');
    await claim(jon, 'free');
    await operator.verifyDomain('free', 'free-works.test');
    for (let n = 0; n < DAILY + 1; n++) expect((await dropped(jon, { to: 'shop' })).from.party.handle).toBe('free');
    await operator.close();
  });
});

test('requests are limited by person, whatever they do and however many browsers they have', async () => {
  const limited = await service.sibling({ RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_BURST: '5' });
  try {
    const [kim, lea] = [await signIn('kim@rate-works.test'), await signIn('lea@rate-works.test')];
    const kimAgain = await signIn('kim@rate-works.test');
    const responses = [];
    for (let n = 0; n < 12; n++) responses.push(await drop((n % 2 ? kim : kimAgain).at(limited.url), { to: 'nobody' }));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) {
      expectRefusal(response, 'rate_limited');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expectRefusal(await drop(lea.at(limited.url), { to: 'nobody' }), 'unknown_recipient');
  } finally {
    await limited.stop();
  }
});
