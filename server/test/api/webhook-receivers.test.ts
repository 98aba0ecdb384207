import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BadReceivers } from '../support/bad-receiver.ts';
import { newAuthority, selfSigned } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { authority, type Receiver, type Responder, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, type CreatedWebhook, createWebhook, logOf } from '../support/webhook-log.ts';

const PATIENCE_MS = 10_000;
const RESPONSE_MAX_BYTES = 64 * 1024;
/** Extra time for a machine that is busy with other tests. */
const SLACK_MS = 3_000;

interface Expected {
  status: 'delivered' | 'failed' | 'retrying';
  status_code: number | null;
  error: RegExp | null;
  isSlow?: boolean;
}

interface Case extends Expected {
  name: string;
  url(): Promise<string>;
}

const bad = new BadReceivers();
const responders = new Map<string, Responder>();
const timers: NodeJS.Timeout[] = [];
const local = ['localhost', '127.0.0.1'];
let receiver: Receiver;

function everySecond(response: ServerResponse | Socket, act: () => void): void {
  const timer = setInterval(act, 1_000);
  response.on('close', () => clearInterval(timer));
  timers.push(timer);
}

function responding(respond: Responder): Case['url'] {
  return async () => {
    const path = `/${responders.size}`;
    responders.set(path, respond);
    return receiver.url(path);
  };
}

const writing = (text: string, thenEnd = true) =>
  responding((_, { socket }) => {
    if (thenEnd) socket?.end(text);
    else socket?.write(text);
  });

const raw = (onConnection: (socket: Socket) => void, scheme = 'https') => {
  return async () => `${scheme}://localhost:${await bad.tcp(onConnection)}/`;
};

const presenting = (identity: Parameters<BadReceivers['tls']>[0]) => async () => {
  return `https://localhost:${await bad.tls(identity, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))}/`;
};

const delivered = (status_code: number): Expected => ({ status: 'delivered', status_code, error: null });
const refused = (status_code: number, error = /instead of a status from 200 to 299/): Expected => ({
  status: 'retrying',
  status_code,
  error,
});
const broken = (error: RegExp): Expected => ({ status: 'retrying', status_code: null, error });
const late: Expected = { ...broken(/^no complete response within 10 seconds$/), isSlow: true };
const CLOSED = /connection (closed|reset)/;
const TLS = /certificate or TLS/;

const cases: Case[] = [
  { name: 'never responds', url: responding(() => {}), ...late },
  { name: 'never responds to the TLS handshake', url: raw(() => {}), ...late },
  { name: 'stops after the status line', url: writing('HTTP/1.1 200 OK\r\n', false), ...late },
  { name: 'stops after the headers', url: responding((_, response) => response.writeHead(200).flushHeaders()), ...late },
  {
    name: 'stops in the middle of the body it announced',
    url: responding((_, response) => response.writeHead(200, { 'content-length': 10 }).write('half')),
    ...late,
  },
  {
    name: 'drips its headers, a byte a second',
    url: responding((_, response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\nx: ');
      everySecond(response, () => response.socket?.write('x'));
    }),
    ...late,
  },
  {
    name: 'drips its body, a byte a second',
    url: responding((_, response) => {
      response.writeHead(200);
      everySecond(response, () => response.write('x'));
    }),
    ...late,
  },
  {
    name: 'responds without end',
    url: responding((_, response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.writeHead(200).on('drain', pour);
      pour();
    }),
    ...broken(/^responded with 200 and a body without end$/),
  },
  {
    name: 'sends 1xx without end',
    url: responding((_, response) => everySecond(response, () => response.writeProcessing())),
    ...late,
  },
  {
    name: 'announces a terabyte and begins to send it',
    url: responding((_, response) => response.writeHead(200, { 'content-length': 1e12 }).write('x'.repeat(100_000))),
    ...delivered(200),
  },
  {
    name: 'announces a terabyte about its error',
    url: responding((_, response) => response.writeHead(500, { 'content-length': 1e12 }).write('x'.repeat(100_000))),
    ...refused(500),
  },
  {
    name: 'resets the connection on seeing the request',
    url: raw((socket) => socket.once('data', () => socket.resetAndDestroy()), 'http'),
    ...broken(CLOSED),
  },
  {
    name: 'resets the connection in the TLS handshake',
    url: raw((socket) => socket.once('data', () => socket.resetAndDestroy())),
    ...broken(CLOSED),
  },
  { name: 'closes the connection at once', url: raw((socket) => socket.end()), ...broken(CLOSED) },
  { name: 'closes instead of responding', url: responding((_, { socket }) => socket?.destroy()), ...broken(CLOSED) },
  {
    name: 'closes in the middle of the body it announced',
    url: writing('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'),
    ...broken(CLOSED),
  },
  { name: 'speaks no HTTP', url: writing('SSH-2.0-OpenSSH_9.6\r\n'), ...broken(/not HTTP/) },
  {
    name: 'speaks no TLS',
    url: raw((socket) => socket.end('220 mail.example ESMTP\r\n')),
    ...broken(/^the certificate or TLS was not accepted: wrong version number$/),
  },
  { name: 'has an expired certificate', url: presenting(authority.issue(local, { expired: true })), ...broken(/expired/) },
  { name: 'has a certificate for another name', url: presenting(authority.issue(['other.example'])), ...broken(/altnames/) },
  { name: 'has a self-signed certificate', url: presenting(selfSigned(local)), ...broken(/accepted: self-signed certificate$/) },
  { name: 'has a certificate of an unknown authority', url: presenting(newAuthority().issue(local)), ...broken(TLS) },
  { name: 'does not listen', url: async () => `https://localhost:${await freePort()}/`, ...broken(/^connection refused$/) },
  {
    name: 'sends headers that are too large',
    url: responding(withStatus(200, { 'x-large': 'x'.repeat(100_000) })),
    ...broken(/headers of the response are too large/),
  },
  {
    name: 'sends 102 and 103 first',
    url: responding((_, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(200).end('done');
    }),
    ...delivered(200),
  },
  {
    // The HTTP client can't skip this informational response, unlike others. At least the failure has a reason.
    name: 'sends 100 first',
    url: writing('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    ...broken(/^responded with 100 or 101, which was not asked for$/),
  },
  { name: 'responds with 199 and nothing else', url: writing('HTTP/1.1 199 Odd\r\n\r\n', false), ...late },
  {
    name: 'wants to change the protocol',
    url: writing('HTTP/1.1 101 No\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ...broken(/^responded with 100 or 101, which was not asked for$/),
  },
  ...[200, 202, 204, 299].map((status) => ({ name: `responds with ${status}`, url: responding(withStatus(status)), ...delivered(status) })),
  ...[300, 304].map((status) => ({
    name: `responds with ${status}`,
    url: responding(withStatus(status)),
    ...refused(status, /redirects/),
  })),
  ...[400, 404, 410, 500, 599, 600, 999].map((status) => ({
    name: `responds with ${status}`,
    url: writing(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`),
    ...refused(status),
    // A 410 is final.
    ...(status === 410 && { status: 'failed' as const }),
  })),
  { name: 'ends its body by closing', url: writing('HTTP/1.0 200 OK\r\n\r\ndone'), ...delivered(200) },
  {
    name: 'responds in chunks of 64 KB in all',
    url: responding((_, response) => {
      response.writeHead(200).write('x'.repeat(RESPONSE_MAX_BYTES - 1));
      response.end('x');
    }),
    ...delivered(200),
  },
  {
    name: 'responds in chunks of a byte more',
    url: responding((_, response) => {
      response.writeHead(200).write('x'.repeat(RESPONSE_MAX_BYTES));
      response.end('x');
    }),
    ...broken(/^responded with 200 and a body without end$/),
  },
  {
    name: 'responds with 40 MB, compressed to 40 KB',
    url: responding((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(40_000_000)))),
    ...delivered(200),
  },
  {
    name: 'claims gzip, but responds with something else',
    url: responding((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain')),
    ...delivered(200),
  },
];

let service: TestService;
interface Begun {
  business: TestBusiness;
  webhook: CreatedWebhook;
  messageId: string;
}
const made = new Map<string, Begun>();

// Each case has its own business, because a business may have only a few webhooks at one host. All begin at once, so that the cases of ten
// seconds overlap.
beforeAll(async () => {
  service = await startTestService(receiverSettings);
  receiver = await startReceiver();
  receiver.respond = (delivery, response, request) => responders.get(delivery.path)?.(delivery, response, request);
  const acme = await service.business('acme');
  const begin = async (name: string, url: string, i: number) => {
    const business = await service.business(`globex-${i}`);
    const webhook = await createWebhook(business.api, url);
    made.set(name, { business, webhook, messageId: (await acme.api.send({ to: business.handle, json: { hello: 'all' } })).body.id });
  };
  await Promise.all(cases.map(async ({ name, url }, i) => begin(name, await url(), i)));
});
afterAll(async () => {
  timers.forEach(clearInterval);
  await receiver.stop();
  await bad.stop();
  await service.stop();
});

test.each(cases)('a receiver that $name', async ({ name, status, status_code, error, isSlow = false }) => {
  const { business, webhook, messageId } = made.get(name) as Begun;
  const [attempt, ...more] = await attemptsOf(business.api, webhook.id, 1);
  expect(more).toEqual([]);
  expect(attempt).toMatchObject({ message_id: messageId, attempt: 1, status, status_code });
  if (error === null) expect(attempt?.error).toBeNull();
  else expect(attempt?.error).toMatch(error);
  expect(attempt?.response_ms).toBeLessThan(PATIENCE_MS + SLACK_MS);
  if (isSlow) expect(attempt?.response_ms).toBeGreaterThanOrEqual(PATIENCE_MS - 50);
  const pending = (await logOf(business.api, webhook.id)).filter((entry) => entry.status === 'pending');
  expect(pending.map(({ attempt }) => attempt)).toEqual(status === 'retrying' ? [2] : []);
});

test('the responses of receivers are not stored', async () => {
  const [row] = await service.sql<{ kept: string }>("SELECT string_agg(a::text, ' ') AS kept FROM webhook_attempts a");
  for (const said of ['xxxx', 'SSH-2.0', 'plain', 'half', 'ESMTP']) expect(row?.kept).not.toContain(said);
});
