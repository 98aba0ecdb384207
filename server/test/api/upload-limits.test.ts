import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GB } from '../../src/contract/limits.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { claimedBy, joinedBy, personIdOf, tryClaim } from '../support/businesses.ts';
import { sendForm } from '../support/form.ts';
import { attached, mailText, multipart, startMailWorld } from '../support/mail-world.ts';
import { MemberApi } from '../support/member.ts';
import { temporaryFolder } from '../support/process.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { announcement } from '../support/transfer.ts';

const PER_PERSON_BYTES = 1_000;

describe('what one person may upload in a day over all their businesses', () => {
  let service: TestService;
  let made = 0;

  beforeAll(async () => {
    service = await startTestService({
      DATA_DIR: temporaryFolder(),
      DAILY_UPLOAD_LIMIT_BYTES: '700',
      DAILY_UPLOAD_LIMIT_PER_PERSON_BYTES: String(PER_PERSON_BYTES),
      NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0',
    });
    await service.business('globex');
  });
  afterAll(() => service.stop());

  const announce = (business: Pick<MemberApi, 'post'>, size_bytes: number, parts = false) =>
    business.post('/uploads', { ...announcement({ size_bytes }), ...(parts && { parts }) });

  /** Creates a person with this many businesses. */
  async function ownerOf(count: number): Promise<MemberApi[]> {
    const first = await claimedBy(service, `owner-${++made}@example.net`, `business-${++made}`);
    const more = Array.from({ length: count - 1 }, () => `business-${++made}`);
    for (const handle of more) expect((await tryClaim(first.browser, handle)).status).toBe(201);
    return [first, ...more.map((handle) => new MemberApi(first.browser, handle))];
  }

  function expectUsedUp(response: ApiResponse): void {
    expectRefusal(response, 'quota_exceeded');
    expect(response.body.error.details).toEqual([
      { path: '', message: expect.stringContaining(String(PER_PERSON_BYTES)), limit: 'daily_upload_bytes_per_person' },
    ]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }

  test('has a limit, in whichever business and in whichever way it is announced', async () => {
    const [first, second, third] = (await ownerOf(3)) as [MemberApi, MemberApi, MemberApi];
    expect((await announce(first, 600)).status).toBe(201);
    expect((await announce(second, 300, true)).status).toBe(201);
    expectUsedUp(await announce(third, 101));
    expectUsedUp(await announce(third, 101, true));
    // A refused upload uses up nothing.
    expect((await announce(third, 100)).status).toBe(201);
    expectUsedUp(await announce(first, 1));
  });

  test('is not exceeded by many at once', async () => {
    const businesses = await ownerOf(5);
    const responses = await Promise.all(Array.from({ length: 40 }, (_, i) => announce(businesses[i % 5] as MemberApi, 90)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(Math.floor(PER_PERSON_BYTES / 90));
    for (const response of responses.filter(({ status }) => status !== 201)) expectUsedUp(response);
  });

  test('counts files that come inside of messages', async () => {
    const [first, second] = (await ownerOf(2)) as [MemberApi, MemberApi];
    const agent = (await first.post('/agents', { name: 'Sender' })).body;
    const { secret } = (await first.post(`/agents/${agent.id}/keys`, { scope: 'read_write' })).body;
    const form = (bytes: number) =>
      sendForm(new Api(service.url, secret), [
        { name: 'to', bytes: 'globex' },
        { filename: 'a', bytes: 'x'.repeat(bytes) },
      ]);
    expect((await form(650)).status).toBe(201);
    expect((await announce(second, 300)).status).toBe(201);
    expectUsedUp(await announce(second, 51));
    expectUsedUp(await form(51));
    expect((await form(50)).status).toBe(201);
  });

  test('stays counted when a business is handed on', async () => {
    const [first, second, third] = (await ownerOf(3)) as [MemberApi, MemberApi, MemberApi];
    expect((await announce(first, 700)).status).toBe(201);
    const heir = await joinedBy(service, first, `heir-${++made}@example.net`, 'owner');
    expect((await first.delete(`/members/${await personIdOf(first)}`)).status).toBeLessThan(300);
    expect((await announce(second, 300)).status).toBe(201);
    expectUsedUp(await announce(third, 1));
    // The heir has a separate limit, but the business's own is used up.
    const response = await announce(heir, 1);
    expect(response.body.error.details[0].limit).toBe('daily_upload_bytes');
  });

  test('is counted toward whichever owner has room', async () => {
    const [first, second] = (await ownerOf(2)) as [MemberApi, MemberApi];
    await joinedBy(service, second, `partner-${++made}@example.net`, 'owner');
    expect((await announce(first, 700)).status).toBe(201);
    expect((await announce(second, 700)).status).toBe(201);
    expect((await announce(first, 0)).status).toBe(201);
  });

  test('does not apply to a business that the operator has created', async () => {
    const business = await service.business(`business-${++made}`);
    expect((await business.api.write('POST', '/uploads', announcement({ size_bytes: 700 }))).status).toBe(201);
  });
});

describe('a disk with less room than the reserve', () => {
  /** A reserve larger than any disk. */
  const env = { FREE_DISK_RESERVE_MB: String(100_000_000) };

  test('takes no upload and no file, and all messages without', async () => {
    const service = await startTestService({ DATA_DIR: temporaryFolder(), DAILY_UPLOAD_LIMIT_BYTES: String(GB) });
    const full = await service.sibling(env);
    try {
      const acme = await service.business('acme');
      await service.business('globex');
      const api = acme.api.at(full.url);
      const ticket = (await acme.api.write('POST', '/uploads', announcement({ size_bytes: 5 }))).body;
      const upload_url = ticket.upload_url.replace(service.url, full.url);
      const refused = [
        await api.write('POST', '/uploads', announcement({ size_bytes: 5 })),
        await api.write('POST', '/uploads', { ...announcement({ size_bytes: 5 }), parts: true }),
        await sendForm(api, [
          { name: 'to', bytes: 'globex' },
          { filename: 'a', bytes: 'x' },
        ]),
        await api.request('PUT', upload_url.slice(full.url.length), { body: 'hello', headers: ticket.headers }),
      ];
      for (const response of refused) {
        expectRefusal(response, 'unavailable');
        expect(response.body.error.message).toContain('too little disk space');
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await api.send({ to: 'globex', json: { a: 1 } })).status).toBe(201);
      expect((await api.get('/me')).body.usage.uploads.used_bytes).toBe(5);
    } finally {
      await full.stop();
      await service.stop();
    }
  });

  test('has mails with files tried again later, and takes those without', async () => {
    const world = await startMailWorld(env);
    try {
      await world.service.business('globex');
      world.publish('acme-works.test');
      const withFile = multipart('mixed', [attached('a.pdf', 'application/pdf', 'bytes')]);
      expect(await world.deliver({ mail: mailText(withFile) })).toMatch(/^451 4\.3\.0 /);
      expect(await world.deliver({ mail: mailText({}) })).toMatch(/^250 /);
    } finally {
      await world.stop();
    }
  });
});
