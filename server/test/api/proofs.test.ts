import { createHash } from 'node:crypto';
import { formatBundle, LEAF, leafOf, policyOf, verifyBundle, verifyProof } from '@waybill/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatReceiptToken, newReceiptToken } from '../../src/contract/ids.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { MemberApi } from '../support/member.ts';
import { signInWithCode } from '../support/people.ts';
import { untilLogged } from '../support/proofs.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { contentHashOf } from '../support/rfc8785.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const JSON_TEXT = '{"b": 1.0, "big": 12345678901234567890, "a": "é\\u0000"}';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let initech: TestBusiness;
// biome-ignore lint/suspicious/noExplicitAny: an envelope as it came
let sent: any;
let vkey: string;

beforeAll(async () => {
  service = await startTestService();
  [acme, globex, initech] = [await service.business('acme'), await service.business('globex'), await service.business('initech')];
  const body = `{"to":"globex","type":"order","subject":"Order 7 “€”","note":"As\\ndiscussed","json":${JSON_TEXT}}`;
  sent = (await acme.api.send(body)).body;
  vkey = (await service.anonymous.request('GET', '/.well-known/waybill.json')).body.log.vkey;
});
afterAll(() => service.stop());

const tokenOf = ({ receipt_url }: { receipt_url: string }): string => receipt_url.split('/').at(-1) ?? '';
const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const leafOfMessage = ({ content_hash }: { content_hash: string }) => leafOf(LEAF.message, content_hash);

const proofBy = (api: Pick<Api, 'get'>, { id }: { id: string }, query = '') => untilLogged(() => api.get(`/messages/${id}/proof${query}`));
const receiptProof = (of: { receipt_url: string }, query = '') =>
  untilLogged(() => service.anonymous.get(`/receipts/${tokenOf(of)}/proof${query}`));

describe('GET /messages/{id}/proof', () => {
  test('gives both parties a file that verifies without the service', async () => {
    for (const { api } of [acme, globex]) {
      const response = await proofBy(api, sent);
      expect(response.status, response.text).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/vnd.waybill.proof+json; charset=utf-8');
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${sent.id}.waybill-proof"`);
      const { envelope, json, format, log } = response.body;
      expect([format, log.vkey]).toEqual(['waybill-proof/1', vkey]);
      expect([json, hashOf(json)]).toEqual([JSON_TEXT, sent.json_bytes_sha256]);
      expect(hashOf(envelope)).toBe(sent.content_hash);
      expect(JSON.parse(envelope)).toMatchObject({ id: sent.id, subject: sent.subject, note: sent.note, received_at: sent.received_at });
      const report = await verifyBundle(response.text, { vkeys: [vkey] });
      expect(report.verdict, JSON.stringify(report)).toBe('verified');
    }
  });

  test('leaves the JSON out if asked to, which can be given beside it', async () => {
    const response = await proofBy(globex.api, sent, '?contents=false');
    expect(response.text).not.toContain('12345678901234567890');
    expect((await verifyBundle(response.text, { vkeys: [vkey] })).verdict).toBe('verified');
    expect((await verifyBundle(response.text, { vkeys: [vkey], json: JSON_TEXT })).verdict).toBe('verified');
    expect((await verifyBundle(response.text, { vkeys: [vkey], json: '{"b":2}' })).verdict).toBe('failed');
    expectInvalid(await acme.api.get(`/messages/${sent.id}/proof?contents=maybe`), 'contents');
    expectInvalid(await acme.api.get(`/messages/${sent.id}/proof?files=true`), 'files');
  });

  test('is not there for others, as if the message did not exist', async () => {
    const unknown = await initech.api.get('/messages/msg_00000000000000000000000000/proof');
    expectRefusal(unknown, 'not_found');
    const others = await initech.api.get(`/messages/${sent.id}/proof`);
    expect(withoutTraces(others).text).toBe(withoutTraces(unknown).text);
    expectRefusal(await service.anonymous.get(`/messages/${sent.id}/proof`), 'unauthorized');
    expect((await proofBy(await globex.withKey('read'), sent)).status).toBe(200);
  });

  test('is there for messages of every kind: bare, to oneself, replies, with files', async () => {
    const { body: bare } = await acme.api.send({ to: 'acme' });
    const { body: reply } = await globex.api.send({ in_reply_to: sent.id, json: null });
    const form = new FormData();
    form.set('to', 'globex');
    for (const name of ['plan.pdf', '  "ümläut"\u202e.txt']) form.append('file', new Blob([name]), name);
    const init = { method: 'POST', headers: { authorization: `Bearer ${acme.secret}` }, body: form };
    const withFiles = (await (await fetch(`${service.url}/v1/messages`, init)).json()) as typeof sent;
    for (const [message, { api }] of [
      [bare, acme],
      [reply, acme],
      [withFiles, globex],
    ] as const) {
      // prettier-ignore
      const { text, body, status } = await proofBy(api, message);
      expect(status, text).toBe(200);
      expect(hashOf(body.envelope)).toBe(message.content_hash);
      expect((await verifyBundle(text, { vkeys: [vkey] })).verdict).toBe('verified');
    }
  });

  test.each([
    ['repeated keys', '{"a":1,"a":2}', '{"a":2}'],
    ['digits beyond a double', '10000000000000001', '10000000000000000'],
  ])('binds the JSON as it was sent: %s', async (_, written, read) => {
    const { body: exact } = await acme.api.send(`{"to":"globex","json":${written}}`);
    const { text, body } = await proofBy(globex.api, exact);
    expect(body.json).toBe(written);
    expect(JSON.parse(body.envelope)).toMatchObject({ json_bytes_sha256: hashOf(written), json_sha256: hashOf(read) });
    expect((await verifyBundle(text, { vkeys: [vkey] })).verdict).toBe('verified');
    const other = formatBundle({ ...body, json: read });
    expect((await verifyBundle(other, { vkeys: [vkey] })).checks).toContainEqual(
      expect.objectContaining({ part: 'json', state: 'failed' }),
    );
  });

  test('has a large JSON as it was sent', async () => {
    // Far below the size limit, but slow to sort.
    const keys = Array.from({ length: 60_000 }, (_, at) => `"k${(at * 7919) % 60_000}":1e20`);
    const { body: large } = await acme.api.send(`{"to":"globex","json":{${keys.join()}}}`);
    const { text, body, status } = await proofBy(globex.api, large);
    expect(status, text.slice(0, 200)).toBe(200);
    expect(hashOf(body.json)).toBe(large.json_bytes_sha256);
    expect((await verifyBundle(text, { vkeys: [vkey] })).verdict).toBe('verified');
  });

  test('stays with a message whose sender has become part of a business', async () => {
    const ann = await signInWithCode(service, 'ann@tailor-works.test');
    const { body: dropped } = await ann.post('/v1/drops', { to: 'globex', note: 'An order' });
    expect((await ann.post('/v1/businesses', { handle: 'tailor', display_name: 'Tailor' })).status).toBe(201);
    const tailor = new MemberApi(ann, 'tailor');
    await expect.poll(async () => (await tailor.get('/outbox')).body.data.length).toBe(1);
    for (const api of [tailor, globex.api]) {
      const { text, status } = await proofBy(api, dropped);
      expect(status, text).toBe(200);
      expect((await verifyBundle(text, { vkeys: [vkey] })).verdict).toBe('verified');
    }
  });
});

describe('GET /receipts/{token}/proof', () => {
  test('gives anybody the proof that the hash of the receipt is in the log', async () => {
    const response = await receiptProof(sent);
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${sent.id}.tlog-proof"`);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const verified = await verifyProof(response.text, leafOfMessage(sent), policyOf(vkey));
    expect(verified.checkpoint.size).toBeGreaterThan(verified.index);
    const other = (await acme.api.send({ to: 'globex' })).body;
    await expect(verifyProof(response.text, leafOfMessage(other), policyOf(vkey))).rejects.toThrow();
  });

  test('gives the bundle if asked to, without what only the parties see', async () => {
    const { text, body, headers } = await receiptProof(sent, '?format=bundle');
    expect(headers.get('content-type')).toBe('application/vnd.waybill.proof+json; charset=utf-8');
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['json']));
    for (const secret of ['12345678901234567890', 'signature"', 'acknowledgements']) expect(text).not.toContain(secret);
    expect((await verifyBundle(text, { vkeys: [vkey] })).verdict).toBe('verified');
    expectInvalid(await service.anonymous.get(`/receipts/${tokenOf(sent)}/proof?format=zip`), 'format');
  });

  test('of a minimal receipt, proves the hash and shows nothing else', async () => {
    await service.sql("UPDATE parties SET minimal_receipts = true WHERE handle = 'acme'");
    const { text, status } = await receiptProof(sent);
    expect(status).toBe(200);
    expect(text).not.toContain('Order 7');
    await verifyProof(text, leafOfMessage(sent), policyOf(vkey));
    expectRefusal(await receiptProof(sent, '?format=bundle'), 'forbidden');
    expect((await proofBy(globex.api, sent)).status).toBe(200);
    await service.sql("UPDATE parties SET minimal_receipts = false WHERE handle = 'acme'");
  });

  test('responds to every unknown and malformed token alike', async () => {
    const tokens = [formatReceiptToken(newReceiptToken(1n)), 'rcpt_', 'x', '%00', sent.id, tokenOf(sent).toUpperCase()];
    const responses = await Promise.all(tokens.map((text) => service.anonymous.get(`/receipts/${text}/proof`)));
    for (const response of responses) {
      expectRefusal(response, 'not_found');
      expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as ApiResponse));
    }
  });
});

test('a message from before json_bytes_sha256 was recorded keeps its hash, its receipt and its proof', async () => {
  const alone = await startTestService({}, 'api');
  try {
    const shop = await alone.business('shop');
    const { body: now } = await shop.api.send(`{"to":"shop","json":${JSON_TEXT}}`);
    // The message as an older release has stored and logged it.
    const older = { ...now, json_bytes_sha256: null };
    older.content_hash = contentHashOf(older);
    const [was, is] = [now, older].map(({ content_hash }) => `'\\x${content_hash.slice(7)}'::bytea`);
    await alone.sql(`UPDATE messages SET json_bytes_sha256 = NULL, content_hash = ${is} WHERE content_hash = ${was}`);
    await alone.sql(`UPDATE log_batches SET leaves = '\\x01'::bytea || ${is} WHERE leaves = '\\x01'::bytea || ${was}`);
    const worker = await startTestService({ DATABASE_URL: alone.databaseUrl }, 'worker');
    try {
      const { json: _, ...receipt } = older;
      expect((await shop.api.get(`/messages/${now.id}`)).body).toEqual(older);
      expect((await alone.anonymous.get(`/receipts/${tokenOf(now)}`)).body).toEqual(receipt);
      const { text, body } = await proofBy(shop.api, now);
      expect([hashOf(body.envelope), hashOf(body.json)]).toEqual([older.content_hash, now.json_sha256]);
      const { log } = (await alone.anonymous.request('GET', '/.well-known/waybill.json')).body;
      const report = await verifyBundle(text, { vkeys: [log.vkey], json: JSON_TEXT });
      expect(report.verdict, JSON.stringify(report)).toBe('verified');
    } finally {
      await worker.stop();
    }
  } finally {
    await alone.stop();
  }
});

describe('what can’t be proven', () => {
  test('a message that is older than the log is refused with a code of its own', async () => {
    const { body: older } = await acme.api.send({ to: 'globex' });
    await service.sql(`UPDATE messages SET log_batch = NULL, log_slot = NULL WHERE content_hash = '\\x${older.content_hash.slice(7)}'`);
    expectRefusal(await proofBy(globex.api, older), 'not_logged');
    for (const query of ['', '?format=bundle']) expectRefusal(await receiptProof(older, query), 'not_logged');
  });

  test('a message that was changed in the database is never served as proven', async () => {
    const { body: changed } = await acme.api.send({ to: 'globex', note: 'Ten' });
    expect((await proofBy(globex.api, changed)).status).toBe(200);
    await service.sql(`UPDATE messages SET note = 'Eleven' WHERE content_hash = '\\x${changed.content_hash.slice(7)}'`);
    for (const response of [await proofBy(globex.api, changed), await receiptProof(changed, '?format=bundle')]) {
      expectRefusal(response, 'internal_error');
      expect(response.text).not.toContain('Eleven');
    }
  });

  test('without a worker, the proof is pending; with one, it is there', async () => {
    const alone = await startTestService({}, 'api');
    try {
      const [shop] = [await alone.business('shop')];
      const { body } = await shop.api.send({ to: 'shop' });
      for (const ask of [() => shop.api.get(`/messages/${body.id}/proof`), () => alone.anonymous.get(`/receipts/${tokenOf(body)}/proof`)]) {
        const response = await ask();
        expect([response.status, response.headers.get('retry-after'), response.body.status]).toEqual([202, '1', 'pending']);
      }
      const worker = await startTestService({ DATABASE_URL: alone.databaseUrl }, 'worker');
      try {
        expect((await proofBy(shop.api, body)).status).toBe(200);
      } finally {
        await worker.stop();
      }
    } finally {
      await alone.stop();
    }
  });
});
