import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { curlSample } from '../../../src/modules/documentation/curl-sample.ts';
import type { Example } from '../../../src/modules/documentation/recorded-examples.ts';
import type { Browser } from '../browser.ts';
import type { ExampleClient, Exchanged } from './client.ts';

const TEXT_MAX_CHARS = 1_200;
const TIMEOUT_S = 20;
/** The limit for an event stream, which would last for minutes. */
const STREAM_S = 1;

type Paths = Record<string, Record<string, { operationId: string }>>;

interface Asked {
  path?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The caller: a key, a person with cookies, or nobody. */
export type Asker = { key: string } | { person: Browser; business?: string } | undefined;

/** Makes requests by running the commands of the reference, and records the responses. */
export class ExampleRecorder {
  readonly examples: Record<string, Example> = {};
  readonly #url: string;
  readonly #folder: string;
  readonly #paths: Paths;
  readonly #receiver: string;

  readonly #client: ExampleClient | undefined;

  /** With a client, its samples make the requests that it can make. curl makes the others. */
  constructor(url: string, folder: string, paths: Paths, receiver: string, client: ExampleClient | undefined) {
    this.#url = url;
    this.#folder = folder;
    this.#paths = paths;
    this.#receiver = receiver;
    this.#client = client;
  }

  /** `route` is a row of the table, such as `GET /v1/messages/{id}`. Its path is used unless another is given. Returns the body. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  async record(route: string, asker: Asker, { path: asked, body, headers = {} }: Asked = {}): Promise<any> {
    const [method = '', template = ''] = route.split(' ');
    const operationId = this.#paths[template]?.[method.toLowerCase()]?.operationId;
    if (operationId === undefined) throw new Error(`${route} is not in the table`);
    const request: Example['request'] = {
      method,
      path: asked ?? template,
      by: asker === undefined ? 'nobody' : 'key' in asker ? 'key' : 'person',
      headers: {
        ...(asker && 'person' in asker && asker.business !== undefined && { 'Waybill-Business': asker.business }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    };
    const byClient = await this.#client?.make(template, request, asker && 'key' in asker ? asker.key : undefined);
    const { status, contentType, text } = byClient ?? (await this.#run(request, asker));
    if (status >= 400) throw new Error(`${route}: ${status} ${text}`);
    const shown = this.#shown(contentType, text);
    this.examples[operationId] = {
      request: JSON.parse(this.#scrub(JSON.stringify(request))),
      response: { status, contentType, ...(shown !== undefined && { body: shown }) },
      clients: this.#client && byClient ? [this.#client.language] : [],
    };
    return contentType === 'application/json' ? JSON.parse(text) : text;
  }

  async #run(request: Example['request'], asker: Asker): Promise<Exchanged> {
    if (asker && 'person' in asker) this.#writeJar(asker.person);
    const seconds = request.path.startsWith('/v1/events') ? STREAM_S : TIMEOUT_S;
    const script = `curl() { command curl --max-time ${seconds} -D head -o body "$@"; }\n${curlSample(request)}`;
    const env = { PATH: process.env['PATH'], URL: this.#url, KEY: asker && 'key' in asker ? asker.key : '' };
    await new Promise<void>((resolve) => {
      execFile('bash', ['-c', script], { env, cwd: this.#folder }, () => resolve());
    });
    const head = readFileSync(path.join(this.#folder, 'head'), 'latin1');
    const contentType = /^content-type: ([^;\r\n]+)/im.exec(head)?.[1] ?? null;
    const text = /^content-length: 0\r?$|^HTTP\S+ (204|30\d)/im.test(head) ? '' : readFileSync(path.join(this.#folder, 'body'), 'utf8');
    return { status: Number(/^HTTP\S+ (\d+)/.exec(head)?.[1]), contentType, text };
  }

  #writeJar(person: Browser): void {
    const lines = [...person.cookies()].map(([name, { value }]) => ['127.0.0.1', 'FALSE', '/', 'FALSE', '0', name, value].join('\t'));
    writeFileSync(path.join(this.#folder, 'jar'), `${lines.join('\n')}\n`);
  }

  #shown(contentType: string | null, text: string): unknown {
    if (text === '') return undefined;
    if (/\bjson$/.test(contentType ?? '')) return JSON.parse(this.#scrub(text));
    return /^text\/|ndjson/.test(contentType ?? '') ? this.#scrub(text).slice(0, TEXT_MAX_CHARS) : undefined;
  }

  /** Replaces secrets and addresses of this run. */
  #scrub(text: string): string {
    return text
      .replaceAll(this.#url, '$URL')
      .replaceAll(new URL(this.#url).host, 'waybill.example.com')
      .replaceAll(this.#receiver, 'https://hooks.acme.example/')
      .replace(/\bwb_[0-9A-Za-z]{12,}/g, 'wb_…')
      .replace(/"device_code":"[^"]+"/g, '"device_code":"…"')
      .replace(/\bwhsec_[0-9A-Za-z+/=]+/g, 'whsec_…')
      .replace(/\bsignature=[\w-]+/g, 'signature=…')
      .replaceAll('127.0.0.1', '203.0.113.7');
  }
}
