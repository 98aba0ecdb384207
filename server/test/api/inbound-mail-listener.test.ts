import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { type SmtpHandlers, type SmtpLimits, SmtpListener } from '../../src/platform/mail/smtp-listener.ts';
import { INBOUND } from '../support/mail-world.ts';
import { SmtpClient } from '../support/smtp-client.ts';

describe('a listener', () => {
  const LIMITS: SmtpLimits = {
    mailBytes: 1_000,
    lineBytes: 998,
    lines: 100,
    recipients: 2,
    connections: 4,
    connectionsPerAddress: 3,
    connectionsPerNetwork: 4,
    connectionsReserved: 0,
    mailsPerConnection: 2,
    refusalsPerConnection: 3,
    idleMs: 60_000,
    connectionMs: 60_000,
    stopMs: 10_000,
  };
  const start = async (limits: Partial<SmtpLimits>, handlers: Partial<SmtpHandlers> = {}, isDirect = true) => {
    const settings = {
      host: '127.0.0.1',
      port: 0,
      name: INBOUND,
      tls: undefined,
      proxies: ['127.0.0.1'].slice(isDirect ? 1 : 0),
      limits: { ...LIMITS, ...limits },
    };
    const yes = { sender: async () => {}, recipient: async () => {}, mail: readAll };
    const listener = new SmtpListener(settings, { ...yes, ...handlers }, pino({ level: 'silent' }));
    const port = await listener.start();
    const connectFrom = (address: string) =>
      SmtpClient.open(port, `PROXY TCP${address.includes(':') ? 6 : 4} ${address} ${address} 40000 25\r\n`);
    return { listener, connect: () => SmtpClient.open(port), connectFrom };
  };
  const readAll = async (bytes: AsyncIterable<Buffer>) => {
    let size = 0;
    for await (const chunk of bytes) size += chunk.length;
    return `${size} bytes`;
  };
  const begin = async (client: SmtpClient) => {
    for (const command of ['EHLO x', 'MAIL FROM:<a@b.test>', 'RCPT TO:<c@d.test>', 'DATA']) await client.say(command);
  };

  test('takes so many connections of one address, and more once they are closed', async () => {
    const { listener, connect } = await start({});
    const clients = await Promise.all([connect(), connect(), connect()]);
    for (const { greeting } of clients) expect(greeting).toMatch(/^220 /);
    expect((await connect()).greeting).toMatch(/^421 4\.7\.0 Too many connections from your address/);
    clients[0]?.close();
    await expect.poll(async () => (await connect()).greeting).toMatch(/^220 /);
    await listener.stop();
  });

  test('takes so many connections in all', async () => {
    const { listener, connect } = await start({ connections: 2 });
    await Promise.all([connect(), connect()]);
    expect((await connect()).greeting).toMatch(/^421 4\.7\.0 Too many connections in all; try again later\.$/);
    await listener.stop();
  });

  test('takes so many connections of one network, and keeps some for networks that have none', async () => {
    const limits = { connections: 10, connectionsPerAddress: 2, connectionsPerNetwork: 3, connectionsReserved: 3 };
    const { listener, connectFrom } = await start(limits, {}, false);
    const isWelcome = async (...addresses: string[]) => {
      const greetings: boolean[] = [];
      for (const address of addresses) greetings.push((await connectFrom(address)).greeting.startsWith('220 '));
      return greetings;
    };
    expect(await isWelcome('192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.3')).toEqual([true, true, false, true, false]);
    expect(await isWelcome('2001:db8:1::1', '2001:db8:1:ffff::1', '2001:db8:1:2::3', '2001:db8:1:4::5')).toEqual([true, true, true, false]);
    // Seven of ten slots are taken. From here on each network gets one, until the last is taken.
    expect(await isWelcome('198.51.100.1', '198.51.100.2', '203.0.113.1', '2001:db8:2::1', '2001:db8:3::1', '2001:db8:4::1')).toEqual([
      true,
      false,
      true,
      true,
      true,
      false,
    ]);
    await listener.stop();
  });

  test('takes so many mails of one connection', async () => {
    const { listener, connect } = await start({});
    const client = await connect();
    await client.say('EHLO x');
    for (let i = 0; i < 2; i++) {
      expect(await client.say('MAIL FROM:<a@b.test>')).toMatch(/^250/);
      await client.say('RSET');
    }
    expect(await client.say('MAIL FROM:<a@b.test>')).toMatch(/^421 4\.7\.0 Too many mails on one connection/);
    expect(await client.reply()).toBe('');
    await listener.stop();
  });

  test('ends connections that say nothing, and those that never end', async () => {
    const idle = await start({ idleMs: 200 });
    const silent = await idle.connect();
    expect(await silent.reply()).toMatch(/^421 Timeout/);
    expect(await silent.reply()).toBe('');
    await idle.listener.stop();
    const short = await start({ connectionMs: 300 });
    const busy = await short.connect();
    await begin(busy);
    busy.write('From: x\r\n');
    expect(await busy.reply()).toMatch(/^421 4\.4\.2 This connection has been open for too long/);
    await short.listener.stop();
  });

  test('replies to an internal error with a request to try again, and goes on', async () => {
    let calls = 0;
    const { listener, connect } = await start(
      {},
      {
        mail: async (bytes) => {
          if (++calls === 1) throw new Error('a fault');
          return readAll(bytes);
        },
      },
    );
    const client = await connect();
    await begin(client);
    client.write('x\r\n.\r\n');
    expect(await client.reply()).toMatch(/^451 4\.3\.0 Something failed on our side/);
    await begin(client);
    client.write('xyz\r\n.\r\n');
    expect(await client.reply()).toBe('250 5 bytes');
    await listener.stop();
  });

  test('finishes a mail that is under way when it stops, and takes no other', async () => {
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { listener, connect } = await start(
      {},
      {
        mail: async (bytes) => {
          const text = await readAll(bytes);
          reached.resolve();
          await goOn.promise;
          return text;
        },
      },
    );
    const [working, idle] = await Promise.all([connect(), connect()]);
    await begin(working);
    working.write('xyz\r\n.\r\n');
    await reached.promise;
    const stopped = listener.stop();
    expect(await idle.reply()).toMatch(/^421 4\.3\.2 The service is stopping/);
    await expect(connect()).rejects.toThrow('ECONNREFUSED');
    goOn.resolve();
    expect(await working.reply()).toBe('250 5 bytes');
    expect(await working.reply()).toMatch(/^421 4\.3\.2 The service is stopping/);
    await stopped;
  });
});
