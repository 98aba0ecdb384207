import { randomInt, randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { attached, INBOUND, mailText, multipart, SPF_HERE } from '../support/mail-world.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { everyPage } from '../support/pages.ts';
import { startPrepared } from '../support/prepared-folder.ts';
import { runProgram, type ServiceProcess, startProcess, temporaryFolder, until } from '../support/process.ts';
import { createDatabase } from '../support/service.ts';
import { handOver, SmtpClient } from '../support/smtp-client.ts';

let names: NameServer;
let port: number;
let env: Record<string, string>;

beforeAll(async () => {
  names = await startNameServer();
  names.set('acme-works.test', { txt: [SPF_HERE] });
  port = await freePort();
  env = {
    SMTP_LISTEN: `127.0.0.1:${port}`,
    INBOUND_DOMAIN: INBOUND,
    DNS_SERVERS: names.address,
    MONTHLY_MESSAGE_LIMIT: '0',
    NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    PUBLIC_RATE_LIMIT_PER_MINUTE: '0',
  };
  return () => names.stop();
});

const parcel = (mail: string) => ({ sender: 'ann@acme-works.test', recipients: [`globex@${INBOUND}`], mail });

async function deliver(mail: string): Promise<string> {
  const client = await SmtpClient.open(port);
  await client.say('EHLO client.test');
  const replies = await handOver(client, parcel(mail));
  client.close();
  return replies.mail || (replies.recipients[0] ?? replies.sender);
}

describe('after ten times kill -9 of the service while mail comes in', () => {
  const ROUNDS = 10;
  const WRITERS = 4;
  /** All mails that were begun, by Message-ID, and those that got the SMTP reply 250. */
  const begun = new Map<string, string>();
  const acknowledged = new Map<string, string>();
  const surprises: string[] = [];
  let cutOff = 0;
  let service: ServiceProcess;
  let secret: string;

  beforeAll(async () => {
    const first = await startPrepared({ env });
    service = first;
    secret = service.keys['globex/orders'] ?? '';
    for (let round = 1; round <= ROUNDS; round++) {
      const isOver = { value: false };
      const writers = Array.from({ length: WRITERS }, () => write(isOver));
      const enough = acknowledged.size + 1 + randomInt(10);
      await until(() => acknowledged.size >= enough);
      await sleep(randomInt(30));
      await service.stop('SIGKILL');
      isOver.value = true;
      await Promise.all(writers);
      service = await startProcess({ env: { ...env, DATA_DIR: first.dataFolder } });
    }
  });

  async function write(isOver: { value: boolean }): Promise<void> {
    try {
      const client = await SmtpClient.open(port);
      await client.say('EHLO client.test');
      while (!isOver.value) {
        const id = randomUUID();
        const mail = mailText({
          ...multipart('mixed', [attached(`${id}.txt`, 'text/plain', id)]),
          subject: id,
          messageId: `<${id}@acme-works.test>`,
        });
        begun.set(id, mail);
        const { mail: reply } = await handOver(client, parcel(mail));
        if (reply.startsWith('250 ')) acknowledged.set(id, reply);
        else if (reply === '') throw new Error('cut off');
        else surprises.push(reply);
      }
    } catch {
      cutOff++;
    }
  }

  test('each mail that was acknowledged is there, and sending all again makes each exactly one message', async () => {
    expect(cutOff).toBeGreaterThanOrEqual(ROUNDS);
    expect(surprises).toEqual([]);
    expect(begun.size).toBeGreaterThan(acknowledged.size);
    const inbox = async () => (await everyPage(new Api(service.url, secret), '/inbox', { limit: 200 })).flat();
    const before = (await inbox()).map(({ subject }) => subject);
    for (const id of acknowledged.keys()) expect(before).toContain(id);
    for (const [id, mail] of begun) {
      const reply = await deliver(mail);
      expect(reply).toMatch(/^250 2\.0\.0 Delivered as msg_\w+$/);
      if (acknowledged.has(id)) expect(reply).toBe(acknowledged.get(id));
    }
    const after = await inbox();
    expect(after.map(({ subject }) => subject).toSorted()).toEqual([...begun.keys()].toSorted());
    for (const { subject, files } of after) expect(await (await fetch(files[0].download_url)).text()).toBe(subject);
    await service.stop();
  });
});

describe('a process of the role mail', () => {
  test('takes mail for what other processes serve, and says where', async () => {
    const DATABASE_URL = await createDatabase();
    const shared = { ...env, DATABASE_URL, DATA_DIR: temporaryFolder() };
    const api = await startProcess({ env: { ...shared, SMTP_LISTEN: `127.0.0.1:${await freePort()}` }, args: ['--role', 'api'] });
    const httpPort = await freePort();
    const mail = await startProcess({ env: { ...shared, PORT: String(httpPort) }, args: ['--role', 'mail'] });
    expect(api.output()).not.toContain('smtp://');
    expect(mail.output()).toContain(`  Mail           smtp://127.0.0.1:${port} for <handle>@${INBOUND}\n`);
    expect((await fetch(`http://127.0.0.1:${httpPort}/readyz`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${httpPort}/v1/public/demo`)).status).toBe(404);
    const command = async (...args: string[]) =>
      JSON.parse((await runProgram('cli', { env: { DATABASE_URL }, args: [...args, '--json'] })).stdout);
    expect(await deliver(mailText())).toMatch(/^550 5\.1\.1 /);
    await command('business', 'create', 'globex', '--name', 'Globex');
    const agent = await command('agent', 'create', 'globex', '--name', 'Desk');
    const { secret } = await command('key', 'create', agent.id, '--scope', 'read_write');
    const reply = await deliver(mailText());
    const { data } = (await new Api(api.url, secret).get('/inbox')).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([reply.split(' ').at(-1)]);
    for (const process of [mail, api]) expect(await process.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  test('that is told to stop finishes the mail that is under way, and ends', async () => {
    const service = await startPrepared({ env });
    const client = await SmtpClient.open(port);
    const idle = await SmtpClient.open(port);
    for (const command of ['EHLO x', 'MAIL FROM:<ann@acme-works.test>', `RCPT TO:<globex@${INBOUND}>`, 'DATA']) await client.say(command);
    const mail = mailText();
    client.write(mail.slice(0, 50));
    const ended = service.stop();
    expect(await idle.reply()).toMatch(/^421 4\.3\.2 The service is stopping/);
    await expect(SmtpClient.open(port)).rejects.toThrow('ECONNREFUSED');
    client.write(`${mail.slice(50)}\r\n.\r\n`);
    expect(await client.reply()).toMatch(/^250 2\.0\.0 Delivered as msg_/);
    expect(await client.reply()).toMatch(/^421 4\.3\.2 The service is stopping/);
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('that finds its port taken says so in one sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await until(() => other.listening);
    const { port: taken } = other.address() as { port: number };
    const { code, stderr } = await runProgram('main', {
      env: { DATABASE_URL: await createDatabase(), PORT: '0', SMTP_LISTEN: `127.0.0.1:${taken}` },
      args: ['--role', 'mail'],
    });
    other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The service can't listen for mail at SMTP_LISTEN=127\.0\.0\.1:\d+: [^\n]*EADDRINUSE[^\n]*\n$/);
  });
});

test('while the database is away, mail is put off, and taken once it is back', async () => {
  const postgres = await startOwnPostgres();
  const DATABASE_URL = await postgres.createDatabase();
  const service = await startProcess({ env: { ...env, DATABASE_URL, DATA_DIR: temporaryFolder() } });
  await runProgram('cli', { env: { DATABASE_URL }, args: ['business', 'create', 'globex', '--name', 'Globex'] });
  expect(await deliver(mailText())).toMatch(/^250 /);
  const client = await SmtpClient.open(port);
  for (const command of ['EHLO x', 'MAIL FROM:<ann@acme-works.test>', `RCPT TO:<globex@${INBOUND}>`, 'DATA']) await client.say(command);
  await postgres.stop();
  const mail = mailText();
  client.write(`${mail}\r\n.\r\n`);
  expect(await client.reply()).toMatch(/^451 4\.3\.0 The database or the store of files can’t be reached/);
  client.close();
  expect(await deliver(mailText())).toMatch(/^451 4\.3\.0 /);
  await postgres.restart();
  await expect.poll(() => deliver(mail), { timeout: 60_000 }).toMatch(/^250 /);
  expect(await service.stop()).toMatchObject({ code: 0 });
  await postgres.stop();
});
