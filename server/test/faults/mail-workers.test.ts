import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { MAIL_FROM, type MailServer, startMailServer } from '../support/mail-server.ts';
import { type MailQueue, openMailQueue } from '../support/outgoing-mail.ts';
import { type ServiceProcess, startProcess, temporaryFolder, until } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';

interface Stage {
  service: TestService;
  queue: MailQueue;
  worker(): Promise<ServiceProcess>;
}

/** Starts an API in this process that sends no mails, and returns how to start workers. */
async function setTheStage(settings: Record<string, string>, onTestFinished: (end: () => Promise<void>) => void): Promise<Stage> {
  const service = await startTestService(settings, 'api');
  onTestFinished(() => service.stop());
  const queue = await openMailQueue(service);
  onTestFinished(() => queue.close());
  const worker = async () => {
    const started = await startProcess({ env: { DATABASE_URL: service.databaseUrl, ...settings }, args: ['--role', 'worker'] });
    onTestFinished(async () => void (await started.stop('SIGKILL')));
    return started;
  };
  return { service, queue, worker };
}

async function mailServer(onTestFinished: (end: () => Promise<void>) => void): Promise<MailServer> {
  const server = await startMailServer();
  onTestFinished(() => server.stop());
  return server;
}

/** Makes the leases of workers older than any mail takes. */
async function letTimePass({ sql }: TestService): Promise<void> {
  await sql(`UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '1 minute 1 second' WHERE locked_at IS NOT NULL`);
}

/** Runs the chore that takes over mails of dead workers, and waits for it. */
async function takeOver({ sql }: TestService): Promise<void> {
  await sql(`SELECT graphile_worker.add_job('take-over-mails', job_key => 'take-over-mails')`);
  await until(async () => (await sql(`SELECT FROM graphile_worker.jobs WHERE task_identifier = 'take-over-mails'`)).length === 0);
}

describe.concurrent('when a worker', () => {
  test('is killed -9 after it has sent a mail and before that is recorded, another sends it again under the same Message-ID', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await mailServer(onTestFinished);
    const { service, queue, worker } = await setTheStage(server.settings, onTestFinished);
    server.hang();
    const victim = await worker();
    await queue.queue({ to: 'ada@example.com' });
    await server.received('ada@example.com');
    await victim.stop('SIGKILL');
    server.accept();

    await worker();
    // The mail of a worker that may be alive is left alone.
    await takeOver(service);
    expect(await queue.waiting('ada@example.com')).toEqual([expect.objectContaining({ isUnderWay: true, attempts: 1 })]);
    await letTimePass(service);
    await takeOver(service);
    const mails = await server.received('ada@example.com', 2);
    await until(async () => (await queue.waiting('ada@example.com')).length === 0);
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
    expect(mails).toHaveLength(2);
  });

  test('is killed -9 again and again under load, every mail arrives', async ({ expect, onTestFinished }) => {
    const server = await mailServer(onTestFinished);
    const { service, queue, worker } = await setTheStage(server.settings, onTestFinished);
    const mailboxes = Array.from({ length: 300 }, (_, n) => `load-${n}@example.com`);
    const arrived = () => new Set(server.mails.flatMap(({ envelope }) => envelope.to)).size;
    await queue.transaction(async (tx) => {
      for (const to of mailboxes) await queue.mails.queue(tx, { to, subject: 's', text: 't', html: 'h' });
    });
    for (const enough of [30, 120, 200]) {
      const victim = await worker();
      await until(() => arrived() >= enough);
      await victim.stop('SIGKILL');
      await letTimePass(service);
    }
    await worker();
    await takeOver(service);
    await until(() => arrived() === mailboxes.length);
    for (const to of mailboxes) expect(new Set(server.to(to).map(({ messageId }) => messageId)).size).toBe(1);
  });

  test('is stopped while the mail server keeps it waiting, it ends within 30 seconds, and the mail is tried again', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await mailServer(onTestFinished);
    const { queue, worker } = await setTheStage(server.settings, onTestFinished);
    server.hang();
    const stopped = await worker();
    await queue.queue({ to: 'ada@example.com' });
    await server.received('ada@example.com');
    const stoppedAt = Date.now();
    expect(await stopped.stop()).toMatchObject({ code: 0 });
    expect(Date.now() - stoppedAt).toBeLessThan(30_000);
    const { lastError } = await queue.failed('ada@example.com', 1);
    expect(lastError).toMatch(/could not be used/);

    server.accept();
    await worker();
    await queue.hurry();
    await server.received('ada@example.com', 2);
    await until(async () => (await queue.waiting('ada@example.com')).length === 0);
  });

  test('meets a server whose SMTP reply never ends, it gives up on it, and the mail is tried again', async ({ expect, onTestFinished }) => {
    const sockets = new Set<Socket>();
    const dripping = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.write('220 welcome\r\n');
      const drip = setInterval(() => socket.write('250-and another thing\r\n'), 500);
      socket.once('close', () => clearInterval(drip));
    }).listen(0, '127.0.0.1');
    await until(() => dripping.listening);
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy();
      dripping.close();
    });
    const url = `smtp://127.0.0.1:${(dripping.address() as AddressInfo).port}`;
    const { queue, worker } = await setTheStage({ SMTP_URL: url, MAIL_FROM }, onTestFinished);
    await worker();
    await queue.queue({ to: 'ada@example.com' });
    expect((await queue.failed('ada@example.com', 1)).lastError).toMatch(/could not be used/);
  });

  test('is told that a mail is refused for good, it logs that without anything of the mail', async ({ expect, onTestFinished }) => {
    const server = await mailServer(onTestFinished);
    const { queue, worker } = await setTheStage({ ...server.settings, LOG_LEVEL: 'trace' }, onTestFinished);
    const { output } = await worker();
    const secrets = ['Secret subject', 'secret text', 'secret html', 'secret-mailbox@example.com', 'secret header'];
    const [subject, text, html, to, header] = secrets as [string, string, string, string, string];
    server.refuse(451);
    await queue.queue({ to, subject, text, html, headers: { 'X-A': header } });
    await queue.failed(to, 1);
    server.refuse(550);
    await queue.hurry();
    await until(() => output().includes('a mail was refused for good'));
    expect(output()).toContain('the mail server replied 550 to DATA');
    expect(output()).toContain('the mail server replied 451 to DATA');
    for (const secret of secrets) expect(output()).not.toContain(secret);
    await until(async () => (await queue.waiting(to)).length === 0);
  });
});

describe('the start', () => {
  const linesAbout = (service: ServiceProcess) => service.output().match(/^ {2}Mail .*$/gm);

  test('says that mails are kept, and gives a link to them that nobody else has', async () => {
    const service = await startProcess({ env: { DATA_DIR: temporaryFolder(), HOST: '0.0.0.0' } });
    const { port } = new URL(service.url);
    const link = /http:\/\/localhost:\d+\/dev\/mail\?token=[\w-]{43}$/.exec(linesAbout(service)?.join('\n') ?? '')?.[0] as string;
    expect(new URL(link).port).toBe(port);
    const statusOf = async (url: string) => (await fetch(url, { redirect: 'manual' })).status;
    expect([await statusOf(link), await statusOf(link.replace(/\?.*/, ''))]).toEqual([303, 403]);
    await service.stop();
  });

  test('says nothing of mail where there is a mail server, and does not wait for it', async ({ onTestFinished }) => {
    const server = await mailServer(onTestFinished);
    const { service, worker } = await setTheStage(server.settings, onTestFinished);
    expect(linesAbout(await worker())).toBeNull();
    expect((await service.anonymous.request('GET', '/readyz')).status).toBe(200);
  });

  test('says so of a service that shows them to nobody, too', async ({ onTestFinished }) => {
    const { worker } = await setTheStage({}, onTestFinished);
    expect(linesAbout(await worker())).toEqual(['  Mail           is kept, not sent, as SMTP_URL is not set']);
  });
});
