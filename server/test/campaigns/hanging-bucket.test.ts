import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../src/contract/ids.ts';
import { S3Store } from '../../src/platform/objects/s3-store.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { sendForm } from '../support/form.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startS3Server } from '../support/s3-server.ts';
import { createDatabase, startTestService, type TestService } from '../support/service.ts';
import { announce, announcement } from '../support/transfer.ts';

/** Far longer than the service waits for a bucket, because a busy machine may stand still. */
const PATIENCE_MS = 60_000;

const UPLOADS = 40;

const settingsFor = (port: number) => ({
  S3_ENDPOINT: `http://127.0.0.1:${port}`,
  S3_BUCKET: 'waybill',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
  S3_FORCE_PATH_STYLE: 'true',
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a bucket that takes connections and never responds', () => {
  let bucket: Server;
  let service: TestService;
  let acme: Api;
  const uploads: string[] = [];
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    bucket = createServer((socket) => sockets.add(socket.on('error', () => {}).resume()));
    const DATABASE_URL = await createDatabase();
    // Uploads are announced while the bucket is reachable.
    const [s3, port] = [await startS3Server(), await listening(bucket)];
    const before = await startTestService({ DATABASE_URL, ...s3.env });
    const { api, secret } = await before.business('acme');
    await before.business('globex');
    for (let n = 0; n < UPLOADS; n++) uploads.push((await announce(api)).upload_id);
    await before.stop();
    await s3.stop();
    service = await startTestService({ DATABASE_URL, ...settingsFor(port) });
    acme = new Api(service.url, secret);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    bucket.close();
    await service.stop();
  });

  const form = () =>
    sendForm(acme, [{ name: 'to', bytes: 'globex' }, ...['a', 'b', 'c'].map((filename) => ({ filename, bytes: `bytes of ${filename}` }))]);

  async function expectUnavailable(ask: () => Promise<ApiResponse>): Promise<void> {
    const begun = Date.now();
    const response = await ask();
    expectRefusal(response, 'unavailable');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Date.now() - begun).toBeLessThan(PATIENCE_MS);
  }

  test.each<[string, () => Promise<ApiResponse>]>([
    ['an upload in parts', () => acme.write('POST', '/uploads', { ...announcement(), parts: true })],
    ['a message with an upload', () => acme.send({ to: 'globex', files: uploads.slice(0, 1) })],
    ['an upload', () => acme.write('POST', '/uploads', announcement())],
    ['a message with files in it', form],
  ])('gets %s a 503 in time', (_name, ask) => expectUnavailable(ask));

  test('keeps no message without files from being sent, however many others wait for it', async () => {
    let waiting = uploads.length;
    const refused = uploads.map((id) =>
      expectUnavailable(() => acme.send({ to: 'globex', files: [id] })).finally(() => {
        waiting--;
      }),
    );
    for (let i = 0; i < 20; i++) expect((await acme.send({ to: 'globex', note: String(i) })).status).toBe(201);
    expect(waiting).toBe(uploads.length);
    await Promise.all(refused);
  });
});

describe('a bucket that says 200 and then that it failed', () => {
  test('has not joined the parts of an upload', async () => {
    const ETag = '"5d41402abc4b2a76b9719d911017c592"';
    const respond = ({ method }: IncomingMessage, response: ServerResponse) => {
      const parts = `<ListPartsResult><IsTruncated>false</IsTruncated><Part><PartNumber>1</PartNumber><ETag>${ETag}</ETag><Size>5</Size></Part></ListPartsResult>`;
      const failure = '<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>';
      response.setHeader('content-type', 'application/xml').end(`<?xml version="1.0"?>${method === 'GET' ? parts : failure}`);
    };
    const server = createHttpServer(respond);
    const port = await listening(server);
    try {
      const store = new S3Store({
        endpoint: `http://127.0.0.1:${port}`,
        bucket: 'waybill',
        region: 'us-east-1',
        accessKeyId: 'key',
        secretAccessKey: 'secret',
        forcePathStyle: true,
      });
      await expect(store.parts.join({ id: newUuid(), ref: 'ref', sizeBytes: 5, partBytes: 5 })).rejects.toThrow();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
