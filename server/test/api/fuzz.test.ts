import { METHODS } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorCatalogue } from '../../src/contract/errors.ts';
import type { ApiResponse } from '../support/api.ts';
import { exchange } from '../support/raw-http.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { queryNames, rows } from '../support/table.ts';

let service: TestService;
let acme: TestBusiness;
let messageId: string;
let threadId: string;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme', { segment: 'orders' });
  const { body } = await acme.api.send({ to: 'acme/orders', type: 'order' });
  messageId = body.id;
  threadId = body.thread_id;
});
afterAll(() => service.stop());

const INSIDES = /\n\s+at |node_modules|\.[tj]s:\d|DatabaseError|syntax error at|SELECT |INSERT /;

/** The service has no internal error and reveals nothing of its internals, and every refusal is in the catalogue. */
function expectManners(status: number, text: string): void {
  expect(status, text).toBeGreaterThanOrEqual(200);
  expect(status, text).toBeLessThan(500);
  expect(text).not.toMatch(INSIDES);
  if (status >= 400 && text.startsWith('{')) {
    const { error } = JSON.parse(text);
    const [wanted] = errorCatalogue[error.code as keyof typeof errorCatalogue];
    // Node's own limits of time and size have their own statuses.
    expect([wanted, 408, 431], text).toContain(status);
  }
}

/** Bytes that end neither a line nor a request target. */
const wild = fc.string({ unit: 'binary', maxLength: 40 }).map((text) =>
  Buffer.from(text, 'utf8')
    .toString('latin1')
    .replace(/[\r\n ]/g, '_'),
);
const encoded = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed()));
const halfEncoded = fc.stringMatching(/^[%0-9a-fA-F/.?&=+;:@_~-]{0,30}$/);
const word = fc.oneof(
  encoded,
  halfEncoded,
  wild,
  fc.constantFrom(
    'acme',
    'demo',
    '%00',
    '%',
    '',
    '0',
    '-1',
    'null',
    'orders',
    '2026-01-01T00:00:00Z',
    'passed',
    '..',
    '%2e%2e%2f',
    'thr_',
    'msg_',
  ),
);
const names = fc.constantFrom(...queryNames, '__proto__', 'colour', '', '%00', 'limit[]');
const query = fc.array(fc.tuple(names, word), { maxLength: 4 }).map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
const known = fc.constantFrom(...rows.map(({ path }) => path), '/healthz', '/readyz', '/docs', '/docs/:name', '/openapi.json', '/');
const target = fc
  .tuple(known, word, query, fc.boolean())
  .map(([path, value, search, asks]) => path.replace(/:\w+/, () => value) + (asks ? `?${search}` : ''));
const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('GET', 'POST', 'PATCH', 'HEAD', 'DELETE', 'PUT') },
  { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
);
const headerLine = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'Content-Type',
      'Content-Encoding',
      'Accept',
      'Accept-Encoding',
      'Idempotency-Key',
      'X-Forwarded-For',
      'If-None-Match',
      'Range',
      'Cookie',
      'X',
      'Upgrade',
      'TE',
      'Trailer',
      'Expect',
    ),
    fc.oneof(
      wild,
      fc.constantFrom(
        'application/json',
        'application/json; charset=utf-16',
        'text/plain',
        'multipart/form-data',
        'gzip',
        '*/*',
        '100-continue',
        'bytes=0-',
      ),
    ),
  ),
  fc.tuple(fc.constantFrom('Content-Type'), fc.constant('application/json')),
);
const body = fc.oneof(
  fc.json({ maxDepth: 4 }),
  wild,
  fc
    .record({ to: fc.anything(), in_reply_to: fc.anything(), json: fc.anything(), note: fc.anything() }, { requiredKeys: [] })
    .map((value) => JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? `${inner}` : inner)) ?? ''),
);

test('no request over a bare connection gives a 5xx or shows the insides', async () => {
  await fc.assert(
    fc.asyncProperty(
      method,
      target,
      fc.array(headerLine, { maxLength: 4 }),
      body,
      fc.constantFrom('key', 'no key', 'bad key'),
      async (verb, path, lines, payload, auth) => {
        const authorization = auth === 'no key' ? '' : `Authorization: Bearer ${auth === 'key' ? acme.secret : 'wb_x'}\r\n`;
        const headers = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
        const bytes = Buffer.from(payload, 'latin1');
        const head = `${verb} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${bytes.length}\r\n${authorization}${headers}\r\n`;
        const { text, closed } = await exchange(service.url, Buffer.concat([Buffer.from(head, 'latin1'), bytes]), { quietMs: 1_000 });
        // An event stream stays open after its first bytes.
        expect(closed || /\r\ncontent-type: text\/event-stream\r\n/i.test(text)).toBe(true);
        if (text === '') return;
        const response =
          /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 (\d{3}) [\s\S]*?\r\nx-request-id: req_[\s\S]*?\r\n\r\n([\s\S]*)$/i.exec(text);
        expectManners(Number(response?.[1]), response?.[2] ?? '');
      },
    ),
    { numRuns: 500 },
  );
});

const expectOrderlyResponse = ({ status, text }: ApiResponse) => expectManners(status, text);

test('no message request gives a 5xx, and what is taken can be read back', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.string({ unit: 'grapheme', maxLength: 250 }),
    fc.constantFrom('acme', 'acme/orders', 'demo', '\u0000', '\ud800', ''),
  );
  const anything = fc.oneof(text, fc.constant(null), fc.double(), fc.jsonValue(), fc.boolean());
  const request = fc.record(
    {
      to: fc.oneof(fc.constant('acme'), anything),
      in_reply_to: fc.oneof(fc.constant('MESSAGE'), anything),
      type: anything,
      subject: anything,
      note: anything,
      json: fc.jsonValue(),
      files: anything,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(request, async (message) => {
      const response = await acme.api.send(JSON.stringify(message).replace('"MESSAGE"', JSON.stringify(messageId)));
      expectOrderlyResponse(response);
      if (response.status === 201) expect((await acme.api.get(`/messages/${response.body.id}`)).text).toBe(response.text);
    }),
    { numRuns: 300 },
  );
});

test('no change of an agent gives a 5xx', async () => {
  const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 120 }), fc.jsonValue(), fc.constantFrom('orders', 'a', null));
  const change = fc.dictionary(fc.constantFrom('name', 'description', 'segment', 'id', '__proto__', 'constructor'), value);
  await fc.assert(
    fc.asyncProperty(change, async (patch) => expectOrderlyResponse(await acme.api.patch(`/agents/${acme.agentId}`, patch))),
    { numRuns: 150 },
  );
});

test('no id gives a 5xx, nor anything but what is there', async () => {
  const alphabet = fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/);
  const changed = (id: () => string) =>
    fc.tuple(fc.nat(29), fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz%_-')).map(
      ([at, letter]) =>
        () =>
          id().slice(0, at) + letter + id().slice(at + 1),
    );
  const near = fc.oneof(
    changed(() => messageId),
    changed(() => threadId),
  );
  const far = fc.tuple(fc.constantFrom('msg_', 'thr_', 'agt_', 'rcpt_', ''), alphabet).map(
    ([prefix, rest]) =>
      () =>
        prefix + rest,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(near, far),
      fc.constantFrom('/messages/', '/threads/', '/agents/', '/receipts/', '/public/'),
      async (id, path) => {
        const response = await acme.api.get(`${path}${id()}`);
        expectOrderlyResponse(response);
        if (response.status === 200) expect(response.text).toContain(id());
      },
    ),
    { numRuns: 300 },
  );
});
