import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../contract/html.ts';
import { encodingFor } from '../../http/compression.ts';
import type { HttpResponse } from '../../http/endpoint.ts';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const EXTENSIONS = { br: '.br', gzip: '.gz' } as const;
const BUILT = ['br', 'gzip'] as const;
/** The placeholder that Vite writes for the nonce of a page. */
const NONCE = /NONCE/g;
/** Pages of the documentation need no nonce. */
const NONCES = /<meta property="csp-nonce"[^>]*>| nonce="NONCE"/g;
const TITLE = '%title%';
const CONTENT = '<!--content-->';

/** The built pages, held in memory: they take a megabyte or two. */
export class Pages {
  readonly #shell: string;
  readonly #pdf: string;
  readonly #document: string;
  readonly #verifier: string;
  readonly #assets = new Map<string, Buffer>();
  readonly #filesAt: string | undefined;

  /** `filesAt` is the origin of files for browsers, unless that is the service itself. */
  constructor(folder: string, filesAt: string | undefined) {
    this.#shell = readFileSync(path.join(folder, 'index.html'), 'utf8');
    this.#pdf = readFileSync(path.join(folder, 'pdf.html'), 'utf8');
    this.#document = readFileSync(path.join(folder, 'docs.html'), 'utf8').replace(NONCES, '');
    this.#verifier = readFileSync(path.join(folder, 'verify.html'), 'utf8');
    for (const name of readdirSync(path.join(folder, 'assets'))) this.#assets.set(name, readFileSync(path.join(folder, 'assets', name)));
    this.#filesAt = filesAt;
  }

  /** All pages share one document, whose script decides what to show. */
  show(status = 200): HttpResponse {
    const nonce = randomBytes(16).toString('base64');
    return {
      status,
      headers: {
        'content-security-policy': this.#policy(nonce),
        'cache-control': 'no-cache',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'same-origin',
      },
      body: this.#shell.replace(NONCE, nonce),
    };
  }

  /** The frame in which PDFs are drawn (web/src/pdf). It has no origin, connects to nothing, and only our own pages may show it. */
  showPdf(): HttpResponse {
    const policy = [
      'sandbox allow-scripts',
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ];
    return {
      headers: { 'content-security-policy': policy.join('; '), 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' },
      body: this.#pdf,
    };
  }

  /** The page that verifies proofs from disk. It is self-contained, and its own policy is also sent as the header. */
  showVerifier(): HttpResponse {
    const [, policy = "default-src 'none'"] = /<meta http-equiv="content-security-policy" content="([^"]+)">/.exec(this.#verifier) ?? [];
    return {
      headers: {
        'content-security-policy': `${policy}; frame-ancestors 'none'`,
        'cache-control': 'no-cache',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      },
      body: this.#verifier,
    };
  }

  /** A documentation page is readable without its script, which adds search, copying and trying. */
  showDocument(title: string, content: Html, status = 200): HttpResponse {
    const policy = [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ];
    return {
      status,
      headers: { 'content-security-policy': policy.join('; '), 'referrer-policy': 'no-referrer' },
      body: this.#document.replace(TITLE, () => html`${title}`.text).replace(CONTENT, () => content.text),
    };
  }

  /** An asset's name changes with its content. */
  asset(name: string, request: FastifyRequest): HttpResponse | undefined {
    const type = TYPES[path.extname(name)];
    if (type === undefined || !this.#assets.has(name)) return undefined;
    const there = BUILT.filter((encoding) => this.#assets.has(name + EXTENSIONS[encoding]));
    const encoding = encodingFor(request.headers['accept-encoding'], there);
    const file = encoding === undefined ? name : name + EXTENSIONS[encoding];
    const headers = {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      etag: `W/"${name}"`,
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    };
    return { headers, body: this.#assets.get(file) };
  }

  #policy(nonce: string): string {
    return [
      "default-src 'none'",
      "script-src 'self'",
      "worker-src 'self'",
      // The editor inserts its own style sheet.
      `style-src 'self' 'nonce-${nonce}'`,
      "font-src 'self'",
      "img-src 'self' data:",
      `connect-src 'self'${this.#filesAt === undefined ? '' : ` ${this.#filesAt}`}`,
      // PDFs are drawn in this frame. No other page of the service can be framed.
      "frame-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join('; ');
  }
}
