import { createHash, createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isGenuine } from '../../../examples/verify-webhook/verify.ts';
import { renderMarkdown, withAddress } from '../../src/modules/documentation/markdown.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../../..');
const GUIDE_MAX_LINES = 150;
const files = (folder: string) => readdirSync(path.join(CHECKOUT, folder)).filter((name) => /\.\w+$/.test(name));
const read = (file: string) => readFileSync(path.join(CHECKOUT, file), 'utf8');
const guides = files('docs/guides').map((name) => `docs/guides/${name}`);
const markdownFiles = ['README.md', 'ARCHITECTURE.md', ...files('docs').map((name) => `docs/${name}`), ...guides];

let service: TestService;
let receiver: Receiver;
/** By address. */
const pages = new Map<string, string>();

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  receiver = await startReceiver();
  const index = (await service.anonymous.request('GET', '/docs')).text;
  const addresses = new Set(['/docs', ...[...index.matchAll(/href="(\/docs\/[^"#]+)"/g)].map((match) => match[1] as string)]);
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

describe('/docs', () => {
  test('leads to every guide, every other document and the reference', () => {
    const names = [...files('docs/guides'), ...files('docs')]
      .filter((name) => name !== 'README.md')
      .map((name) => path.basename(name, '.md'));
    expect([...pages.keys()].sort()).toEqual(['/docs', ...names.map((name) => `/docs/${name}`)].sort());
  });

  test('is a chain of pages, from the first to the reference', () => {
    const seen: string[] = [];
    for (let at: string | undefined = '/docs'; at !== undefined; ) {
      const text: string = pages.get(at) ?? '';
      expect(/rel="prev" href="([^"]+)"/.exec(text)?.[1]).toBe(seen.at(-1));
      seen.push(at);
      at = /rel="next" class="next" href="([^"]+)"/.exec(text)?.[1];
    }
    expect(seen).toEqual([...pages.keys()]);
    expect(seen.at(-1)).toBe('/docs/reference');
  });

  test('has on every page its title, one heading of the first level, a way past the list of pages, and the page marked in it', () => {
    const titles = [...pages].map(([address, text]) => {
      expect(text.match(/<h1>/g), address).toHaveLength(1);
      expect(text.match(/<main id="content"/g), address).toHaveLength(1);
      expect(text.indexOf('<a class="skip" href="#content">')).toBeLessThan(text.indexOf('<nav'));
      expect([...text.matchAll(/href="([^"]+)" aria-current="page"/g)].map((match) => match[1])).toEqual([address, address]);
      expect(new Set(anchorsOf(text)).size, address).toBe(anchorsOf(text).length);
      return /<title>(.+) · Waybill<\/title>/.exec(text)?.[1];
    });
    expect(new Set(titles).size).toBe(pages.size);
    expect(titles).not.toContain(undefined);
  });

  test('links only to what is there, down to the section', () => {
    for (const [address, text] of pages) {
      for (const [, target = ''] of text.matchAll(/href="([^"]*)"/g)) {
        if (target === '/' || target === '/openapi.json' || /^https:\/\//.test(target)) continue;
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
    expect(pages.get('/docs/first-message')).toContain(`<pre><code>curl -s ${service.url}/v1/me -H &quot;Authorization`);
    expect(pages.get('/docs/people')).toContain(`<code>${service.url}/dev/mail</code>`);
  });

  test('runs no script and loads nothing, on any page', async () => {
    for (const address of [...pages.keys(), '/docs/nothing']) {
      const { headers, text } = await service.anonymous.request('GET', address);
      const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      expect(headers.get('content-security-policy')).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      expect(text).not.toMatch(/<(script|link|img|iframe|object|embed)\b|\s(style|on\w+)=|@import|url\(/i);
    }
  });

  test('says in a page that there is no such page, with all others beside it', async () => {
    for (const name of ['nothing', 'README', '..%2f..%2fpackage', '%3Cscript%3E', '__proto__', 'constructor']) {
      const { status, headers, text } = await service.anonymous.request('GET', `/docs/${name}`);
      expect([name, status, headers.get('content-type')]).toEqual([name, 404, 'text/html; charset=utf-8']);
      expect(text).toContain('<h1>Page not found</h1>');
      expect(text).toContain('href="/docs/first-message"');
    }
  });
});

describe('the Markdown files', () => {
  test('link only to files that are there, and to sections of them', () => {
    for (const file of markdownFiles) {
      for (const [, target = ''] of read(file).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https:\/\//.test(target)) continue;
        const [to = '', anchor] = target.split('#');
        const linked = path.join(path.dirname(file), to);
        expect(existsSync(path.join(CHECKOUT, linked)), `${file} → ${target}`).toBe(true);
        if (anchor !== undefined)
          expect(anchorsOf(renderMarkdown(read(linked), () => undefined).text), `${file} → ${target}`).toContain(anchor);
      }
    }
  });

  test('that are guides are short', () => {
    for (const file of guides) expect(read(file).split('\n').length - 1, file).toBeLessThanOrEqual(GUIDE_MAX_LINES);
  });
});

describe('Markdown', () => {
  const render = (markdown: string) =>
    withAddress(
      renderMarkdown(markdown, (link) => (link === 'a.md' ? '/docs/a' : undefined)),
      'http://x',
    );

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

  test('puts the address into code, but leaves the word alone where it is spoken of', () => {
    const { text } = render('`$URL` and `$URL/docs`\n\n```sh\ncurl $URL\n```\n\n\0');
    expect(text).toBe('<p><code>$URL</code> and <code>http://x/docs</code></p>\n<pre><code>curl http://x</code></pre>\n');
  });
});

describe.each([
  ['examples/verify-webhook', 'docs/guides/receive-webhooks.md'],
  ['examples/verify-ed25519', 'docs/guides/verify-ed25519.md'],
])('%s', (folder, guide) => {
  test.each(files(folder))('%s stands in the guide, letter for letter', (file) => {
    expect(read(guide)).toContain(`(../../${folder}/${file})\n\n\`\`\`${languageOf(file)}\n${read(`${folder}/${file}`)}\`\`\``);
  });

  test('has four languages', () => {
    expect(files(folder).map(languageOf).sort()).toEqual(['go', 'java', 'python', 'ts']);
  });
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

function languageOf(file: string): string {
  const ending = path.extname(file).slice(1);
  return ending === 'py' ? 'python' : ending;
}
