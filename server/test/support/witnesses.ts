import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHECKOUT } from './process.ts';

export interface WitnessProcess {
  url: string;
  vkey: string;
  port: number;
  pid: number;
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface WitnessArguments {
  folder: string;
  name?: string;
  logs: string[];
  port?: number;
  more?: string[];
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs `waybill witness` until it ends or prints that it listens. */
export async function startWitness({ folder, name, logs, port = 0, more = [] }: WitnessArguments): Promise<WitnessProcess> {
  const args = ['witness', '--data-dir', folder, '--listen', `127.0.0.1:${port}`, ...(name === undefined ? [] : ['--name', name])];
  const program = path.join(CHECKOUT, 'packages/cli/src/main.ts');
  const child = spawn('node_modules/.bin/node', [program, ...args, ...logs.flatMap((vkey) => ['--log', vkey]), ...more], {
    cwd: CHECKOUT,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  let code: number | null | undefined;
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (exit) => {
      code = exit;
      resolve(exit);
    }),
  );
  running.add(child);
  child.once('close', () => running.delete(child));
  while (!text.includes('Its key: ')) {
    if (code !== undefined) throw new Error(`exit ${code}: ${text}`);
    await sleep(10);
  }
  const url = /http:\/\/\S+:\d+/.exec(text)?.[0] ?? '';
  return {
    url,
    vkey: /Its key: (\S+)/.exec(text)?.[1] ?? '',
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    output: () => text,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

export async function addCheckpoint(
  url: string,
  body: string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string | null; text: string }> {
  const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body, headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}
