import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let receiptUrl: string;
beforeAll(async () => {
  service = await startTestService({ SECURITY_CONTACT: 'mailto:security@waybill.example, https://waybill.example/security' });
  const acme = await service.business('acme');
  await service.business('globex');
  receiptUrl = (await acme.api.send({ to: 'globex', subject: 'Between us' })).body.receipt_url;
});
afterAll(() => service.stop());

const get = (path: string) => fetch(new URL(path, service.url), { headers: { accept: 'text/html' } });

test('receipts and drop pages are not for search engines', async () => {
  const token = receiptUrl.split('/').at(-1);
  for (const path of [`/r/${token}`, `/v1/receipts/${token}`, '/@globex', '/@nobody-here', `/r/rcpt_${'x'.repeat(22)}`]) {
    const { headers } = await get(path);
    expect([path, headers.get('x-robots-tag')]).toEqual([path, 'noindex']);
  }
  expect((await get('/docs')).headers.get('x-robots-tag')).toBeNull();
});

test('robots.txt keeps them out of the API, and lets them see what is not to be listed', async () => {
  const response = await get('/robots.txt');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const lines = (await response.text()).split('\n');
  expect(lines[0]).toBe('User-agent: *');
  expect(lines).toContain('Disallow: /v1/');
  expect(lines.filter((line) => /^Disallow: (\/|\/r\/?|\/@)$/.test(line))).toEqual([]);
});

test('security.txt names whom to tell, for the time to come', async () => {
  const response = await get('/.well-known/security.txt');
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toContain('Contact: mailto:security@waybill.example\nContact: https://waybill.example/security\n');
  expect(text).toContain(`Canonical: ${service.url}/.well-known/security.txt\n`);
  expect(Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '')).toBeGreaterThan(Date.now());
});

test('without a contact there is no security.txt', async () => {
  const other = await service.sibling({ SECURITY_CONTACT: '' });
  expect((await fetch(`${other.url}/.well-known/security.txt`)).status).toBe(404);
  await other.stop();
});
