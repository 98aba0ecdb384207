import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPayload, isWhole } from '../../../examples/verify-receipt/verify.ts';
import { isGenuine } from '../../../examples/verify-webhook/verify.ts';
import { renderMarkdown, withAddress } from '../../src/modules/documentation/markdown.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { rows } from '../support/table.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../../..');
const GUIDE_MAX_LINES = 150;
const files = (folder: string) => readdirSync(path.join(CHECKOUT, folder)).filter((name) => /\.\w+$/.test(name));
const read = (file: string) => readFileSync(path.join(CHECKOUT, file), 'utf8');
const guides = files('docs/guides').map((name) => `docs/guides/${name}`);
/** Documents beside the code, which explain its steps. */
const besideCode = globSync(
  ['server/{src,test}/**/README.md', 'docs/adr/*.md', 'web/README.md', 'packages/README.md', 'distribution/README.md'],
  {
    cwd: CHECKOUT,
  },
);
const markdownFiles = ['README.md', 'ARCHITECTURE.md', ...files('docs').map((name) => `docs/${name}`), ...guides, ...besideCode];

/** The names of languages in guides. */
const LABELS: Record<string, [language: string, label: string]> = {
  '.ts': ['ts', 'Node'],
  '.py': ['python', 'Python'],
  '.go': ['go', 'Go'],
  '.java': ['java', 'Java'],
};

/** The text of a page without tags. */
function textOf(page = ''): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'", '&#39;': "'", '&amp;': '&' };
  return page.replace(/<[^>]*>/g, '').replace(/&[#\w]+;/g, (entity) => entities[entity] ?? entity);
}

let service: TestService;
let receiver: Receiver;
const pages = new Map<string, string>();

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  receiver = await startReceiver();
  const index = (await service.anonymous.request('GET', '/docs')).text;
  const addresses = new Set([
    '/docs',
    '/docs/reference/objects',
    ...[...index.matchAll(/href="(\/docs\/[^"#]+)"/g)].map((match) => match[1] as string),
  ]);
  for (const address of addresses) {
    const { status, text } = await service.anonymous.request('GET', address);
    expect([address, status]).toEqual([address, 200]);
    pages.set(address, text);
  }
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

const anchorsOf = (text: string) => [...text.matchAll(/\bid="([^"]+)"/g)].map((match) => match[1] as string);
const isEndpoint = (address: string) => address.startsWith('/docs/reference/');

/** The pages that follow from this one by "Next". */
function chainFrom(first: string): string[] {
  const seen: string[] = [];
  for (let at: string | undefined = first; at !== undefined; ) {
    const text: string = pages.get(at) ?? '';
    expect(/rel="prev" href="([^"]+)"/.exec(text)?.[1]).toBe(seen.at(-1));
    seen.push(at);
    at = /rel="next" class="next" href="([^"]+)"/.exec(text)?.[1];
  }
  return seen;
}

describe('/docs', () => {
  test('leads to every guide, every other document, the changelog, and every endpoint', () => {
    const names = [...files('docs/guides'), ...files('docs'), 'changelog.md']
      .filter((name) => name !== 'README.md')
      .map((name) => path.basename(name, '.md'));
    const documents = [...pages.keys()].filter((address) => !isEndpoint(address));
    expect(documents.sort()).toEqual(['/docs', ...names.map((name) => `/docs/${name}`)].sort());
    const endpoints = [...pages.keys()].filter((address) => isEndpoint(address) && address !== '/docs/reference/objects');
    expect(endpoints).toHaveLength(rows.length);
  });

  test('is a chain of documents, and one of endpoints', () => {
    const documents = chainFrom('/docs');
    expect(documents.toSorted()).toEqual([...pages.keys()].filter((address) => !isEndpoint(address)).sort());
    expect(documents.at(-1)).toBe('/docs/changelog');
    const first = [...pages].find(([address, text]) => isEndpoint(address) && /rel="next"/.test(text) && !/rel="prev"/.test(text));
    expect(chainFrom(first?.[0] ?? '')).toHaveLength(rows.length);
  });

  test('has on every page its title, one heading of the first level, a way past the list of pages, and the page marked in it', () => {
    const titles = [...pages].map(([address, text]) => {
      expect(text.match(/<h1>/g), address).toHaveLength(1);
      expect(text.match(/<main id="content"/g), address).toHaveLength(1);
      expect(text.indexOf('<a class="skip" href="#content">')).toBeLessThan(text.indexOf('<nav'));
      const marked = [...text.matchAll(/href="([^"]+)" aria-current="page"/g)].map((match) => match[1]);
      expect(marked).toEqual(address === '/docs/reference/objects' ? [] : [address]);
      expect(new Set(anchorsOf(text)).size, address).toBe(anchorsOf(text).length);
      return /<title>(.+) · Waybill<\/title>/.exec(text)?.[1];
    });
    expect(new Set(titles).size).toBe(pages.size);
    expect(titles).not.toContain(undefined);
  });

  test('links only to what is there, down to the section', () => {
    for (const [address, text] of pages) {
      for (const [, target = ''] of text.matchAll(/href="([^"]*)"/g)) {
        if (['/', '/openapi.json', '/inbox'].includes(target) || /^https:\/\/|^\/assets\//.test(target)) continue;
        const [page = '', anchor] = target.split('#');
        const linked = pages.get(page === '' ? address : page) ?? '';
        expect(linked, `${address} → ${target}`).not.toBe('');
        if (anchor !== undefined) expect(anchorsOf(linked), `${address} → ${target}`).toContain(anchor);
      }
    }
  });

  test('shows the service’s own address in examples', () => {
    for (const [address, text] of pages) {
      expect(text, address).not.toContain('\0');
      for (const [block] of text.matchAll(/<pre>[\s\S]*?<\/pre>/g)) expect(block, address).not.toMatch(/\$URL\b/);
    }
    expect(textOf(pages.get('/docs/first-message'))).toContain(`curl -s ${service.url}/v1/me -H "Authorization`);
    expect(pages.get('/docs/people')).toContain(`<code>${service.url}/dev/mail</code>`);
  });

  test('runs only the script of the site and loads only its style, on any page', async () => {
    for (const address of ['/docs', '/docs/first-message', '/docs/reference/postMessages', '/docs/nothing']) {
      const { headers, text } = await service.anonymous.request('GET', address);
      expect(headers.get('content-security-policy')).toBe(
        [
          ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'", "img-src 'self'", "connect-src 'self'"],
          ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"],
        ].join('; '),
      );
      expect(text.match(/<script\b/g)).toHaveLength(1);
      expect(text).toMatch(/<script type="module"[^>]* src="\/assets\/[\w.-]+\.js"[^>]*><\/script>/);
      expect(text).not.toMatch(/<(img|iframe|object|embed|style)\b|\s(style|on\w+)=|@import|url\(/i);
    }
  });

  test('colours code, and escapes what is in it', () => {
    const page = pages.get('/docs/first-message') ?? '';
    expect(page).toContain('<span class="hljs-string">');
    expect(textOf(page)).toContain('"json":{"items":[{"quantity":3,"sku":"A-1"}]}');
  });

  test('says in a page that there is no such page, with all others beside it', async () => {
    const names = ['nothing', 'README', '..%2f..%2fpackage', '%3Cscript%3E', '__proto__', 'constructor'];
    const deeper = ['guides/first-message', 'reference/a/b', 'nothing/'];
    for (const name of [...names, ...names.map((one) => `reference/${one}`), ...deeper]) {
      const { status, headers, text } = await service.anonymous.request('GET', `/docs/${name}`, { headers: { accept: 'text/html' } });
      expect([name, status, headers.get('content-type')]).toEqual([name, 404, 'text/html; charset=utf-8']);
      expect(text).toContain('<h1>Page not found</h1>');
      expect(text).toContain('href="/docs/first-message"');
      expect(text).toContain('href="/docs/reference">API reference</a></li>');
    }
  });

  test.each([
    ['pull-messages', 'receive-behind-a-firewall'],
    ['receive-webhooks', 'receive-orders-by-webhook'],
    ['running-it', 'run-it-for-real'],
  ])('leads from the former address /docs/%s to /docs/%s', async (former, present) => {
    const { status, headers } = await service.anonymous.request('GET', `/docs/${former}`);
    expect([status, headers.get('location')]).toEqual([301, `/docs/${present}`]);
    expect(pages.has(`/docs/${present}`)).toBe(true);
  });

  test('gives the search every section of every page, with its address', async () => {
    const sections: { address: string; page: string; heading: string; text: string }[] = (
      await service.anonymous.request('GET', '/docs/search.json')
    ).body;
    expect(new Set(sections.map(({ address }) => address)).size).toBe(sections.length);
    for (const { address } of sections) {
      const [page = '', anchor] = address.split('#');
      expect(pages.has(page), address).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(pages.get(page) ?? ''), address).toContain(anchor);
    }
    const found = new Set(sections.map(({ address }) => address.split('#')[0]));
    expect([...pages.keys()].filter((address) => !found.has(address))).toEqual([]);
    expect(sections.find(({ address }) => address === '/docs/errors#rate_limited')?.text).toContain('Retry-After');
    expect(JSON.stringify(sections)).not.toMatch(/\\u0000|<\/|&amp;|&#x?\d|hljs/);
  });
});

describe('the Markdown files', () => {
  test('link only to files that are there, and to sections of them', () => {
    for (const file of markdownFiles) {
      // Code may look like a link.
      for (const [, target = ''] of read(file)
        .replaceAll(/`[^`\n]*`/g, '')
        .matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https:\/\//.test(target)) continue;
        const [to = '', anchor] = target.split('#');
        const linked = to === '' ? file : path.join(path.dirname(file), to);
        expect(existsSync(path.join(CHECKOUT, linked)), `${file} → ${target}`).toBe(true);
        if (anchor !== undefined)
          expect(anchorsOf(renderMarkdown(read(linked), () => undefined).body.text), `${file} → ${target}`).toContain(anchor);
      }
    }
  });

  test('that are guides are short', () => {
    // A reader sees only one of several tabs.
    const seen = (text: string) => text.replaceAll(/(?<=^```\n\n)```\w+ tab=[\s\S]*?^```\n\n?/gm, '');
    for (const file of guides) expect(seen(read(file)).split('\n').length - 1, file).toBeLessThanOrEqual(GUIDE_MAX_LINES);
  });
});

describe('Markdown', () => {
  const render = (markdown: string) =>
    withAddress(renderMarkdown(markdown, (link) => (link === 'a.md' ? '/docs/a' : undefined)).body, 'http://x');

  test.each([
    '<script>alert(1)</script>',
    'text <img src=x onerror=alert(1)> text',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '[x](JAVASCRIPT:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '<javascript:alert(1)>',
    '![<img src=x onerror=alert(1)>](https://evil.example/x.png)',
    '[x]: javascript:alert(1)\n\n[x]',
    '[x](//evil.example/)',
    '```"><script>alert(1)</script>\n<script>alert(1)</script>\n```',
    '# <script>alert(1)</script>',
    '## "><script>alert(1)</script>',
    '| <b onclick=alert(1)>x</b> |\n|---|\n| <script>alert(1)</script> |',
    '<!-- --><svg onload=alert(1)>',
  ])('%j obeys no tag and leads nowhere', (markdown) => {
    const { text } = render(markdown);
    expect(text).not.toMatch(/<(script|img|svg|b)\b/i);
    for (const [, href = ''] of text.matchAll(/<a[^>]* href="([^"]*)"/g)) expect(href).toMatch(/^#/);
    expect(text.replaceAll(/"[^"]*"/g, '')).not.toMatch(/<[^>]*\bon\w+=/i);
  });

  test('leads to pages by the names of their files, with the section, and to the web', () => {
    const { text } = render('[a](a.md#b) [c](../c.ts) [d](https://d.example/?a=1&b=2) [e](#e)');
    expect(text).toBe('<p><a href="/docs/a#b">a</a> c <a href="https://d.example/?a=1&amp;b=2">d</a> <a href="#e">e</a></p>\n');
  });

  test('gives sections the anchors that GitHub gives them, each once', () => {
    const { text } = render('## 1. Get a `key`\n\n## Ä, b & c_d\n\n## Same\n\n## Same\n\n## Content');
    expect(anchorsOf(text)).toEqual(['1-get-a-key', 'ä-b--c_d', 'same', 'same-1', 'content-1']);
  });

  test('makes tabs of blocks that say so, and only of those', () => {
    const { text } = render('```sh tab=curl\na\n```\n\n```ts tab=TypeScript\nb\n```\n\n```json\n1\n```');
    const [, tabs = '', rest = ''] = /^<div class="tabs">([\s\S]*)<\/div>\n([\s\S]*)$/.exec(text) ?? [];
    expect([...tabs.matchAll(/data-label="(\w+)"/g)].map((match) => match[1])).toEqual(['curl', 'TypeScript']);
    expect(rest).toContain('data-label="JSON"');
  });

  test('puts the address into code, but leaves the word alone where it is spoken of', () => {
    const { text } = render('`$URL` and `$URL/docs`\n\n```sh\ncurl $URL\n```\n\n\0');
    expect(text).toContain('<p><code>$URL</code> and <code>http://x/docs</code></p>\n');
    expect(text).toContain('<pre><code>curl http://x</code></pre>');
  });
});

describe.each([
  ['examples/verify-webhook', 'docs/guides/receive-orders-by-webhook.md'],
  ['examples/verify-ed25519', 'docs/guides/verify-ed25519.md'],
  ['examples/verify-receipt', 'docs/guides/verify-a-receipt.md'],
])('%s', (folder, guide) => {
  test.each(files(folder))('%s stands in the guide, letter for letter', (file) => {
    expect(read(guide)).toContain(`](../../${folder})`);
    const [language, label] = LABELS[path.extname(file)] ?? [];
    expect(read(guide)).toContain(`\`\`\`${language} tab=${label}\n${read(`${folder}/${file}`)}\`\`\``);
  });
});

test.each(['examples/verify-webhook', 'examples/verify-ed25519'])('%s has four languages', (folder) => {
  expect(
    files(folder)
      .map((file) => path.extname(file))
      .sort(),
  ).toEqual(Object.keys(LABELS).sort());
});

describe('examples/verify-webhook', () => {
  test('verify.ts takes what Waybill delivers, and nothing else', async () => {
    const [acme, globex] = [await service.business('acme'), await service.business('globex')];
    const { secret } = (await globex.api.write('POST', '/webhooks', { url: receiver.url() })).body;
    await acme.api.send({ to: 'globex', json: { name: 'Ä\u2028', big: 1 } });
    const [delivery] = await receiver.received(1);
    if (!delivery) throw new Error('nothing was delivered');
    const { body } = delivery;
    const signature = String(delivery.headers['waybill-signature']);
    expect(isGenuine(secret, signature, body)).toBe(true);

    const signed = (time: number) => `t=${time},v1=${createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')}`;
    const now = Math.floor(Date.now() / 1000);
    expect(isGenuine(secret, signed(now - 200), body)).toBe(true);
    const refused: [signature: string | undefined, body: Buffer, secret: string][] = [
      [signature, Buffer.concat([body, Buffer.from(' ')]), secret],
      [signature, body, secret.slice('whsec_'.length)],
      [signed(now - 400), body, secret],
      [signed(now + 400), body, secret],
      [signature.replace(/\d+/, String(now + 1)), body, secret],
      [`${signature}\n`, body, secret],
      [signature.slice(0, -2), body, secret],
      ['', body, secret],
      [undefined, body, secret],
    ];
    for (const [i, [header, bytes, key]] of refused.entries()) expect(isGenuine(key, header, bytes), String(i)).toBe(false);
  });
});

describe('examples/verify-receipt', () => {
  test.each(['verify.ts', 'verify.py'])('%s takes a receipt as it is, and no other', async (file) => {
    const [sender] = [await service.business(`sender-${file.slice(-2)}`)];
    const form = new FormData();
    form.set('to', 'demo');
    form.set('subject', 'Order – 4711 “ä”');
    form.set('json', '{"items":[{"sku":"A-1","quantity":3}]}');
    form.set('file', new File(['hello'], 'a.txt'));
    const authorization = `Bearer ${sender.secret}`;
    const response = await fetch(`${service.url}/v1/messages`, { method: 'POST', headers: { authorization }, body: form });
    const { receipt_url } = (await response.json()) as { receipt_url: string };
    const receipt = (await service.anonymous.get(`/receipts/${receipt_url.split('/r/')[1]}`)).body;
    const [whole, payload] = file.endsWith('.ts') ? [isWhole, isPayload] : [inPython('is_whole'), inPython('is_payload')];
    expect(whole(receipt, '')).toBe(true);
    expect(payload(receipt, '{ "items": [{ "quantity": 3, "sku": "A-1" }] }')).toBe(true);
    expect(payload(receipt, '{"items":[{"sku":"A-1","quantity":4}]}')).toBe(false);
    for (const change of [{ subject: 'Order 4712' }, { received_at: '2026-01-01T00:00:00.000Z' }, { files: [] }, { note: '' }])
      expect(whole({ ...receipt, ...change }, ''), JSON.stringify(change)).toBe(false);
  });
});

function inPython(name: string): (receipt: object, text: string) => boolean {
  const code = `import json, sys; from verify import ${name} as f; a = json.load(sys.stdin); print(json.dumps(f(*a[:f.__code__.co_argcount])))`;
  const cwd = path.join(CHECKOUT, 'examples/verify-receipt');
  return (receipt, text) =>
    JSON.parse(execFileSync('python3', ['-Bc', code], { cwd, input: JSON.stringify([receipt, text]), encoding: 'utf8' }));
}
