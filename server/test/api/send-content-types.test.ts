import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, type RawResponse } from '../support/raw-http.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  await service.business('globex');
});
afterAll(() => service.stop());

const BODY = '{"to":"globex"}';

/** Sends header lines verbatim, which no client would do. */
function sendLines(...lines: string[]): Promise<RawResponse> {
  const head = ['POST /v1/messages HTTP/1.1', 'Host: x', `Authorization: Bearer ${acme.secret}`, 'Connection: close', ...lines];
  return exchange(service.url, `${head.join('\r\n')}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
}

async function expectUnsupported(...lines: string[]): Promise<void> {
  const before = await tracesOfSends(service);
  const response = await sendLines(...lines);
  expect(response.status).toBe(415);
  expect(response.text).toContain('"code":"unsupported_media_type"');
  expect(await tracesOfSends(service)).toEqual(before);
}

describe('a body is taken', () => {
  test.each([
    'application/json',
    'Application/JSON',
    '  application/json \t',
    'application/json;charset=utf-8',
    'application/json ; charset="UTF-8"',
    'application/json; charset=utf-8;',
    'application/json; profile="a;b"',
  ])('as %j', async (type) => {
    expect((await sendLines(`Content-Type: ${type}`)).status).toBe(201);
  });

  test('with the encoding that means none', async () => {
    expect((await sendLines('Content-Type: application/json', 'Content-Encoding: Identity')).status).toBe(201);
  });
});

describe('a body is refused with 415', () => {
  test('without a content type', async () => {
    await expectUnsupported();
  });

  test.each([
    '',
    '/',
    'json',
    '*/*',
    'application/*',
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/json+x',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    ';application/json',
    'application/json garbage',
    'application/json\ta',
    'application/json\\',
    'application/json\u00a0',
    'application/json; garbage',
    'application/json; =',
    'application/json; charset',
    'application/json; charset="utf-8',
    'application/json,application/json',
    'application/json, text/plain',
    'text/plain; application/json',
  ])('as %j', async (type) => {
    await expectUnsupported(`Content-Type: ${type}`);
  });

  test('with two content types, whichever comes first, be they the same', async () => {
    for (const [one, other] of [
      ['application/json', 'text/plain'],
      ['text/plain', 'application/json'],
      ['application/json', 'application/json'],
    ]) {
      await expectUnsupported(`Content-Type: ${one}`, `content-type: ${other}`);
    }
  });

  test.each([
    ['gzip', gzipSync(BODY)],
    ['x-gzip', gzipSync(BODY)],
    ['deflate', deflateSync(BODY)],
    ['br', brotliCompressSync(BODY)],
    ['identity, gzip', gzipSync(BODY)],
    ['none-such', Buffer.from(BODY)],
  ])('in the encoding %s', async (encoding, bytes) => {
    const before = await tracesOfSends(service);
    const response = await acme.api.request('POST', '/v1/messages', {
      body: new Uint8Array(bytes),
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    });
    expectRefusal(response, 'unsupported_media_type');
    expect(await tracesOfSends(service)).toEqual(before);
  });

  test('in two encodings', async () => {
    await expectUnsupported('Content-Type: application/json', 'Content-Encoding: identity', 'Content-Encoding: gzip');
  });
});

test('compressed bytes that nothing declares are not JSON', async () => {
  const response = await acme.api.request('POST', '/v1/messages', {
    body: new Uint8Array(gzipSync(BODY)),
    headers: { 'content-type': 'application/json' },
  });
  expectRefusal(response, 'invalid_json');
});

test('a body is read as UTF-8, whatever charset is named', async () => {
  const response = await acme.api.request('POST', '/v1/messages', {
    body: new Uint8Array(Buffer.from('{"to":"globex","note":"é"}', 'latin1')),
    headers: { 'content-type': 'application/json; charset=iso-8859-1' },
  });
  expectRefusal(response, 'invalid_json');
});
