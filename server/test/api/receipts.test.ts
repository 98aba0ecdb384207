import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatReceiptToken, newReceiptToken } from '../../src/contract/ids.ts';
import type { ApiResponse } from '../support/api.ts';
import { expectRefusal, withoutTraces } from '../support/refusals.ts';
import { contentHashOf, sha256OfText } from '../support/rfc8785.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const HOSTILE = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>&amp;</h1></dd></main>';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
// biome-ignore lint/suspicious/noExplicitAny: an envelope as it came
let sent: any;
let token: string;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
  const request = { to: 'globex', type: 'order', subject: 'Order 7', note: 'As discussed', json: { price: 'confidential' } };
  sent = (await acme.api.send(request, { 'idempotency-key': 'order-7' })).body;
  token = sent.receipt_url.split('/r/')[1];
});
afterAll(() => service.stop());

describe('GET /receipts/{token}', () => {
  test('needs no key and gives the envelope without json', async () => {
    const { json, ...envelope } = sent;
    expect(json).toEqual({ price: 'confidential' });
    const receipt = await service.anonymous.get(`/receipts/${token}`);
    expect(receipt.status).toBe(200);
    expect(receipt.body).toEqual(envelope);
    expect(receipt.text).not.toContain('confidential');
    expect(receipt.text).not.toContain('download_url');
  });

  test('carries the hashes that both parties see', async () => {
    const { body } = await service.anonymous.get(`/receipts/${token}`);
    for (const { api } of [acme, globex]) {
      const { json_sha256, json_bytes_sha256, content_hash } = (await api.get(`/messages/${sent.id}`)).body;
      expect([body.json_sha256, body.json_bytes_sha256, body.content_hash]).toEqual([json_sha256, json_bytes_sha256, content_hash]);
      expect([json_bytes_sha256, contentHashOf(body)]).toEqual([sha256OfText('{"price":"confidential"}'), content_hash]);
    }
  });

  test('is the same with anybody’s key, or a bad one', async () => {
    const bare = (await service.anonymous.get(`/receipts/${token}`)).text;
    expect((await globex.api.get(`/receipts/${token}`)).text).toBe(bare);
    expect((await service.anonymous.get(`/receipts/${token}`, { authorization: 'Bearer wb_nonsense' })).text).toBe(bare);
  });

  test('exists for every message: without content, for replies and to oneself', async () => {
    const { body: bare } = await acme.api.send({ to: 'acme' });
    const { body: reply } = await globex.api.send({ in_reply_to: sent.id });
    for (const { json: _json, ...envelope } of [bare, reply]) {
      const response = await service.anonymous.get(`/receipts/${envelope.receipt_url.split('/r/')[1]}`);
      expect(response.body).toEqual(envelope);
    }
  });

  test('stays as it was when the agent is renamed', async () => {
    const before = (await service.anonymous.get(`/receipts/${token}`)).text;
    await acme.api.patch(`/agents/${acme.agentId}`, { name: 'Renamed', segment: 'renamed' });
    expect((await service.anonymous.get(`/receipts/${token}`)).text).toBe(before);
  });

  test('refuses query parameters', async () => {
    expectRefusal(await service.anonymous.get(`/receipts/${token}?json=true`), 'validation_error');
  });

  test('responds to every unknown and malformed token alike', async () => {
    const tokens = [
      formatReceiptToken(newReceiptToken(1n)),
      `rcpt_${'0'.repeat(token.length - 5)}`,
      token.slice(5),
      token.toUpperCase(),
      `${token}0`,
      token.slice(0, -1),
      `RCPT_${token.slice(5)}`,
      `rcpt_z${token.slice(6)}`,
      sent.id,
      sent.id.replace('msg_', 'rcpt_'),
      'rcpt_',
      'x',
      '%00',
      '%F0%9F%A7%BE',
      "'%20OR%20true",
    ];
    const responses = await Promise.all(tokens.map((text) => service.anonymous.get(`/receipts/${text}`)));
    for (const response of responses) {
      expectRefusal(response, 'not_found');
      expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as (typeof responses)[number]));
    }
  });
});

describe('a receipt’s token', () => {
  test('has the prefix rcpt_ and at least 128 bits that no other token shares', async () => {
    const responses = await Promise.all(Array.from({ length: 60 }, () => acme.api.send({ to: 'globex' })));
    const tokens = responses.map(({ body }) => body.receipt_url.split('/r/')[1] as string);
    // The last 128 bits are random, so the last 25 characters of base32 are random too. Those before are the time of sending.
    const random = tokens.map((text) => text.slice(-25));
    for (const text of tokens) expect(text).toMatch(/^rcpt_[0-9a-hjkmnp-tv-z]{36}$/);
    expect(new Set(random.map((text) => text.slice(0, 8))).size).toBe(60);
    expect(new Set(random.map((text) => text.slice(-8))).size).toBe(60);
  });

  test('shares nothing random with the ids of its message', () => {
    const random = token.slice(-25);
    for (const id of [sent.id, sent.thread_id] as string[]) {
      const tail = id.slice(-15);
      for (let at = 0; at + 5 <= tail.length; at++) expect(random).not.toContain(tail.slice(at, at + 5));
    }
  });

  test('stands in receipt_url, behind the public address', () => {
    expect(sent.receipt_url).toBe(`${service.url}/r/${token}`);
  });
});

describe('the page /r/{token}', () => {
  const page = (path: string) => service.anonymous.request('GET', `/r/${path}`);

  test('is there for every receipt, and has nothing of it: its script asks for that', async () => {
    const { body: hostile } = await acme.api.send({ to: 'globex', type: HOSTILE.slice(0, 80), subject: HOSTILE, note: HOSTILE });
    const responses = await Promise.all([token, hostile.receipt_url.split('/r/')[1]].map(page));
    for (const { status, headers, text } of responses) {
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      for (const told of ['Order 7', 'As discussed', 'company', 'confidential', 'alert(1)', sent.id, sent.content_hash])
        expect(text).not.toContain(told);
    }
  });

  test('is a page too when the receipt does not exist, the same for every token', async () => {
    const responses = await Promise.all(['rcpt_x', formatReceiptToken(newReceiptToken(1n)), sent.id, '%00', token.toUpperCase()].map(page));
    for (const response of responses) {
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(withoutNonce(response.text)).toBe(withoutNonce((responses[0] as ApiResponse).text));
    }
  });
});

const withoutNonce = (text: string) => text.replace(/nonce="[^"]*"/g, '');
