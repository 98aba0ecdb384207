import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { MAIL_FROM, type MailServer, startMailServer } from '../support/mail-server.ts';
import { type MailQueue, openMailQueue, PLAIN } from '../support/outgoing-mail.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { lockingWith } from '../support/sql-locks.ts';

const CRLF = 'x\r\nBcc: victim@example.com\r\n\r\nsmuggled';

let server: MailServer;
let service: TestService;
let queue: MailQueue;

beforeAll(async () => {
  server = await startMailServer();
  service = await startTestService(server.settings);
  queue = await openMailQueue(service);
});
afterAll(async () => {
  await queue.close();
  await service.stop();
  await server.stop();
});
beforeEach(() => server.accept());

describe('a queued mail', () => {
  test('goes to its mailbox from MAIL_FROM, with text, HTML and the headers it was given', async () => {
    await queue.queue({
      to: 'ada@example.com',
      subject: 'Grüße 🧾',
      text: 'Text: ä\n.\nafter a lone dot',
      html: '<p>HTML: ä</p>',
      replyTo: 'desk@example.org',
      headers: { 'X-Thread': 'thr_1' },
    });
    const [mail] = await server.received('ada@example.com');
    expect(mail?.envelope).toEqual({ from: 'no-reply@waybill.example', to: ['ada@example.com'] });
    expect(mail?.from).toEqual({ name: 'Waybill', address: 'no-reply@waybill.example' });
    expect(mail?.to).toMatchObject([{ address: 'ada@example.com' }]);
    expect(mail?.replyTo).toMatchObject([{ address: 'desk@example.org' }]);
    expect(mail).toMatchObject({ subject: 'Grüße 🧾', text: 'Text: ä\n.\nafter a lone dot', html: '<p>HTML: ä</p>' });
    expect(mail?.headers.get('x-thread')).toBe('thr_1');
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail?.messageId).toMatch(/^<[0-9a-f-]{36}@waybill\.example>$/);
  });

  test('can show another name of its sender, never another address', async () => {
    await queue.queue({ to: 'named@example.com', fromName: 'Evil <ceo@bank.example>, "x' });
    const [mail] = await server.received('named@example.com');
    expect(mail?.from).toEqual({ name: 'Evil <ceo@bank.example>, "x', address: 'no-reply@waybill.example' });
  });

  test('is sent only if its transaction is committed', async () => {
    const rolledBack = queue.transaction(async (tx) => {
      await queue.mails.queue(tx, { ...PLAIN, to: 'undone@example.com' });
      throw new Error('changed my mind');
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    await queue.transaction((tx) => queue.mails.queue(tx, { ...PLAIN, to: 'done@example.com' }));
    await server.received('done@example.com');
    expect(server.to('undone@example.com')).toEqual([]);
    expect(await queue.waiting('undone@example.com')).toEqual([]);
  });

  test('is taken by a worker at once, not when it next looks around', async () => {
    const delays: number[] = [];
    for (let n = 0; n < 6; n++) {
      const queuedAt = Date.now();
      await queue.queue({ to: `quick-${n}@example.com` });
      delays.push(((await server.received(`quick-${n}@example.com`))[0]?.at ?? 0) - queuedAt);
    }
    // A worker polls every 2 seconds. The fastest mail shows whether the worker was woken, however busy the machine is.
    expect(Math.min(...delays)).toBeLessThan(500);
  });

  test('is not held up by other chores, however long they take', async () => {
    const lock = await lockingWith(service, 'LOCK TABLE idempotency_keys IN ACCESS EXCLUSIVE MODE');
    await service.sql(`SELECT graphile_worker.add_job('purge-idempotency-keys') FROM generate_series(1, 4)`);
    const stuck = `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'purge-idempotency-keys' AND locked_at IS NOT NULL`;
    await expect.poll(async () => (await service.sql(stuck)).length, { timeout: 60_000 }).toBe(2);
    await queue.queue({ to: 'past@example.com' });
    await server.received('past@example.com');
    expect(await service.sql(stuck)).toHaveLength(2);
    await lock.rollBack();
  });

  test('that somebody waits for is taken before all others, and notifications come last', async () => {
    await queue.transaction(async (tx) => {
      await queue.mails.queueFirst(tx, { ...PLAIN, to: 'code@example.com' });
      await queue.mails.queue(tx, { ...PLAIN, to: 'invitation@example.com' });
      await queue.mails.queue(tx, { ...PLAIN, to: 'notice@example.com', headers: { 'List-Unsubscribe': '<https://a.example>' } });
      const found = await tx.queryText<{ to: string; priority: number }>(
        `SELECT payload -> 'mail' ->> 'to' AS to, priority FROM graphile_worker._private_jobs WHERE payload -> 'mail' ->> 'to' = ANY ($1)`,
        [['code@example.com', 'invitation@example.com', 'notice@example.com']],
      );
      const inOrder = found.toSorted((a, b) => a.priority - b.priority).map(({ to }) => to.split('@')[0]);
      expect(inOrder).toEqual(['code', 'invitation', 'notice']);
      expect(new Set(found.map(({ priority }) => priority)).size).toBe(3);
    });
  });

  test.each(['', 'nobody', 'a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', 'A <a@example.com>', '@example.com'])(
    'to "%s", which is not one mailbox, is refused where it is queued',
    async (to) => {
      await expect(queue.queue({ to })).rejects.toThrow('one mailbox');
    },
  );
});

describe('line breaks in what strangers write', () => {
  test.each([
    ['the subject', { subject: CRLF }],
    ['the name of the sender', { fromName: CRLF }],
    ['the address for replies', { replyTo: `a@example.org${CRLF}` }],
    ['a header', { headers: { 'X-Name': CRLF } }],
    ['the subject, as bare line feeds', { subject: CRLF.replaceAll('\r', '') }],
    ['the subject, as bare carriage returns', { subject: CRLF.replaceAll('\n', '') }],
  ])('in %s add no header, recipient or line of text', async (name, mail) => {
    const to = `${name.replace(/\W/g, '-')}@example.com`;
    await queue.queue({ to, ...mail });
    const [received] = await server.received(to);
    expect(received?.envelope.to).toEqual([to]);
    expect([received?.bcc, received?.cc]).toEqual([undefined, undefined]);
    expect(received?.headers.has('bcc')).toBe(false);
    expect(received?.raw.split('\r\n\r\n')[0]).not.toMatch(/^bcc:/im);
    expect(received?.text).toBe('A text');
    expect(received?.html).toBe('<p>An HTML</p>');
    expect(server.to('victim@example.com')).toEqual([]);
  });
});

describe('a mail server that refuses', () => {
  test('for now (4xx) is asked again, later each time, with the same Message-ID', async () => {
    const to = 'greylisted@example.com';
    server.refuse(451);
    await queue.queue({ to });
    const first = await queue.failed(to, 1);
    await queue.hurry();
    const second = await queue.failed(to, 2);
    expect(first.delayS).toBeGreaterThan(0);
    expect(second.delayS).toBeGreaterThan(first.delayS);
    server.accept();
    await queue.hurry();
    await expect.poll(() => queue.waiting(to), { timeout: 60_000 }).toEqual([]);
    const mails = server.to(to);
    expect(mails).toHaveLength(3);
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
  });

  test.each([
    ['the recipient', 'RCPT TO', 550, 0],
    ['the mail', 'DATA', 554, 1],
  ] as const)('%s for good (5xx) is not asked again', async (_what, at, code, arrivals) => {
    const to = `refused-${code}@example.com`;
    server.refuse(code, at);
    await queue.queue({ to });
    await expect.poll(() => queue.waiting(to), { timeout: 60_000 }).toEqual([]);
    server.accept();
    await queue.queue({ to: `after-${code}@example.com` });
    await server.received(`after-${code}@example.com`);
    expect(server.to(to)).toHaveLength(arrivals);
  });

  test('says so in words that are not passed on, since they may repeat the mail', async () => {
    const to = 'echoed@example.com';
    server.refuse(450);
    await queue.queue({ to, subject: 'Secret' });
    expect((await queue.failed(to, 1)).lastError).toBe('the mail server replied 450 to DATA');
  });

  test('a mail 25 times is not asked again, and the mail is dropped', async () => {
    const to = 'hopeless@example.com';
    server.refuse(451);
    await queue.queue({ to });
    await queue.failed(to, 1);
    await service.sql(`UPDATE graphile_worker._private_jobs SET attempts = 24, run_at = now() WHERE payload -> 'mail' ->> 'to' = $1`, [to]);
    await queue.failed(to, 25);
    await service.sql(`SELECT graphile_worker.add_job('purge-mails')`);
    await expect.poll(() => queue.waiting(to)).toEqual([]);
    expect(server.to(to)).toHaveLength(2);
  });
});

describe('a mail server that can’t be used', () => {
  /** A separate service that sends through this URL, with its queue. */
  async function sendThrough(SMTP_URL: string, work: (other: MailQueue) => Promise<void>): Promise<void> {
    const other = await startTestService({ SMTP_URL, MAIL_FROM });
    const otherQueue = await openMailQueue(other);
    await work(otherQueue).finally(async () => {
      await otherQueue.close();
      await other.stop();
    });
  }

  test('because nothing responds there loses no mail', async () => {
    await sendThrough(`smtp://127.0.0.1:${await freePort()}`, async (other) => {
      await other.queue({ to: 'early@example.com' });
      expect((await other.failed('early@example.com', 1)).lastError).toContain('ECONNREFUSED');
    });
  });

  test('because the password is wrong loses no mail, and repeats no password', async () => {
    const guarded = await startMailServer({ user: { name: 'waybill', password: 'p@ss:w/rd' }, tls: 'starttls' });
    await sendThrough(guarded.url.replace('rd@', 'rt@'), async (other) => {
      await other.queue({ to: 'a@example.com' });
      const { lastError } = await other.failed('a@example.com', 1);
      expect(lastError).toMatch(/^the mail server replied 535 to AUTH \w+$/);
    });
    await sendThrough(guarded.url, async (other) => {
      await other.queue({ to: 'b@example.com' });
      const [mail] = await guarded.received('b@example.com');
      expect(mail?.isEncrypted).toBe(true);
    });
    expect(guarded.to('a@example.com')).toEqual([]);
    await guarded.stop();
  });

  test('because it has no good certificate is not trusted beyond this machine, and neither is one without any', async () => {
    for (const tls of ['starttls', 'from the start', undefined] as const) {
      const doubtful = await startMailServer({ tls });
      // The same address in a notation that does not look like loopback.
      await sendThrough(doubtful.url.replace('127.0.0.1', '127.1'), async (other) => {
        await other.queue({ to: 'a@example.com' });
        expect((await other.failed('a@example.com', 1)).lastError).toMatch(/certificate|TLS/i);
      });
      expect(doubtful.mails).toEqual([]);
      await doubtful.stop();
    }
  });

  test('except on this machine, or when the operator says that it is plain', async () => {
    for (const [tls, change] of [
      ['starttls', (url: string) => url],
      ['from the start', (url: string) => url],
      [undefined, (url: string) => `${url.replace('127.0.0.1', '127.1')}?ignoreTLS=true`],
    ] as const) {
      const local = await startMailServer({ tls });
      await sendThrough(change(local.url), async (other) => {
        await other.queue({ to: 'a@example.com' });
        const [mail] = await local.received('a@example.com');
        expect(mail?.isEncrypted).toBe(tls !== undefined);
      });
      await local.stop();
    }
  });
});
