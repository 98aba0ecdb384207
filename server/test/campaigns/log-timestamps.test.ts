import { execFileSync } from 'node:child_process';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseCertificate, parseNote, verifyTimestamp } from '@waybill/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authority } from '../../../packages/proof/test/support/authority.ts';
import { askForTimestamp } from '../../src/modules/attestations/timestamp-request.ts';
import { until } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

/** OpenSSL plays the authority. */
function hasOpenssl(): boolean {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).startsWith('OpenSSL 3');
  } catch {
    console.log('OpenSSL 3 is missing: timestamps are not tested.');
    return false;
  }
}

interface Stamped {
  size: string;
  note: string;
  timestamp_token: Buffer;
}

describe.runIf(hasOpenssl())('timestamps', () => {
  let authority: Authority;
  let service: TestService;
  let acme: TestBusiness;
  let requests: { type: string | undefined; body: Buffer }[] = [];
  const honest = (body: Buffer, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(authority.reply(body));
  let respond: (body: Buffer, response: ServerResponse) => void = honest;

  const server = http.createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    requests.push({ type: request.headers['content-type'], body });
    respond(body, response);
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/stamp`;

  beforeAll(async () => {
    authority = new Authority();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    service = await startTestService({ TSA_URL: url() });
    acme = await service.business('acme');
    await service.business('globex');
  });
  afterAll(async () => {
    await service.stop();
    server.close();
    server.closeAllConnections();
    authority.close();
  });

  const stamped = () =>
    service.sql<Stamped>('SELECT size, note, timestamp_token FROM log_checkpoints WHERE timestamp_token IS NOT NULL ORDER BY size');
  const anHourLater = () =>
    service.sql(
      "UPDATE log_checkpoints SET timestamped_at = timestamped_at - interval '61 minutes', timestamp_stated_at = timestamp_stated_at - interval '61 minutes'",
    );

  test('a checkpoint gets a token that verifies, and only one an hour', async () => {
    await acme.api.send({ to: 'globex', json: 1 });
    await until(async () => (await stamped()).length === 1);
    const [{ note, timestamp_token: token } = { note: '', timestamp_token: Buffer.alloc(0) }] = await stamped();
    const body = new TextEncoder().encode(parseNote(note).body);
    const { time, authority: name, isTrusted } = await verifyTimestamp(Uint8Array.from(token), body, [parseCertificate(authority.root)]);
    expect([name, isTrusted]).toEqual([expect.stringContaining('Test timestamps'), true]);
    expect(Math.abs(Date.now() - time.getTime())).toBeLessThan(60_000);
    expect(requests.map(({ type }) => type)).toEqual(['application/timestamp-query']);

    await acme.api.send({ to: 'globex', json: 2 });
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(requests).toHaveLength(1);
  });

  test('an hour later, if there is something new, the next', async () => {
    await anHourLater();
    await until(async () => (await stamped()).length === 2);
    await anHourLater();
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    // Nothing was sent meanwhile.
    expect(requests).toHaveLength(2);
  });

  test('an authority that fails is asked again later', async () => {
    requests = [];
    respond = (_, response) => void response.writeHead(503).end();
    await acme.api.send({ to: 'globex', json: 3 });
    await anHourLater();
    await until(async () => (await service.sql<{ failures: number }>('SELECT failures FROM log_attestors'))[0]?.failures === 1);
    expect(await service.sql('SELECT failure FROM log_attestors')).toEqual([{ failure: 'the timestamp authority responded with 503' }]);
    respond = honest;
    await until(async () => (await stamped()).length === 3);
    // The failure is forgotten after the token is kept.
    await until(async () => (await service.sql('SELECT FROM log_attestors WHERE failures = 0 AND failure IS NULL')).length === 1);
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
    await until(async () => (await metrics()).includes('waybill_log_timestamp_requests_total{outcome="granted"} 3'));
  });

  test('a timestamp from before the checkpoint is not kept', async () => {
    const kept = await stamped();
    await acme.api.send({ to: 'globex', json: 4 });
    const grown = () => service.sql<{ size: string }>('SELECT size FROM log_checkpoints ORDER BY size DESC LIMIT 1');
    // The timestamp before has a leaf, too.
    await until(async () => Number((await grown())[0]?.size) >= Number(kept.at(-1)?.size) + 2);
    // A service whose clock is ahead looks like an authority whose clock is behind.
    await service.sql("UPDATE log_checkpoints SET created_at = created_at + interval '5 minutes'");
    await anHourLater();
    const failure = async () => (await service.sql<{ failure: string | null }>('SELECT failure FROM log_attestors'))[0]?.failure;
    await until(async () => (await failure())?.includes('the clock of the authority is behind') === true);
    expect(await stamped()).toHaveLength(kept.length);
  });

  describe('a response that is not taken', () => {
    const signal = new AbortController().signal;
    const ask = async (doing: typeof respond) => {
      respond = doing;
      await verifyTimestamp(await askForTimestamp(url(), 'a text\n', signal), new TextEncoder().encode('a text\n'));
    };
    const reply =
      (bytes: Buffer, type = 'application/timestamp-reply') =>
      (_: Buffer, response: ServerResponse) =>
        void response.writeHead(200, { 'content-type': type }).end(bytes);

    test('is one with an honest reply changed in any byte', async () => {
      await ask(honest);
      let whole: Buffer = Buffer.alloc(0);
      await ask((body, response) => {
        whole = authority.reply(body);
        reply(whole)(body, response);
      });
      // Each request has another nonce, so the response to another request is refused.
      await expect(ask(reply(whole))).rejects.toThrow('has not the nonce of the request');
      for (let at = 0; at < whole.length; at += 97)
        await expect(
          ask((body, response) => {
            const bytes = authority.reply(body);
            bytes[at] = (bytes[at] ?? 0) ^ 4;
            reply(bytes)(body, response);
          }),
          `byte ${at}`,
        ).rejects.toThrow();
    });

    test('is one of something else, without a token, too long, late or of another type', async () => {
      const withOtherImprint = (body: Buffer, response: ServerResponse) => {
        const other = Buffer.from(body);
        other[30] = (other[30] ?? 0) ^ 1;
        honest(other, response);
      };
      await expect(ask(withOtherImprint)).rejects.toThrow('The timestamp is of something else');
      await expect(ask(reply(Buffer.from('30053003020102', 'hex')))).rejects.toThrow('refused, with the status 2');
      await expect(ask(reply(Buffer.from('30053003020100', 'hex')))).rejects.toThrow('has no token');
      await expect(ask(reply(Buffer.alloc(0)))).rejects.toThrow('not in DER');
      await expect(ask(reply(Buffer.from('3083ffffff', 'hex')))).rejects.toThrow('not in DER');
      await expect(ask(reply(Buffer.alloc(70_000)))).rejects.toThrow('more than 65536 bytes');
      await expect(ask((body, response) => reply(authority.reply(body), 'text/html')(body, response))).rejects.toThrow(
        'the type text/html',
      );
      await expect(ask((_, response) => void response.writeHead(302, { location: '/' }).end())).rejects.toThrow('responded with 302');
      await expect(ask((_, response) => void response.destroy())).rejects.toThrow();
    });
  });
});
