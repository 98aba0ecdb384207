import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendForm } from '../support/form.ts';
import { freePort } from '../support/free-port.ts';
import { runProgram, until } from '../support/process.ts';
import { expectRefusal } from '../support/refusals.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { createDatabase, startTestService, type TestService } from '../support/service.ts';
import { announcement } from '../support/transfer.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3.stop());

async function failedStart(env: Record<string, string>): Promise<string> {
  const { code, stderr } = await runProgram('main', { env: { PORT: '0', DATABASE_URL: await createDatabase(), ...s3.env, ...env } });
  expect(code, stderr).toBe(1);
  return stderr;
}

test('a bucket that does not exist ends the start with one sentence', async () => {
  const said = await failedStart({ S3_BUCKET: 'elsewhere' });
  expect(said).toMatch(
    /^The bucket "elsewhere" at \S+ can't be used: writing an object failed \(404 NoSuchBucket .*\)\. Create the bucket, or set S3_BUCKET/,
  );
  expect(said.trim().split('\n')).toHaveLength(1);
});

test('a wrong secret ends the start with one sentence, which does not repeat it', async () => {
  const said = await failedStart({ S3_SECRET_ACCESS_KEY: 'not-the-secret' });
  expect(said).toMatch(
    /^The bucket .* can't be used: writing an object failed \(403 \w+ .*\)\. Check S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY\.$/m,
  );
  expect(said).not.toContain('not-the-secret');
});

/** What a start says of a bucket that keeps what is written, but for requests that this function responds to itself. */
async function saidOf(respond: (request: IncomingMessage, response: ServerResponse, isKept: boolean) => boolean): Promise<string> {
  const kept = new Map<string, Buffer>();
  const server = createHttpServer(async (request, response) => {
    const key = new URL(request.url ?? '/', 'http://bucket').pathname;
    if (respond(request, response, kept.has(key))) return;
    if (request.method === 'PUT') kept.set(key, Buffer.concat(await Array.fromAsync(request)));
    response.setHeader('etag', '"tag"').end(request.method === 'GET' ? kept.get(key) : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const said = await failedStart({ S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  server.close();
  return said;
}

test('a server that ignores conditions on writes ends the start', async () => {
  expect(await saidOf(() => false)).toContain('ignores conditions on writes (If-None-Match)');
});

test('a key that may not list the bucket ends the start, which names the permission', async () => {
  const said = await saidOf((request, response, isKept) => {
    if (request.url?.includes('list-type')) {
      response.writeHead(403, { 'content-type': 'application/xml' }).end('<Error><Code>AccessDenied</Code></Error>');
      return true;
    }
    const isRefused = request.method === 'PUT' && isKept;
    if (isRefused) response.writeHead(412).end();
    return isRefused;
  });
  expect(said).toContain('s3:ListBucket');
});

/** A proxy to the S3 server that can be closed and opened. */
class Way {
  readonly port: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  constructor(port: number) {
    this.port = port;
  }

  async open(): Promise<void> {
    const { hostname, port } = new URL(s3.env['S3_ENDPOINT'] ?? '');
    this.#server = createServer((from) => {
      const to = connect(Number(port), hostname);
      for (const socket of [from, to]) this.#sockets.add(socket.on('error', () => {}));
      from.pipe(to).pipe(from);
    }).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('a bucket that can’t be reached', () => {
  let service: TestService;
  let way: Way;
  beforeAll(async () => {
    way = new Way(await freePort());
    service = await startTestService({ ...s3.env, S3_ENDPOINT: `http://127.0.0.1:${way.port}` });
  });
  afterAll(async () => {
    way.close();
    await service.stop();
  });

  const ready = () => service.anonymous.request('GET', '/readyz');

  test('lets the service start, which is ready once it was reached; until then there are no upload tickets', async () => {
    const acme = await service.business('acme');
    const globex = await service.business('globex');
    const upload = (more = {}) => acme.api.write('POST', '/uploads', { ...announcement(), ...more });
    expectRefusal(await ready(), 'unavailable');
    expect((await ready()).body.error.message).toContain("The bucket can't be reached");
    expectRefusal(await upload(), 'unavailable');
    expectRefusal(await upload({ parts: true }), 'unavailable');
    expect((await acme.api.send({ to: 'globex', note: 'without files' })).status).toBe(201);

    await way.open();
    await until(async () => (await ready()).status === 200);
    expect((await upload()).status).toBe(201);

    // After the start, the service also serves messages without a bucket.
    way.close();
    const form = () =>
      sendForm(globex.api, [
        { name: 'to', bytes: 'acme' },
        { filename: 'a.txt', bytes: 'bytes' },
      ]);
    expectRefusal(await form(), 'unavailable');
    await until(async () => (await upload()).status === 503);
    const { status, body } = await ready();
    expect([status, body.status]).toEqual([200, 'ok']);
    expect(body.files).toContain("The bucket can't be reached");

    await way.open();
    await until(async () => (await upload()).status === 201);
    expect((await ready()).body.files).toBeUndefined();
    expect((await form()).status).toBe(201);
    expect((await s3.kept()).filter((key) => key.startsWith('probe/'))).toEqual([]);
  });
});
