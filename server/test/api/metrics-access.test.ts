import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

const TOKEN = 'a-token-for-prometheus';
let plain: TestService;
let withToken: TestService;

beforeAll(async () => {
  [plain, withToken] = await Promise.all([startTestService(), startTestService({ METRICS_TOKEN: TOKEN })]);
});
afterAll(() => Promise.all([plain.stop(), withToken.stop()]));

/** Uses node:http, because fetch forbids some of these headers. */
function ask({ url }: TestService, headers: Record<string, string>): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    http
      .get(`${url}/metrics`, { headers }, async (response) =>
        resolve({ status: response.statusCode, text: (await response.toArray()).join('') }),
      )
      .on('error', reject);
  });
}

/** The headers of requests that a proxy on this machine passes on, and of a page that uses DNS rebinding. */
const FROM_ELSEWHERE: Record<string, string>[] = [
  { 'x-forwarded-for': '203.0.113.9' },
  { 'x-forwarded-for': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1' },
  { via: '1.1 proxy' },
  { 'x-real-ip': '127.0.0.1' },
  { host: 'waybill.example' },
  { host: '127.0.0.1.evil.example' },
];

test('metrics are for the machine itself', async () => {
  for (const service of [plain, withToken]) {
    const { status, text } = await ask(service, {});
    expect([status, text]).toEqual([200, expect.stringContaining('waybill_http_responses_total')]);
  }
});

test('without METRICS_TOKEN, other machines get 404', async () => {
  for (const headers of FROM_ELSEWHERE)
    expect(
      (await ask(plain, { ...headers, authorization: 'Bearer undefined' } as Record<string, string>)).status,
      JSON.stringify(headers),
    ).toBe(404);
});

test('with METRICS_TOKEN, everybody who has the token can read them from anywhere', async () => {
  for (const headers of FROM_ELSEWHERE) {
    expect((await ask(withToken, headers)).status, JSON.stringify(headers)).toBe(401);
    for (const authorization of ['Bearer wrong', `Bearer ${TOKEN}x`, TOKEN, `Basic ${TOKEN}`])
      expect((await ask(withToken, { ...headers, authorization })).status, authorization).toBe(401);
    expect((await ask(withToken, { ...headers, authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  }
});
