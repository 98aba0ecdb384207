import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { type FormPart, formBody, sendForm } from '../support/form.ts';
import { download, type FormService, startFormService, stores } from '../support/form-service.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';

const MB = 1_048_576;
const TO: FormPart = { name: 'to', bytes: 'globex' };
const withKey = (key: string) => ({ 'idempotency-key': key });

/** An envelope without its download URLs, which are signed again each time. */
function lasting({ text }: ApiResponse): string {
  return text.replace(/"download_url":"[^"]*"/g, '');
}

describe.each(stores)('a form with an Idempotency-Key, its files in the %s', (store) => {
  let service: FormService;
  let acme: TestBusiness;

  beforeAll(async () => {
    service = await startFormService({}, store);
    acme = await service.business('acme');
    await service.business('globex');
  });
  afterAll(() => service.stop());

  function expectReplay(response: ApiResponse, original: ApiResponse): void {
    expect([response.status, response.headers.get('idempotent-replayed')], response.text).toEqual([201, 'true']);
    expect(lasting(response)).toBe(lasting(original));
  }

  test('is sent once, and a repeat leaves no second copy of its bytes', async () => {
    const form = [TO, { filename: 'a', bytes: 'x'.repeat(100_000) }, { filename: 'b', bytes: 'y' }];
    const original = await sendForm(acme.api, form, withKey('once'));
    expect([original.status, original.headers.get('idempotent-replayed'), original.body.idempotency_key]).toEqual([201, null, 'once']);
    const before = await service.traces();
    for (let i = 0; i < 3; i++) {
      const repeat = await sendForm(acme.api, form, withKey('once'));
      expectReplay(repeat, original);
      expect(repeat.headers.get('idempotent-body-differs')).toBeNull();
    }
    expect(await service.traces()).toEqual(before);
    const replay = await sendForm(acme.api, form, withKey('once'));
    expect((await download(replay.body.files[1].download_url)).toString()).toBe('y');
  });

  test.each<[string, FormPart[] | Buffer<ArrayBuffer>]>([
    ['other files', [TO, { filename: 'other', bytes: 'other' }]],
    ['no recipient', [{ filename: 'a', bytes: 'x' }]],
    [
      'an unknown recipient',
      [
        { name: 'to', bytes: 'nobody' },
        { filename: 'a', bytes: 'x' },
      ],
    ],
    ['an unknown field after files', [TO, { filename: 'a', bytes: 'x' }, { name: 'josn', bytes: '1' }]],
    ['a file too large', [TO, { filename: 'a', bytes: Buffer.alloc(25 * MB + 1) }]],
    ['half of a form', formBody([TO, { filename: 'a', bytes: 'x' }]).subarray(0, -10)],
    ['no form at all', Buffer.from('nonsense')],
  ])('returns the original whatever its body: %s', async (name, form) => {
    const key = withKey(name.replaceAll(' ', '-'));
    const original = await sendForm(acme.api, [TO, { filename: 'a', bytes: 'original' }], key);
    const before = await service.traces();
    const repeat = await sendForm(acme.api, form, key);
    expectReplay(repeat, original);
    expect(repeat.headers.get('idempotent-body-differs')).toBe('true');
    expect(await service.traces()).toEqual(before);
  });

  test('may be repeated as JSON, and JSON as a form', async () => {
    const first = await sendForm(acme.api, [TO, { filename: 'a', bytes: 'x' }], withKey('form-first'));
    expectReplay(await acme.api.send({ to: 'globex' }, withKey('form-first')), first);
    const second = await acme.api.send({ to: 'globex' }, withKey('json-first'));
    expectReplay(await sendForm(acme.api, [TO, { filename: 'a', bytes: 'x' }], withKey('json-first')), second);
  });

  test('is one message with one copy of its bytes, also when 20 of them come at once', async () => {
    const before = (await service.stored()).length;
    const form = [TO, { filename: 'a', bytes: 'x'.repeat(50_000) }];
    const responses = await Promise.all(Array.from({ length: 20 }, () => sendForm(acme.api, form, withKey('at-once'))));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(responses.map(lasting)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect((await service.stored()).length).toBe(before + 1);
    expect((await download(responses[0]?.body.files[0].download_url)).length).toBe(50_000);
  });

  test('may use its key again after a refusal', async () => {
    expectRefusal(await sendForm(acme.api, [{ name: 'to', bytes: 'nobody' }, { filename: 'a' }], withKey('again')), 'unknown_recipient');
    const sent = await sendForm(acme.api, [TO, { filename: 'a' }], withKey('again'));
    expect([sent.status, sent.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});

describe('the limit of bytes a day', () => {
  const LIMIT = 75_000;
  const EACH = 10_000;
  let service: FormService;
  let made = 0;

  beforeAll(async () => {
    service = await startFormService({ DAILY_UPLOAD_LIMIT_BYTES: String(LIMIT) });
    await service.business('globex');
  });
  afterAll(() => service.stop());

  const fresh = () => service.business(`sender-${++made}`);
  const sendBytes = ({ api }: TestBusiness, ...sizes: number[]) =>
    sendForm(api, [TO, ...sizes.map((size) => ({ filename: 'a', bytes: 'x'.repeat(size) }))]);
  const usedBy = async ({ api }: TestBusiness) => (await api.get('/me')).body.usage.uploads.used_bytes;

  test('lets exactly as many of 20 parallel sends through as fit, and keeps no bytes of the others', async () => {
    const sender = await fresh();
    const before = (await service.stored()).length;
    const responses = await Promise.all(Array.from({ length: 20 }, () => sendBytes(sender, EACH)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(Math.floor(LIMIT / EACH));
    for (const response of responses.filter(({ status }) => status !== 201)) expectRefusal(response, 'quota_exceeded');
    expect(await usedBy(sender)).toBe(Math.floor(LIMIT / EACH) * EACH);
    expect((await service.stored()).length).toBe(before + Math.floor(LIMIT / EACH));
    expect(service.held()).toEqual([]);
  });

  test('holds over two processes', async () => {
    const sender = await fresh();
    const sibling = await service.sibling();
    try {
      const apis = [sender.api, sender.api.at(sibling.url)];
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, i) => sendBytes({ ...sender, api: apis[i % 2] ?? sender.api }, EACH)),
      );
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(Math.floor(LIMIT / EACH));
    } finally {
      await sibling.stop();
    }
  });

  test('counts all files of a message, may be used up to the byte, and refuses one byte more with its name and Retry-After', async () => {
    const sender = await fresh();
    expect((await sendBytes(sender, 30_000, LIMIT - 30_000)).status).toBe(201);
    const before = await service.traces();
    const response = await sendBytes(sender, 1);
    expectRefusal(response, 'quota_exceeded');
    expect(response.body.error.details).toEqual([
      { path: '', message: expect.stringContaining(String(LIMIT)), limit: 'daily_upload_bytes' },
    ]);
    const { resets_at } = (await sender.api.get('/me')).body.usage.uploads;
    expect(Date.now() + Number(response.headers.get('retry-after')) * 1_000).toBeGreaterThanOrEqual(Date.parse(resets_at));
    expect(await service.traces()).toEqual(before);
  });

  test('is not used by a message that is refused, by empty files, nor by what is no file', async () => {
    const sender = await fresh();
    expectRefusal(await sendBytes(sender, LIMIT + 1), 'quota_exceeded');
    expectRefusal(
      await sendForm(sender.api, [
        { name: 'to', bytes: 'nobody' },
        { filename: 'a', bytes: 'x' },
      ]),
      'unknown_recipient',
    );
    expect((await sendForm(sender.api, [TO, { name: 'json', bytes: `"${'x'.repeat(LIMIT)}"` }])).status).toBe(201);
    expect(await usedBy(sender)).toBe(0);
    expect((await sendBytes(sender, LIMIT)).status).toBe(201);
    expect((await sendBytes(sender, 0, 0)).status).toBe(201);
  });

  test('is shared with announced uploads', async () => {
    const sender = await fresh();
    const upload = { filename: 'a', content_type: 'text/plain', size_bytes: LIMIT - EACH };
    expect((await sender.api.write('POST', '/uploads', upload)).status).toBe(201);
    expectRefusal(await sendBytes(sender, EACH + 1), 'quota_exceeded');
    expect((await sendBytes(sender, EACH)).status).toBe(201);
    expectRefusal(await sender.api.write('POST', '/uploads', { ...upload, size_bytes: 1 }), 'quota_exceeded');
  });

  test('is one for each business, and back with the next day', async () => {
    const [sender, other] = [await fresh(), await fresh()];
    await sendBytes(sender, LIMIT);
    expect((await sendBytes(other, LIMIT)).status).toBe(201);
    await service.sql(`UPDATE daily_usage SET day = day - 1 WHERE party_id = (SELECT id FROM parties WHERE handle = $1)`, [sender.handle]);
    expect((await sendBytes(sender, LIMIT)).status).toBe(201);
  });
});
