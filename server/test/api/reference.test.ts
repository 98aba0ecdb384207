import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalogue, errorCodes } from '../../src/contract/errors.ts';
import { resolved } from '../support/openapi.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { rows } from '../support/table.ts';

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
});
afterAll(() => service.stop());

const get = (url: string) => service.anonymous.request('GET', url);

describe('docs/errors.md', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../docs/errors.md'), 'utf8');
  const sections = text.split(/^## /m).slice(1);
  const codes = sections.map((section) => /^(\w+)\n\n\*\*Status (\d{3})\.\*\*/.exec(section) ?? []);

  test('has a section for each code of the catalogue, with its status', () => {
    expect(codes.map(([, code, status]) => [code, Number(status)])).toEqual(errorCodes.map((code) => [code, errorCatalogue[code][0]]));
  });

  test('says of each code what causes it, and how to fix it', () => {
    for (const section of sections) expect(section).toMatch(/\*\*To fix it:\*\* \S|\| Cause \| Fix \|\n\|---\|---\|\n(\| .+ \| .+ \|\n)+/);
  });
});

describe('/docs/reference', () => {
  let operations: { method: string; path: string; operationId: string; parameters: { name: string }[]; responses: object }[];
  beforeAll(async () => {
    const { paths } = resolved((await get('/openapi.json')).body);
    operations = Object.entries(paths as Record<string, Record<string, never>>).flatMap(([at, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...(operation as object), method: method.toUpperCase(), path: at })),
    ) as typeof operations;
  });

  test('lists every endpoint, at the anchors of the former single page, too', async () => {
    const { status, headers, text } = await get('/docs/reference');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(operations).toHaveLength(rows.length);
    for (const { operationId, path: at } of operations) {
      expect(text).toContain(`<li id="${operationId}">`);
      expect(text).toContain(`href="/docs/reference/${operationId}"`);
      expect(text).toContain(`<code>${at}</code>`);
    }
  });

  test('has a page for every endpoint: who may call it, parameters, examples, errors', async () => {
    for (const { method, path: at, operationId, parameters, responses } of operations) {
      const { status, text } = await get(`/docs/reference/${operationId}`);
      expect([operationId, status]).toEqual([operationId, 200]);
      expect(text).toContain(`<span class="method ${method.toLowerCase()}">${method}</span> <code>${at}</code></p>`);
      expect(text.match(/<p class="who">/g), operationId).toHaveLength(1);
      for (const { name } of parameters) expect(text, operationId).toContain(`<p class="field"><code>${name}</code>`);
      for (const code of Object.values(responses).flatMap((response) => response['x-error-codes'] ?? []))
        expect(text, operationId).toContain(`href="/docs/errors#${code}"`);
      expect(text, operationId).toContain('<figcaption>curl</figcaption>');
      expect(text).not.toMatch(/undefined|\[object Object\]/);
    }
  });

  test('offers to try what a key or nobody needs more than a key for', async () => {
    const triable = async (name: string) => (await get(`/docs/reference/${name}`)).text.includes('<form class="try"');
    expect(await triable('postMessages')).toBe(true);
    expect(await triable('getReceiptsToken')).toBe(true);
    expect(await triable('getEvents')).toBe(false);
    expect(await triable('deleteAccountSessions')).toBe(false);
    expect(await triable('putObjectsId')).toBe(false);
  });

  test('has every schema and every field on the page of objects', async () => {
    const { text } = await get('/docs/reference/objects');
    const { components } = (await get('/openapi.json')).body;
    for (const name of Object.keys(components.schemas)) expect(text).toContain(`<h2 id="${name}">`);
  });

  test.each(['reference', 'reference/objects', 'reference/postMessages'])('is a sound page at %s: no tag is left open', async (name) => {
    const { text } = await get(`/docs/${name}`);
    for (const tag of [
      'table',
      'tr',
      'td',
      'h2',
      'p',
      'code',
      'a',
      'ul',
      'li',
      'details',
      'main',
      'nav',
      'div',
      'form',
      'figure',
      'span',
    ]) {
      const [opened, closed] = [new RegExp(`<${tag}[ >]`, 'g'), new RegExp(`</${tag}>`, 'g')].map(
        (pattern) => text.match(pattern)?.length ?? 0,
      );
      expect(opened, tag).toBe(closed);
    }
  });
});

describe('the operator’s probes', () => {
  test('/healthz tells that the process lives', async () => {
    const { status, body } = await get('/healthz');
    expect([status, body]).toEqual([200, { status: 'ok' }]);
  });

  test('/readyz tells that requests can be served, and not while a migration is missing', async () => {
    expect((await get('/readyz')).body).toEqual({ status: 'ok' });
    const [newest] = await service.sql<{ name: string; checksum: string }>(
      'DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations) RETURNING name, checksum',
    );
    const behind = await get('/readyz');
    const alive = await get('/healthz');
    await service.sql('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [newest?.name, newest?.checksum]);
    expectRefusal(behind, 'unavailable');
    expect(Number(behind.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(alive.status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
  });

  test('need no key and mind no key', async () => {
    for (const url of ['/healthz', '/readyz', '/metrics']) {
      expect((await service.anonymous.request('GET', url, { headers: { authorization: 'Bearer nonsense' } })).status).toBe(200);
    }
  });

  test('/metrics speaks Prometheus’ text format', async () => {
    const { status, headers, text } = await get('/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const sample = /^[a-zA-Z_:][\w:]*(\{([a-zA-Z_]\w*="[^"\\\n]*",?)*\})? (-?[\d.]+(e[+-]?\d+)?|[+-]Inf|NaN)$/i;
    for (const line of text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))) expect(line).toMatch(sample);
    expect(text.endsWith('\n')).toBe(true);
  });

  test('/metrics counts requests by route, with how long they took', async () => {
    await acme.api.get('/me');
    await acme.api.get('/messages/x');
    const { text } = await get('/metrics');
    expect(text).toContain('# TYPE waybill_http_request_duration_seconds histogram');
    expect(text).toMatch(/^waybill_http_request_duration_seconds_count\{method="GET",route="\/v1\/me"\} 1$/m);
    expect(text).toMatch(/^waybill_http_responses_total\{method="GET",route="\/v1\/messages\/:id",status="404"\} 1$/m);
  });

  test('/metrics makes no series of what strangers write', async () => {
    await Promise.all(
      ['/made-up-1', '/v1/made-up-2', '/v1/messages/made-up-3', '/v1/inbox?type=made-up-4', '/%zz-made-up-5'].map((url) =>
        acme.api.request('GET', url),
      ),
    );
    expect((await get('/metrics')).text).not.toContain('made-up');
  });
});
