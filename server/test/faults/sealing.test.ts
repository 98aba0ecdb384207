import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { GB, MB } from '../../src/contract/limits.ts';
import { Api } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess, until } from '../support/process.ts';
import { isGivenS3, startS3Server } from '../support/s3-server.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { download, upload } from '../support/transfer.ts';

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
});
afterAll(() => service.stop());

/** A statement that records a sealed upload waits until the trigger is dropped. */
const HOLD = [
  'CREATE FUNCTION hold_sealing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN new; END $$',
  'CREATE TRIGGER hold_sealing BEFORE UPDATE ON uploads FOR EACH ROW WHEN (new.sealed_bytes IS NOT NULL) EXECUTE FUNCTION hold_sealing()',
];
const HELD = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";

test('after a kill while an upload is sealed, the next send takes over and is delivered', async () => {
  const settings = { DATABASE_URL: service.databaseUrl, PORT: String(await freePort()) };
  const killed = await startProcess({ env: settings });
  const id = await upload(new Api(killed.url, acme.secret), 'the bytes');
  for (const statement of HOLD) await service.sql(statement);
  const lost = new Api(killed.url, acme.secret).send({ to: 'acme', files: [id] }).catch(() => undefined);
  await until(async () => (await service.sql(`SELECT 1 ${HELD}`)).length > 0);
  await killed.stop('SIGKILL');
  await lost;
  // PostgreSQL does this itself as soon as it writes to a client that is gone.
  await service.sql(`SELECT pg_terminate_backend(pid) ${HELD}`);
  await service.sql('DROP FUNCTION hold_sealing CASCADE');

  const next = await startProcess({ env: settings });
  try {
    const sent = await new Api(next.url, acme.secret).send({ to: 'acme', files: [id] });
    expect([sent.status, sent.body.files?.[0].size_bytes], sent.text).toEqual([201, 9]);
    expect(next.output()).not.toContain('unavailable');
  } finally {
    await next.stop();
  }
});

interface Bucket {
  env: Record<string, string>;
  /** Copies get no response while it is true. */
  holdsCopies: boolean;
  copies: number;
  stop(): Promise<void>;
}

/** A bucket whose copies can take forever. */
async function startBucket(): Promise<Bucket> {
  const s3 = await startS3Server();
  const { hostname, port } = new URL(s3.env['S3_ENDPOINT'] ?? '');
  const server = createServer((from, response) => {
    if (from.headers['x-amz-copy-source'] !== undefined) {
      bucket.copies++;
      if (bucket.holdsCopies) return;
    }
    const options = { hostname, port, method: from.method, path: from.url, headers: from.headers };
    const to = request(options, (upstream) => {
      response.writeHead(upstream.statusCode ?? 500, upstream.headers);
      pipeline(upstream, response, () => {});
    });
    pipeline(from, to, () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  const bucket: Bucket = {
    env: { ...s3.env, S3_ENDPOINT: `http://127.0.0.1:${own}` },
    holdsCopies: false,
    copies: 0,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await s3.stop();
    },
  };
  return bucket;
}

// The time that a bucket may take to copy a file grows with its size: with 200 MB, two copies take longer than a send waits, and with 5 GB minutes.
test.skipIf(isGivenS3).each([200 * MB, 5 * GB])(
  'after a kill while a bucket copies an upload of %i bytes, the next send takes over and is delivered',
  async (sizeBytes) => {
    const bucket = await startBucket();
    const inBucket = await startTestService(bucket.env);
    const { secret } = await inBucket.business('globex');
    const settings = { DATABASE_URL: inBucket.databaseUrl, PORT: String(await freePort()), ...bucket.env };
    const killed = await startProcess({ env: settings });
    const id = await upload(new Api(killed.url, secret), 'the bytes');
    const pretend = (bytes: number) => inBucket.sql('UPDATE uploads SET size_bytes = $2 WHERE id = $1', [parseId('upl', id), bytes]);
    await pretend(sizeBytes);
    bucket.holdsCopies = true;
    const lost = new Api(killed.url, secret).send({ to: 'globex', files: [id] }).catch(() => undefined);
    await until(() => bucket.copies > 0);
    await killed.stop('SIGKILL');
    await lost;
    bucket.holdsCopies = false;
    await pretend(9);

    const next = await startProcess({ env: settings });
    try {
      const sent = await new Api(next.url, secret).send({ to: 'globex', files: [id] });
      expect([sent.status, sent.body.files?.[0].size_bytes], sent.text).toEqual([201, 9]);
      expect((await download(sent.body.files[0].download_url)).bytes.toString()).toBe('the bytes');
      expect(next.output()).not.toContain('unavailable');
    } finally {
      await next.stop();
      await inBucket.stop();
      await bucket.stop();
    }
  },
);
