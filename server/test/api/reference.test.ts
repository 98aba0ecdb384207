import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalogue, errorCodes } from '../../src/contract/errors.ts';
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
  const entries = [...text.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.+) \| (.+) \|$/gm)].map(([, code, status, when, next]) => ({
    code,
    status: Number(status),
    when,
    next,
  }));

  test('lists the codes of the catalogue, each once, with its status', () => {
    expect(entries.map(({ code, status }) => [code, status])).toEqual(errorCodes.map((code) => [code, errorCatalogue[code][0]]));
  });

  test('has no other row', () => {
    expect(text.match(/^\|/gm)).toHaveLength(entries.length + 2);
  });
});

describe('/docs/reference', () => {
  test('is a page that names every path, every code, every schema and every parameter', async () => {
    const { status, headers, text } = await get('/docs/reference');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const { method, path: route } of rows)
      expect(text).toContain(`<span class="method">${method}</span><code>${route.replace(/:(\w+)/g, '{$1}')}</code>`);
    for (const code of errorCodes) expect(text).toContain(`<td><code>${code}</code></td><td>${errorCatalogue[code][0]}</td>`);
    const { paths, components } = (await get('/openapi.json')).body;
    for (const name of Object.keys(components.schemas)) expect(text).toContain(`id="schema-${name}"`);
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods as object))) {
      for (const { name } of operation.parameters) expect(text).toContain(`<td><code>${name}</code></td>`);
    }
  });

  test('says of every operation who may ask', async () => {
    const { text } = await get('/docs/reference');
    expect(text.match(/<span class="tag">[^<]+<\/span>/g)).toHaveLength(rows.length);
  });

  test('is a sound page: no tag is left open', async () => {
    const { text } = await get('/docs/reference');
    for (const tag of ['table', 'tr', 'td', 'h2', 'p', 'code', 'a', 'dl', 'main', 'nav']) {
      const [opened, closed] = [new RegExp(`<${tag}[ >]`, 'g'), new RegExp(`</${tag}>`, 'g')].map(
        (pattern) => text.match(pattern)?.length ?? 0,
      );
      expect(opened, tag).toBe(closed);
    }
    expect(text).not.toMatch(/undefined|\[object Object\]/);
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
