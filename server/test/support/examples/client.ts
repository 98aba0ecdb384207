import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { CLIENT_SAMPLES } from '../../../src/modules/documentation/client-samples.ts';
import type { ClientLanguage, Example } from '../../../src/modules/documentation/recorded-examples.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../../../..');
const TIMEOUT_MS = 60_000;
/** Routes for which clients have their own methods, with other requests or none. */
const NOT_SAMPLED = /^\/v1\/(events|export)|\/(logo|document\.\w+)$|^\/objects\//;

/** The folder of each client, and how its samples are run. */
const CLIENTS: Record<ClientLanguage, { source: string; command: string; args: string[]; env: Record<string, string> }> = {
  typescript: {
    source: 'packages/client/src/client.ts',
    command: process.execPath,
    args: ['--input-type=module-typescript', '-e'],
    env: {},
  },
  python: {
    source: 'clients/python/src/waybill/client.py',
    command: process.env['PYTHON'] ?? 'python3',
    args: ['-Bc'],
    env: { PYTHONPATH: path.join(CHECKOUT, 'clients/python/src') },
  },
  // The command is logged in.
  cli: {
    source: 'packages/cli/src/main.ts',
    command: 'bash',
    args: ['-c'],
    env: { NODE: process.execPath, PROGRAM: path.join(CHECKOUT, 'packages/cli/src/main.ts') },
  },
};

/** The clients of this checkout that can be run here. The one for Python needs httpx. */
export const clientsHere = (Object.keys(CLIENTS) as ClientLanguage[]).filter((name) => {
  const { source, command } = CLIENTS[name];
  return existsSync(path.join(CHECKOUT, source)) && (name !== 'python' || spawnSync(command, ['-c', 'import httpx']).status === 0);
});

export interface Exchanged {
  status: number;
  contentType: string | null;
  text: string;
}

/** Makes requests by running the samples of a client, and observes them on the wire. */
export interface ExampleClient {
  language: ClientLanguage;
  /** Returns undefined if the client has no sample. */
  make(template: string, request: Example['request'], key: string | undefined): Promise<Exchanged | undefined>;
  stop(): Promise<void>;
}

interface Seen extends Exchanged {
  method: string;
  path: string;
  body: string;
}

export async function openExampleClient(language: ClientLanguage, serviceUrl: string): Promise<ExampleClient> {
  const seen: Seen[] = [];
  const wire = http.createServer((request, response) => void passOn(request, response, serviceUrl, seen));
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
  const { command, args, env } = CLIENTS[language];
  const { log } = (await (await fetch(`${serviceUrl}/.well-known/waybill.json`)).json()) as { log: { vkey: string } };
  return {
    language,
    make: async (template, request, key) => {
      if (request.by === 'person' || NOT_SAMPLED.test(template) || 'Accept' in request.headers) return undefined;
      seen.length = 0;
      const sample = CLIENT_SAMPLES[language].write(template, request);
      if (sample === undefined) return undefined;
      const shown = sample.replaceAll('$URL', url).replaceAll('wb_…', key ?? '');
      const code = language === 'cli' ? `waybill() { "$NODE" "$PROGRAM" "$@"; }\n${shown}` : shown;
      const all = { PATH: process.env['PATH'] ?? '', ...env, WAYBILL_URL: url, WAYBILL_KEY: key ?? '', VKEY: log.vkey };
      await new Promise<void>((resolve, reject) => {
        execFile(command, [...args, code], { cwd: CHECKOUT, env: all, timeout: TIMEOUT_MS }, (error, _stdout, stderr) => {
          if (error) reject(new Error(`${code}\n${stderr}`));
          else resolve();
        });
      });
      // The command may make other requests around it.
      const made =
        language === 'cli'
          ? seen.find(({ method, path }) => method === request.method && pathOf(path) === pathOf(request.path))
          : seen.at(-1);
      if (!made || (language !== 'cli' && seen.length !== 1)) throw new Error(`${code}\nmade ${seen.length} requests`);
      expectSame(request, made, code, language === 'cli');
      return made;
    },
    stop: () => new Promise((resolve) => wire.close(() => resolve())),
  };
}

async function passOn(request: http.IncomingMessage, response: http.ServerResponse, serviceUrl: string, seen: Seen[]): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = '', url = '', headers } = request;
  const body = Buffer.concat(chunks);
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    /^(host|connection|content-length|transfer-encoding|accept-encoding)$/.test(name) || value === undefined ? [] : [[name, String(value)]],
  );
  const received = await fetch(`${serviceUrl}${url}`, { method, headers: passed, redirect: 'manual', ...(body.length > 0 && { body }) });
  const text = await received.text();
  const type = received.headers.get('content-type');
  seen.push({ method, path: url, body: body.toString(), status: received.status, contentType: type?.split(';')[0] ?? null, text });
  response.writeHead(received.status, { ...(type !== null && { 'content-type': type }), connection: 'close' }).end(text);
}

const pathOf = (address: string) => new URL(address, 'http://x').pathname;

/** A command requests pages of its own size, so only the common part of the query is compared. */
function expectSame(wanted: Example['request'], { method, path: made, body }: Seen, code: string, isCommand: boolean): void {
  const [here, there] = [new URL(wanted.path, 'http://x'), new URL(made, 'http://x')];
  const counts = ([name]: [string, string]) => !isCommand || (here.searchParams.has(name) && there.searchParams.has(name));
  const queries = [here, there].map(({ searchParams }) => JSON.stringify([...searchParams].filter(counts).toSorted()));
  const bodies = [JSON.stringify(wanted.body), body === '' ? undefined : JSON.stringify(JSON.parse(body))];
  const isSame = method === wanted.method && here.pathname === there.pathname && queries[0] === queries[1];
  if (!isSame || sorted(bodies[0]) !== sorted(bodies[1])) throw new Error(`${code}\nmade ${method} ${made} ${body}`);
}

function sorted(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return JSON.stringify(Object.entries(JSON.parse(text)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
