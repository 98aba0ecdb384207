import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { hardJson } from '../support/hard-json.ts';
import { jsonText, whitespace } from '../support/json-text.ts';
import { exchange } from '../support/raw-http.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { contentHashOf, sha256OfCanonical, sha256OfText } from '../support/rfc8785.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const MB = 1_048_576;

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

function sendJson(written: string): Promise<ApiResponse> {
  return acme.api.send(`{"to":"globex","json":${written}}`);
}

/** Reads the payload, as text, in every place that returns it. */
async function readings(sent: ApiResponse): Promise<string[]> {
  const { id, thread_id } = sent.body;
  const responses = await Promise.all([
    globex.api.get(`/inbox?thread=${thread_id}`),
    acme.api.get(`/outbox?thread=${thread_id}`),
    globex.api.get(`/threads/${thread_id}`),
    globex.api.get(`/messages/${id}`),
  ]);
  return [sent.text, ...responses.map(({ text }) => text)];
}

async function expectCarried(written: string): Promise<void> {
  const sent = await sendJson(written);
  expect(sent.status).toBe(201);
  const { json_bytes_sha256, content_hash } = sent.body;
  expect([json_bytes_sha256, content_hash]).toEqual([sha256OfText(written), contentHashOf(sent.body)]);
  // Not toContain, because a failure would print a megabyte.
  for (const text of await readings(sent)) expect(text.includes(`"json":${written},"`)).toBe(true);
}

describe('json comes back byte for byte in the response, inbox, outbox, thread and message', () => {
  test.each(hardJson)('%s', async (_, written) => {
    await expectCarried(written);
  });

  test('whitespace around the value is not part of it', async () => {
    const sent = await acme.api.send('\n{ "json" :\t [ 1 ]\r\n , "to" : "globex" } \n');
    expect(sent.status).toBe(201);
    expect(sent.text).toContain('"json":[ 1 ],"');
  });

  test('its name may be written with escapes', async () => {
    expect((await acme.api.send('{"to":"globex","\\u006as\\u006fn":1.0}')).text).toContain('"json":1.0,"');
  });
});

test.each([
  ['repeated keys', '{"a":1,"a":2}', '{"a":2}'],
  ['digits beyond a double', '10000000000000001', '10000000000000000'],
  ['the order of keys', '{"b":1,"a":2}', '{"a":2,"b":1}'],
])('texts that are read alike have one json_sha256, and each a json_bytes_sha256 and a content_hash: %s', async (_, one, other) => {
  const [{ body: first }, { body: second }] = [await sendJson(one), await sendJson(other)];
  expect(first.json_sha256).toBe(second.json_sha256);
  expect([first.json_bytes_sha256, second.json_bytes_sha256]).toEqual([sha256OfText(one), sha256OfText(other)]);
  for (const { id, json_bytes_sha256, content_hash } of [first, second]) {
    const { body } = await globex.api.get(`/messages/${id}`);
    expect([body.json_bytes_sha256, contentHashOf(body)]).toEqual([json_bytes_sha256, content_hash]);
  }
});

describe('refused rather than altered', () => {
  test.each([
    ['arrays', '['.repeat(1_001) + ']'.repeat(1_001)],
    ['objects', `${'{"a":'.repeat(1_001)}1${'}'.repeat(1_001)}`],
    ['both in turn', `${'[{"a":'.repeat(501)}1${'}]'.repeat(501)}`],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('nesting deeper than 1,000 levels: %s', async (_, written) => {
    expectInvalid(await sendJson(written), 'json');
  });

  test.each([
    ['1e400', '1e400'],
    ['-1e400', '-1e400'],
    ['1e309 further down', '[1,{"a":1e309}]'],
    ['310 digits', '1'.repeat(310)],
    ['400 digits and a half', `${'9'.repeat(400)}.5`],
  ])('a number beyond the range of a double: %s', async (_, written) => {
    expectInvalid(await sendJson(written), 'json');
  });

  test('while 1e400 as a text is carried', async () => {
    await expectCarried('"1e400"');
  });
});

describe('the size of json', () => {
  const ofBytes: [string, (bytes: number) => string][] = [
    ['a text', (bytes) => `"${'x'.repeat(bytes - 2)}"`],
    ['characters of four bytes', (bytes) => `"${'x'.repeat((bytes - 2) % 4)}${'😀'.repeat(Math.floor((bytes - 2) / 4))}"`],
    ['whitespace inside', (bytes) => `[${' '.repeat(bytes - 2)}]`],
  ];

  test.each(ofBytes)('may be 1 MB to the byte, and one byte more gives json_too_large: %s', async (_, make) => {
    expect(Buffer.byteLength(make(MB))).toBe(MB);
    await expectCarried(make(MB));
    expectRefusal(await sendJson(make(MB + 1)), 'json_too_large');
  });

  test('leaves room for the longest note and subject, written in escapes', async () => {
    const note = '\\ud83d\\ude00'.repeat(10_000);
    const subject = '\\ud83d\\ude00'.repeat(200);
    const sent = await acme.api.send(`{"to":"globex","note":"${note}","subject":"${subject}","json":"${'x'.repeat(MB - 2)}"}`);
    expect(sent.status).toBe(201);
    expect(sent.body.note).toBe('😀'.repeat(10_000));
  });

  test.each([2, 20])('a body of %i MB gives json_too_large', async (size) => {
    expectRefusal(await sendJson(`"${'x'.repeat(size * MB)}"`), 'json_too_large');
  });

  test.each([
    ['1 MB', MB, 201],
    ['1 MB and a byte', MB + 1, 413],
    ['4 MB', 4 * MB, 413],
  ])('is judged in the same way when the body comes in chunks: %s', async (_, bytes, status) => {
    const body = `{"to":"globex","json":"${'x'.repeat(bytes - 2)}"}`;
    const chunks = (body.match(/.{1,60000}/g) ?? []).map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
    const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.secret}\r\nContent-Type: application/json\r\n`;
    const response = await exchange(service.url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    expect(response.status).toBe(status);
    if (status === 413) expect(response.text).toContain('"code":"json_too_large"');
  });
});

test('any JSON value, however written, comes back byte for byte, hashes as its meaning does, and pollutes nothing', async () => {
  // The service runs in this process, so a polluted prototype would show here.
  const prototypes = [Object.prototype, Array.prototype, Function.prototype] as object[];
  const before = prototypes.map((prototype) => Object.getOwnPropertyNames(prototype));
  await fc.assert(
    fc.asyncProperty(jsonText, whitespace, whitespace, async (written, left, right) => {
      const sent = await acme.api.send(`{"to":"globex","json":${left}${written}${right}}`);
      expect(sent.status).toBe(201);
      expect(sent.body.json_sha256).toBe(sha256OfCanonical(JSON.parse(written)));
      expect([sent.body.json_bytes_sha256, sent.body.content_hash]).toEqual([sha256OfText(written), contentHashOf(sent.body)]);
      for (const text of await readings(sent)) expect(text).toContain(`"json":${written},"`);
      expect(prototypes.map((prototype) => Object.getOwnPropertyNames(prototype))).toEqual(before);
    }),
    { numRuns: 150 },
  );
});
