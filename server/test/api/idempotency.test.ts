import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { exchange } from '../support/raw-http.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';
import { upload } from '../support/transfer.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

const withKey = (key: string) => ({ 'idempotency-key': key });
const VISIBLE_ASCII = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');

function expectFirst(response: ApiResponse): void {
  expect([response.status, response.headers.get('idempotent-replayed')], response.text).toEqual([201, null]);
}

function expectReplay(response: ApiResponse, original: ApiResponse): void {
  expect([response.status, response.headers.get('idempotent-replayed')], response.text).toEqual([201, 'true']);
  expect(response.text).toBe(original.text);
}

const differs = (response: ApiResponse) => response.headers.get('idempotent-body-differs');

/** Sets the time of the business's idempotency keys back. */
async function turnBack(handle: string, interval: string): Promise<void> {
  await service.sql(
    `UPDATE idempotency_keys SET expires_at = expires_at - $2::interval
      WHERE party_id = (SELECT id FROM parties WHERE handle = $1)`,
    [handle, interval],
  );
}

describe('a repeat', () => {
  test('responds with 201, the original envelope and Idempotent-Replayed, and sends nothing', async () => {
    const message = { to: 'globex', type: 'order', json: { n: 1.5 } };
    const original = await acme.api.send(message, withKey('repeat'));
    expectFirst(original);
    const before = await tracesOfSends(service);
    expect(differs(original)).toBeNull();
    for (let i = 0; i < 3; i++) {
      const repeat = await acme.api.send(message, withKey('repeat'));
      expectReplay(repeat, original);
      expect(differs(repeat)).toBeNull();
    }
    expect(await tracesOfSends(service)).toEqual(before);
  });

  test.each([
    ['another message', '{"to":"acme","note":"other"}'],
    ['an unknown recipient', '{"to":"nobody"}'],
    ['no recipient', '{}'],
    ['an unknown parent', '{"in_reply_to":"msg_01h455vb4pex5vsknk084sn02q"}'],
    ['an unknown field', '{"to":"globex","josn":1}'],
    ['text that is no JSON', '{"to":'],
    ['nothing', ''],
    ['bytes that are no UTF-8', new Uint8Array([0xff, 0xfe])],
    ['a json too large', `{"to":"globex","json":"${'x'.repeat(1_048_576)}"}`],
    ['a body too large', `{"to":"globex","json":"${'x'.repeat(8 * 1_048_576)}"}`],
    ['a json too deep', `{"to":"globex","json":${'['.repeat(1_001)}${']'.repeat(1_001)}}`],
  ])('gets the original whatever its body: %s', async (name, body) => {
    const original = await acme.api.send({ to: 'globex', json: 1 }, withKey(`body:${name.replaceAll(' ', '-')}`));
    expectFirst(original);
    const before = await tracesOfSends(service);
    const repeat = await acme.api.send(body, withKey(`body:${name.replaceAll(' ', '-')}`));
    expectReplay(repeat, original);
    expect(differs(repeat)).toBe('true');
    expect(await tracesOfSends(service)).toEqual(before);
  });

  test('with uploads that are gone gets the original, and nothing is said of its body', async () => {
    const original = await acme.api.send({ to: 'globex' }, withKey('uploads'));
    const repeat = await acme.api.send({ to: 'globex', files: ['x'] }, withKey('uploads'));
    expectReplay(repeat, original);
    expect(differs(repeat)).toBeNull();
  });

  test('that is refused for what has changed meanwhile is still the same body', async () => {
    const message = { to: 'globex', json: { n: 1 } };
    const original = await acme.api.send(message, withKey('blocked'));
    const { body: block } = await globex.api.write('POST', '/blocks', { handle: 'acme' });
    expectRefusal(await acme.api.send(message), 'sender_blocked');
    for (const [body, expected] of [
      [message, null],
      [{ ...message, json: { n: 2 } }, 'true'],
    ] as const) {
      const repeat = await acme.api.send(body, withKey('blocked'));
      expectReplay(repeat, original);
      expect(differs(repeat)).toBe(expected);
    }
    expect((await globex.api.request('DELETE', `/v1/blocks/${block.id}`)).status).toBe(204);
  });

  test('of a message whose file was uploaded again is the same body', async () => {
    const send = async (bytes: string) => acme.api.send({ to: 'globex', files: [await upload(acme.api, bytes)] }, withKey('again'));
    const original = await send('one');
    expect([differs(await send('one')), differs(await send('two'))]).toEqual([null, 'true']);
    expect(original.body.files).toHaveLength(1);
  });

  test.each([
    ['no JSON', { 'content-type': 'text/plain' }],
    ['JSON with broken parameters', { 'content-type': 'application/json; charset' }],
    ['compressed', { 'content-encoding': 'gzip' }],
  ])('gets the original before its type is judged: %s', async (name, headers) => {
    const key = withKey(`type:${name.replaceAll(' ', '-')}`);
    expectRefusal(await acme.api.send({ to: 'globex' }, { ...key, ...headers }), 'unsupported_media_type');
    const original = await acme.api.send({ to: 'globex' }, key);
    expectFirst(original);
    // The body is not read, so it is unknown whether it differs.
    const repeat = await acme.api.send({ to: 'globex' }, { ...key, ...headers });
    expectReplay(repeat, original);
    expect(differs(repeat)).toBeNull();
    expectRefusal(await acme.api.send({ to: 'globex' }, { 'idempotency-key': '', ...headers }), 'validation_error');
    expectRefusal(await (await acme.withKey('read')).send({ to: 'globex' }, { ...key, ...headers }), 'forbidden');
  });

  test('of a body that never ends gets the original, and the connection is closed', async () => {
    const original = await acme.api.send({ to: 'globex' }, withKey('endless'));
    const lines = ['POST /v1/messages HTTP/1.1', 'Host: x', `Authorization: Bearer ${acme.secret}`, 'Content-Type: application/json'];
    const head = [...lines, 'Idempotency-Key: endless', 'Content-Length: 9000000000', '', '{"to":'].join('\r\n');
    const response = await exchange(service.url, head);
    expect(response.text).toMatch(/^HTTP\/1\.1 201 [\s\S]*\nidempotent-body-differs: true\r\n/i);
    expect(response.text).toMatch(/\nconnection: close\r\n/i);
    expect(response.text).toContain(original.body.id);
  });

  test('says of each of two concurrent bodies whether it was the first', async () => {
    const notes = Array.from({ length: 8 }, (_, i) => `note ${i % 2}`);
    const sent = await Promise.all(notes.map((note) => acme.api.send({ to: 'globex', note }, withKey('race'))));
    const [first] = sent.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    sent.forEach((response, i) => {
      expect(response.text).toBe(first?.text);
      expect(differs(response)).toBe(notes[i] === first?.body.note ? null : 'true');
    });
  });

  test('says nothing of a first body that was sent before bodies were known', async () => {
    await acme.api.send({ to: 'globex' }, withKey('older'));
    await service.sql("UPDATE idempotency_keys SET request_digest = NULL WHERE key = 'older'");
    expect(differs(await acme.api.send({ to: 'globex', note: 'another' }, withKey('older')))).toBeNull();
  });

  test('gets the original through another key of the business too, but not without the right to send', async () => {
    const original = await acme.api.send({ to: 'globex' }, withKey('keys'));
    expectReplay(await (await acme.withKey('read_write')).send({ to: 'globex' }, withKey('keys')), original);
    expectRefusal(await (await acme.withKey('read')).send({ to: 'globex' }, withKey('keys')), 'forbidden');
    expectRefusal(await service.anonymous.send({ to: 'globex' }, withKey('keys')), 'unauthorized');
  });

  test('of a reply gets that reply', async () => {
    const { body: parent } = await acme.api.send({ to: 'globex' });
    const original = await globex.api.send({ in_reply_to: parent.id }, withKey('reply'));
    expectReplay(await globex.api.send({ in_reply_to: parent.id }, withKey('reply')), original);
    expect((await acme.api.get(`/threads/${parent.thread_id}`)).body.data).toHaveLength(2);
  });

  test('gets the original as it was delivered, also when the agent was renamed since', async () => {
    const original = await globex.api.send({ to: 'acme' }, withKey('renamed'));
    await globex.api.patch(`/agents/${globex.agentId}`, { name: 'Another name' });
    expectReplay(await globex.api.send({ to: 'acme' }, withKey('renamed')), original);
  });
});

describe('the key', () => {
  test.each([
    ['one character', 'k'],
    ['255 characters', 'k'.repeat(255)],
    ['every visible ASCII character', VISIBLE_ASCII],
    ['quotes and escapes', `"'\\u0000\\"{}$1;--`],
  ])('may be %s, and is echoed in the envelope everywhere', async (_, key) => {
    const original = await acme.api.send({ to: 'globex' }, withKey(key));
    expectFirst(original);
    expect(original.body.idempotency_key).toBe(key);
    expect((await globex.api.get(`/messages/${original.body.id}`)).body.idempotency_key).toBe(key);
    expectReplay(await acme.api.send({ to: 'globex' }, withKey(key)), original);
  });

  test('is not in the envelope of a message that was sent without one', async () => {
    const sent = await acme.api.send({ to: 'globex' });
    expect(sent.body).not.toHaveProperty('idempotency_key');
    expect((await globex.api.get(`/messages/${sent.body.id}`)).body).not.toHaveProperty('idempotency_key');
  });

  test.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a tab', 'a\tb'],
    ['beyond ASCII', 'clé'],
  ])('gives validation_error when it is %s', async (_, key) => {
    const before = await tracesOfSends(service);
    expectInvalid(await acme.api.send({ to: 'globex' }, withKey(key)), 'Idempotency-Key');
    expect(await tracesOfSends(service)).toEqual(before);
  });

  test('gives validation_error when there are two', async () => {
    const body = '{"to":"globex"}';
    const lines = ['POST /v1/messages HTTP/1.1', 'Host: x', `Authorization: Bearer ${acme.secret}`, 'Content-Type: application/json'];
    const two = [...lines, 'Idempotency-Key: one', 'Idempotency-Key: two', `Content-Length: ${body.length}`, '', body].join('\r\n');
    const response = await exchange(service.url, two);
    expect(response.status).toBe(400);
    expect(response.text).toContain('"code":"validation_error"');
  });

  test('differs from one that is the same but for case', async () => {
    const lower = await acme.api.send({ to: 'globex' }, withKey('case'));
    const upper = await acme.api.send({ to: 'globex' }, withKey('CASE'));
    expectFirst(upper);
    expect(upper.body.id).not.toBe(lower.body.id);
  });

  test('of one business is nothing to another, not even to the recipient', async () => {
    const ours = await acme.api.send({ to: 'globex' }, withKey('shared'));
    const theirs = await globex.api.send({ to: 'acme' }, withKey('shared'));
    expectFirst(theirs);
    expect(theirs.body.id).not.toBe(ours.body.id);
    expectReplay(await acme.api.send({ to: 'globex' }, withKey('shared')), ours);
    expectReplay(await globex.api.send({ to: 'acme' }, withKey('shared')), theirs);
  });
});

describe('only a success is remembered', () => {
  test.each([
    ['invalid_json', '{'],
    ['validation_error', '{"to":"globex","josn":1}'],
    ['unknown_recipient', '{"to":"nobody"}'],
    ['not_found', '{"in_reply_to":"msg_01h455vb4pex5vsknk084sn02q"}'],
    ['upload_not_found', '{"to":"globex","files":["x"]}'],
  ] as const)('after %s the same key makes a new attempt', async (code, body) => {
    expectRefusal(await acme.api.send(body, withKey(code)), code);
    const second = await acme.api.send({ to: 'globex', note: code }, withKey(code));
    expectFirst(second);
    expect(second.body).toMatchObject({ note: code, idempotency_key: code });
    expectReplay(await acme.api.send(body, withKey(code)), second);
  });

  test('after quota_exceeded the same key makes a new attempt', async () => {
    await acme.api.send({ to: 'globex' });
    const sibling = await service.sibling({ MONTHLY_MESSAGE_LIMIT: '1' });
    try {
      expectRefusal(await acme.api.at(sibling.url).send({ to: 'globex' }, withKey('quota')), 'quota_exceeded');
    } finally {
      await sibling.stop();
    }
    expectFirst(await acme.api.send({ to: 'globex' }, withKey('quota')));
  });
});

describe('the window', () => {
  test('of 24 hours is over a second later: the same key sends a new message, which is then the one repeated', async () => {
    const initech = await service.business('initech');
    const original = await initech.api.send({ to: 'globex', note: 'first' }, withKey('window'));
    await turnBack('initech', '24 hours 1 second');
    const second = await initech.api.send({ to: 'globex', note: 'second' }, withKey('window'));
    expectFirst(second);
    expect(second.body).toMatchObject({ note: 'second', idempotency_key: 'window' });
    expect(second.body.id).not.toBe(original.body.id);
    expectReplay(await initech.api.send({ to: 'globex' }, withKey('window')), second);
    expect((await initech.api.get('/outbox')).body.data).toEqual([second.body, original.body]);
  });

  test('once over, no longer covers a repeat that is wrong in itself', async () => {
    const umbrella = await service.business('umbrella');
    await umbrella.api.send({ to: 'globex' }, withKey('over'));
    await turnBack('umbrella', '24 hours 1 second');
    expectRefusal(await umbrella.api.send({ to: 'nobody' }, withKey('over')), 'unknown_recipient');
  });

  test('is open until then, and not prolonged by a repeat', async () => {
    const hooli = await service.business('hooli');
    const original = await hooli.api.send({ to: 'globex' }, withKey('late'));
    await turnBack('hooli', '23 hours 59 minutes');
    expectReplay(await hooli.api.send({ to: 'globex' }, withKey('late')), original);
    await turnBack('hooli', '1 minute 1 second');
    expectFirst(await hooli.api.send({ to: 'globex' }, withKey('late')));
  });
});

describe('1,000 parallel repeats', () => {
  /** Each request has its own note. All get the message of the one that came first. */
  async function expectOneMessage(sender: TestBusiness, urls: string[]): Promise<void> {
    const responses = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) =>
        sender.api.at(urls[i % urls.length] as string).send({ to: 'globex', note: `attempt ${i}` }, withKey('storm')),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect((await sender.api.get('/outbox')).body.data).toEqual([responses[0]?.body]);
    expect((await globex.api.get(`/inbox?from=${sender.handle}`)).body.data).toEqual([responses[0]?.body]);
    expect((await sender.api.get('/me')).body.usage.messages.used).toBe(1);
  }

  test('give one message and 1,000 equal envelopes', async () => {
    await expectOneMessage(await service.business('stark'), [service.url]);
  });

  test('give one message and 1,000 equal envelopes over two processes with one public address', async () => {
    const port = await freePort();
    const sibling = await service.sibling({ PORT: String(port), PUBLIC_URL: service.url });
    try {
      await expectOneMessage(await service.business('wayne'), [service.url, `http://127.0.0.1:${port}`]);
    } finally {
      await sibling.stop();
    }
  });

  test('of many keys at once give one message a key', async () => {
    const tyrell = await service.business('tyrell');
    const responses = await Promise.all(
      Array.from({ length: 600 }, (_, i) => tyrell.api.send({ to: 'globex', note: `${i % 60}` }, withKey(`many-${i % 60}`))),
    );
    expect(new Set(responses.map(({ text }) => text)).size).toBe(60);
    for (const { body } of responses) expect(body.idempotency_key).toBe(`many-${body.note}`);
    expect((await tyrell.api.get('/outbox?limit=200')).body.data).toHaveLength(60);
  });
});
