import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatReceiptToken, newReceiptToken } from '../../src/contract/ids.ts';
import { expectRefusal, withoutTraces } from '../support/refusals.ts';
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
  const draft = { to: 'globex', type: 'order', subject: 'Order 7', note: 'As discussed', json: { price: 'confidential' } };
  sent = (await acme.api.send(draft, { 'idempotency-key': 'order-7' })).body;
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
      const { json_sha256, content_hash } = (await api.get(`/messages/${sent.id}`)).body;
      expect([body.json_sha256, body.content_hash]).toEqual([json_sha256, content_hash]);
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
      const answer = await service.anonymous.get(`/receipts/${envelope.receipt_url.split('/r/')[1]}`);
      expect(answer.body).toEqual(envelope);
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

  test('answers every unknown and malformed token alike', async () => {
    const tokens = [
      formatReceiptToken(newReceiptToken()),
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
    const answers = await Promise.all(tokens.map((text) => service.anonymous.get(`/receipts/${text}`)));
    for (const answer of answers) {
      expectRefusal(answer, 'not_found');
      expect(withoutTraces(answer)).toEqual(withoutTraces(answers[0] as (typeof answers)[number]));
    }
  });
});

describe('a receipt’s token', () => {
  test('has the prefix rcpt_ and at least 128 bits that no other token shares', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => acme.api.send({ to: 'globex' })));
    const tokens = answers.map(({ body }) => body.receipt_url.split('/r/')[1] as string);
    // The last 128 bits are random, so the last 25 characters of base32 are; what stands before them is the time of sending.
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

  test('shows people what the receipt says, and none of the json', async () => {
    const { status, headers, text } = await page(token);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const shown of [
      'Order 7',
      'As discussed',
      'The acme company',
      'The globex company',
      sent.id,
      sent.thread_id,
      sent.content_hash,
      sent.json_sha256,
      sent.received_at,
    ]) {
      expect(text).toContain(shown);
    }
    expect(text).not.toContain('confidential');
  });

  test('is a whole page without a reference to anywhere else', async () => {
    const { text } = await page(token);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toMatch(/<title>[^<]+<\/title>/);
    expect(text).not.toMatch(/<(script|link|img|iframe|object|embed|form|base)\b/i);
    expect(text).not.toMatch(/\b(src|href)="?(https?:)?\/\//i);
  });

  test('writes hostile text as text', async () => {
    const { body } = await acme.api.send({ to: 'globex', type: HOSTILE.slice(0, 80), subject: HOSTILE, note: `${HOSTILE}\n${HOSTILE}` });
    const { status, text } = await page(body.receipt_url.split('/r/')[1]);
    expect(status).toBe(200);
    expect(text).not.toMatch(/<script|<img|onerror=alert\(1\)>/i);
    expect(text.split('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;')).toHaveLength(5);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text.match(/<\/main>/g)).toHaveLength(1);
  });

  test('writes a hostile name of an agent as text', async () => {
    const evil = await service.business('evil');
    await evil.api.patch(`/agents/${evil.agentId}`, { name: HOSTILE });
    const { body } = await evil.api.send({ to: 'globex' });
    const { text } = await page(body.receipt_url.split('/r/')[1]);
    expect(text).not.toMatch(/<script|<img/i);
    expect(text).toContain('&lt;script&gt;');
  });

  test.each([200, 404])('forbids every script, frame and guess of type, with status %i', async (status) => {
    const answer = await page(status === 200 ? token : 'rcpt_x');
    expect(answer.status).toBe(status);
    const policy = new Map(
      (answer.headers.get('content-security-policy') ?? '')
        .split(';')
        .map((part) => [part.trim().split(' ')[0], part.trim().split(' ').slice(1).join(' ')]),
    );
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('frame-ancestors')).toBe("'none'");
    expect(policy.get('base-uri')).toBe("'none'");
    expect(policy.get('form-action')).toBe("'none'");
    expect(policy.has('script-src')).toBe(false);
    expect([...policy.values()].join(' ')).not.toMatch(/unsafe|\*|https?:/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const style = /<style>([\s\S]*?)<\/style>/.exec(answer.text)?.[1] ?? '';
    expect(policy.get('style-src')).toBe(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(answer.text).not.toMatch(/\sstyle=/);
  });

  test('is a page too when there is no such receipt, the same for every token', async () => {
    const answers = await Promise.all(['rcpt_x', formatReceiptToken(newReceiptToken()), sent.id, '%00', token.toUpperCase()].map(page));
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.text).toContain('No such receipt');
      expect(withoutTraces(answer)).toEqual(withoutTraces(answers[0] as (typeof answers)[number]));
    }
  });
});
