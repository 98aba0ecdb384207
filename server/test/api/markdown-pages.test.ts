import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api } from '../../src/app.ts';
import { errorCodes } from '../../src/contract/errors.ts';
import { library, REFERENCE } from '../../src/modules/documentation/library.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const get = (path: string) => service.anonymous.request('GET', path);
const linksIn = (text: string) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string);

describe('/llms.txt', () => {
  test('has a title, a summary, and every document once, as Markdown, with what it is about', async () => {
    const { status, headers, text } = await get('/llms.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^# Waybill\n\n> Waybill carries structured messages[^\n]+\n\n/);
    const listed = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map((match) => match[1]);
    const documents = [...library().keys()].slice(1).map((address) => `${service.url}${address}.md`);
    expect(listed).toEqual([...documents, `${service.url}/openapi.json`, `${service.url}/mcp`]);
    expect(text).not.toContain('$URL');
  });
});

describe('a page as Markdown', () => {
  test('is at the address of each page, which names it', async () => {
    for (const { address, markdown } of library().values()) {
      const page = await get(address);
      expect(page.headers.get('link'), address).toBe(`<${address}.md>; rel="alternate"; type="text/markdown"`);
      const { status, headers, text } = await get(`${address}.md`);
      expect([address, status, headers.get('content-type')]).toEqual([address, 200, 'text/markdown; charset=utf-8']);
      if (address !== REFERENCE) expect(text.split('\n')[0]).toBe(markdown.split('\n')[0]);
    }
  });

  test('has the address of the service in examples, and links that lead somewhere', async () => {
    const targets = new Set<string>();
    for (const address of library().keys()) {
      const { text } = await get(`${address}.md`);
      for (const [block] of text.matchAll(/^ *```[\s\S]*?^ *```$/gm)) expect(block, address).not.toContain('$URL');
      for (const link of linksIn(text.replaceAll(/`[^`]*`/g, ''))) if (!link.startsWith('#')) targets.add(link.split('#')[0] as string);
    }
    const own = [...targets].filter((target) => target.startsWith(service.url));
    expect([...targets].filter((target) => !/^https?:\/\//.test(target))).toEqual([]);
    expect(own.length).toBeGreaterThan(10);
    for (const target of own) expect([target, (await get(target.slice(service.url.length))).status]).toEqual([target, 200]);
    expect((await get('/docs/first-message.md')).text).toContain(`curl -s ${service.url}/v1/me`);
  });

  test('of the reference has every endpoint and every error', async () => {
    const { text } = await get('/docs/reference.md');
    for (const [method, path] of api) expect(text).toContain(`### ${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\n`);
    for (const code of errorCodes) expect(text).toContain(`- \`${code}\` (`);
    expect(text).not.toMatch(/undefined|\[object/);
  });

  test('is there for each endpoint, and its page names it', async () => {
    const index = (await get('/docs')).text;
    const addresses = [...new Set([...index.matchAll(/href="(\/docs\/reference\/\w+)"/g)].map((match) => match[1] as string))];
    expect(addresses.length).toBeGreaterThan(100);
    for (const address of [...addresses, '/docs/reference/objects']) {
      expect((await get(address)).headers.get('link'), address).toBe(`<${address}.md>; rel="alternate"; type="text/markdown"`);
      const { status, text } = await get(`${address}.md`);
      expect([address, status, /^# \S/.test(text)]).toEqual([address, 200, true]);
    }
  });

  test('that does not exist is said in Markdown', async () => {
    for (const name of ['nothing', '..%2f..%2fpackage', '__proto__', 'constructor', '%00', '']) {
      const { status, headers, text } = await get(`/docs/${name}.md`);
      expect([name, status, headers.get('content-type')]).toEqual([name, 404, 'text/markdown; charset=utf-8']);
      expect(text).toContain(`${service.url}/llms.txt`);
    }
  });
});

test('the page of limits has the values of this service, for people and programs', async () => {
  const other = await startTestService({ MONTHLY_MESSAGE_LIMIT: '777', DAILY_UPLOAD_LIMIT_BYTES: String(3 * 2 ** 30) });
  try {
    const page = (await other.anonymous.request('GET', '/docs/limits')).text;
    expect(page).toContain('<strong>777</strong> (default: 100,000)');
    expect(page).toContain('the value is that of this service');
    const text = (await other.anonymous.request('GET', '/docs/limits.md')).text;
    expect(text).toContain('| **777** (default: 100,000) | `MONTHLY_MESSAGE_LIMIT` |');
    expect(text).toContain('| **3 GB** (default: 50 GB) | `DAILY_UPLOAD_LIMIT_BYTES` |');
    expect((await other.anonymous.request('GET', '/docs/search.json')).text).toContain('777 (default: 100,000)');
  } finally {
    await other.stop();
  }
});
