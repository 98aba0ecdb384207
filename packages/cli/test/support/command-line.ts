import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

const PROGRAM = path.resolve(import.meta.dirname, '../../src/main.ts');

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the real command with only the given environment. */
export class CommandLine {
  readonly home: string;
  readonly #env: Record<string, string>;

  constructor(env: Record<string, string> & { HOME: string }) {
    this.home = env.HOME;
    this.#env = env;
  }

  start(...args: string[]): { child: ChildProcess; output: { stdout: string; stderr: string }; ended: Promise<Ended> } {
    const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], TZ: 'UTC', ...this.#env };
    const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    // A command that does not read its input closes it.
    child.stdin.on('error', () => {});
    const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...output })));
    return { child, output, ended };
  }

  run(args: string[], { stdin = '' } = {}): Promise<Ended> {
    const { child, ended } = this.start(...args);
    child.stdin?.end(stdin);
    return ended;
  }

  async succeed(...args: string[]): Promise<Ended> {
    const ended = await this.run(args);
    if (ended.code !== 0) throw new Error(`waybill ${args.join(' ')}: exit ${ended.code}: ${ended.stderr}${ended.stdout}`);
    return ended;
  }

  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  async json(...args: string[]): Promise<any> {
    return JSON.parse((await this.succeed(...args, '--json')).stdout);
  }
}
