import { contentDigest, isSignatureGenuine, newSigningKeyPair, parseParameters, type SigningKey, signRequest } from '@waybill/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SIGNATURE_TOLERANCE_S, SIGNED_REST_MAX_BYTES } from '../../src/contract/limits.ts';
import { Api } from '../support/api.ts';
import { claimedBy } from '../support/businesses.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { newSigningKey, signedWrite } from '../support/signing.ts';

let service: TestService;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
let key: SigningKey & { publicKey: string };

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
  key = await newSigningKey(service, acme);
});
afterAll(() => service.stop());

const nowS = () => Math.floor(Date.now() / 1_000);
const send = (body: unknown, options?: Parameters<typeof signedWrite>[4]) => signedWrite(acme, key, '/messages', body, options);
/** Rows are counted here, because each shard would give its own count. */
const countMessages = async () => (await service.sql('SELECT id FROM messages')).length;

describe('a signed send', () => {
  test.each([
    ['with json in the middle', '{ "to" : "globex",\n "json" : { "b": 1.0, "a": [ "ü" ] } , "note": "grüße" }'],
    ['with json of null', '{"json":null,"to":"globex"}'],
    ['without json', '{"to":"globex","note":"hello"}\n'],
    ['with a long json', `{"to":"globex","json":"${'x'.repeat(1_000_000)}"}`],
  ])('%s is delivered, and both parties can check the signature again', async (_, body) => {
    const { status, body: sent } = await send(body, { idempotencyKey: `order ${_}`.replaceAll(' ', '-') });
    expect(status).toBe(201);
    for (const reader of [acme, globex]) {
      const { status, body: stored } = await reader.api.get(`/messages/${sent.id}/signature`);
      expect(status).toBe(200);
      expect(stored.body).toBe(body);
      expect(stored.components['content-digest']).toBe(contentDigest(body));
      expect(stored.key).toEqual({ id: key.id, public_key: key.publicKey, created_at: expect.any(String), revoked_at: null, domain: null });
      const parameters = parseParameters(stored.signature_input);
      expect(stored.created_at).toBe(new Date(1_000 * (parameters.created ?? 0)).toISOString());
      const [publicKey, signature] = [stored.key.public_key, stored.signature].map((text) => Buffer.from(text, 'base64'));
      if (!publicKey || !signature) throw new Error('nothing to check');
      expect(await isSignatureGenuine(publicKey, parameters, stored.components, signature)).toBe(true);
      expect(Object.keys(stored.components)).toEqual(['@method', '@path', 'content-digest', 'idempotency-key']);
    }
    const receipt = await service.anonymous.get(`/receipts/${sent.receipt_url.split('/r/')[1]}/signature`);
    expect(receipt.body).toEqual({ key: expect.objectContaining({ id: key.id }), created_at: expect.any(String), covers: ['content'] });
    const stranger = await service.business(`stranger-${sent.id.slice(-8)}`);
    expectRefusal(await stranger.api.get(`/messages/${sent.id}/signature`), 'not_found');
  });

  test('has nothing to show if it is not signed', async () => {
    const { body } = await acme.api.send({ to: 'globex' });
    expectRefusal(await acme.api.get(`/messages/${body.id}/signature`), 'not_found');
    expectRefusal(await service.anonymous.get(`/receipts/${body.receipt_url.split('/r/')[1]}/signature`), 'not_found');
    expectRefusal(await acme.api.get('/messages/msg_nonsense/signature'), 'not_found');
  });

  test('can be repeated: it returns the original, whatever its signature', async () => {
    const body = { to: 'globex', json: { n: 1 } };
    const first = await send(body, { idempotencyKey: 'again' });
    const again = await send(body, { idempotencyKey: 'again', createdS: nowS() - 10_000 });
    const unsigned = await acme.api.send(body, { 'idempotency-key': 'again' });
    for (const { status, body, headers } of [again, unsigned])
      expect([status, body.id, headers.get('idempotent-replayed')]).toEqual([201, first.body.id, 'true']);
    const stored = await acme.api.get(`/messages/${first.body.id}/signature`);
    expect(stored.body.body).toBe(JSON.stringify(body));
  });

  test('can come with many others at once, of which some are not signed or refused', async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const body = { to: 'globex', json: { n } };
        if (n % 3 === 0) return { n, response: await acme.api.send(body) };
        return { n, response: await send(body, n % 3 === 1 ? {} : { createdS: 1 }) };
      }),
    );
    for (const { n, response } of all) {
      if (n % 3 === 2) expectRefusal(response, 'invalid_signature');
      else {
        const stored = await globex.api.get(`/messages/${response.body.id}/signature`);
        expect([n, stored.status, stored.body.body]).toEqual(
          n % 3 === 0 ? [n, 404, undefined] : [n, 200, JSON.stringify({ to: 'globex', json: { n } })],
        );
      }
    }
  });
});

describe('a signature is refused, and nothing is sent,', () => {
  const body = '{"to":"globex","json":{"n":1}}';
  const path = '/v1/messages';
  const signed = (over: Partial<Parameters<typeof signRequest>[1]> = {}, by: SigningKey = key) =>
    signRequest(by, { method: 'POST', path, body, ...over });
  const refused = async (headers: Record<string, string>, message: RegExp, sent = body, by = acme) => {
    const before = await countMessages();
    const response = await by.api.write('POST', '/messages', sent, headers);
    expectRefusal(response, 'invalid_signature');
    expect(response.body.error.message).toMatch(message);
    expect(await countMessages()).toBe(before);
  };

  test('if one of its headers is missing', async () => {
    const all: Record<string, string> = await signed();
    for (const name of Object.keys(all)) await refused(Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)), /missing/);
  });

  test('if it is of another body, path, method or idempotency key', async () => {
    await refused(await signed(), /digest/i, `${body} `);
    await refused({ ...(await signed()), 'content-digest': contentDigest(`${body} `) }, /digest/i);
    await refused({ ...(await signed()), 'content-digest': contentDigest(`${body} `) }, /not by this key/, `${body} `);
    await refused({ ...(await signed()), 'content-digest': 'sha-512=:AAAA:' }, /sha-256/);
    await refused(await signed({ path: '/v1/message' }), /not by this key/);
    await refused(await signed({ method: 'PUT' }), /not by this key/);
    await refused({ ...(await signed()), 'idempotency-key': 'x' }, /cover "idempotency-key"/);
    await refused({ ...(await signed({ idempotencyKey: 'y' })), 'idempotency-key': 'x' }, /not by this key/);
    await refused(await signed({ idempotencyKey: 'y' }), /does not have/);
  });

  test('if it is too old or from the future', async () => {
    for (const createdS of [nowS() - SIGNATURE_TOLERANCE_S - 5, nowS() + SIGNATURE_TOLERANCE_S + 5, 0, 999_999_999_999_999])
      await refused(await signed({ createdS }), /clock/);
    expect((await send(body, { createdS: nowS() - SIGNATURE_TOLERANCE_S + 30 })).status).toBe(201);
  });

  test('if its key is unknown, of another agent, of another business or revoked', async () => {
    const { privateKey } = await newSigningKeyPair();
    for (const id of ['sgk_00000000000000000000000000', 'nonsense', key.id.replace('sgk', 'key')])
      await refused(await signed({}, { id, privateKey }), /no signing key/);
    await refused(await signed({}, { id: key.id, privateKey }), /not by this key/);
    const owner = await claimedBy(service, 'carl@initech.test', 'initech');
    const agentId = (await owner.post('/agents', { name: 'Orders' })).body.id;
    const secret = (await owner.post(`/agents/${agentId}/keys`, { scope: 'read_write' })).body.secret;
    const otherAgent = (await owner.post('/agents', { name: 'Invoices' })).body.id;
    const initech = { ...acme, handle: 'initech', agentId, api: new Api(service.url, secret) };
    const keys = {
      own: await newSigningKey(service, initech),
      other: await newSigningKey(service, { handle: 'initech', agentId: otherAgent }),
    };
    await refused(await signed({}, keys.other), /another agent/, body, initech);
    await refused(await signed({}, key), /no signing key/, body, initech);
    expect((await initech.api.write('POST', '/messages', body, await signed({}, keys.own))).status).toBe(201);
    await owner.delete(`/agents/${agentId}/signing-keys/${keys.own.id}`);
    await refused(await signed({}, keys.own), /revoked/, body, initech);
    // A person has no signing key.
    const response = await owner.browser.request('POST', '/v1/messages', {
      body,
      headers: { 'content-type': 'application/json', 'waybill-business': 'initech', ...(await signed({}, keys.own)) },
    });
    expectRefusal(response, 'invalid_signature');
  });

  test('if it is of a form, or the body has too much around json', async () => {
    const form = new FormData();
    form.set('to', 'globex');
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${acme.secret}`, ...(await signed()) },
      body: form,
    });
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([400, 'invalid_signature']);
    const long = `{"to":"globex",${' '.repeat(SIGNED_REST_MAX_BYTES)}"json":1}`;
    await refused(await signed({ body: long }), /around json/, long);
  });

  test('whatever its headers are, and never with an internal error', async () => {
    const good = await signed();
    const hostile = [
      '',
      ',',
      '()',
      'a=()',
      'a=(',
      'a=:AAAA:',
      `waybill=${'('.repeat(500)}`,
      'a="b"',
      '\u00ff',
      good['signature-input'].repeat(3),
      'a=("@method");created=1e9',
    ];
    for (const text of hostile) {
      await refused({ ...good, 'signature-input': text }, /./);
      await refused({ ...good, signature: text }, /./);
      await refused({ ...good, 'content-digest': text }, /./);
    }
  });
});
