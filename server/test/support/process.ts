import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from './api.ts';
import type { Measured, MeterQuestion } from './loop-meter.ts';
import { FOLDERS_SETTING, noteFolder } from './run-folders.ts';

export const CHECKOUT = path.resolve(import.meta.dirname, '../../..');
const METER = path.join(import.meta.dirname, 'loop-meter.ts');
export const isRoot = process.getuid?.() === 0;

export type Account = { uid: number; gid: number };
export const nobody = accountNamed('nobody');

function accountNamed(name: string): Account {
  const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

export interface Surroundings {
  /** Settings. Of the environment of the tests, only the variables for finding programs are passed on. */
  env?: Record<string, string>;
  args?: string[];
  checkout?: string;
  /** The program of an installed package that starts the service, or runs a command. */
  installed?: string[];
  account?: Account;
  /** Measures the turns of its event loop (loop-meter.ts). */
  isMetered?: boolean;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ServiceProcess {
  pid: number;
  /** The printed URL, or that of this machine when PORT is set. Empty for a worker without PORT, which prints none. */
  url: string;
  output(): string;
  /** Key: address (`acme/purchasing`). Empty unless this was the first start. */
  keys: Record<string, string>;
  curlLines: string[];
  api(address: string): Api;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  ended: Promise<Ended>;
  /** Only a metered process has this. */
  ask(question: MeterQuestion): Promise<Measured>;
}

const folders = new Set<string>();
const children = new Set<ChildProcess>();

/** A folder that is removed after the test file, together with every process that works in it. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'waybill-fault-')));
  folders.add(folder);
  noteFolder(folder);
  return folder;
}

const dataFolders = new Map<string, string>();

/** The data folder of all services on a database: it has the last checkpoint of the database's log. */
export function dataFolderOf(databaseUrl: string): string {
  const folder = dataFolders.get(databaseUrl) ?? temporaryFolder();
  dataFolders.set(databaseUrl, folder);
  return folder;
}

/** The processes whose working folder is inside the folder. A PostgreSQL works in its cluster. */
export function processesIn(folder: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const inside = [...workingFolders(pids.map(Number))].filter(([, cwd]) => cwd === folder || cwd.startsWith(`${folder}/`));
  return inside.map(([pid]) => pid);
}

/** The working folders of live processes. A container may hide them from root, but not from the processes' own account. */
function workingFolders(pids: number[]): Map<number, string> {
  const found = new Map<number, string>();
  const hidden: string[] = [];
  for (const pid of pids) {
    try {
      found.set(pid, readlinkSync(`/proc/${pid}/cwd`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') hidden.push(`/proc/${pid}/cwd`);
    }
  }
  if (!isRoot || hidden.length === 0) return found;
  const { stdout } = spawnSync('ls', ['-l', ...hidden], { ...nobody, cwd: '/', encoding: 'utf8' });
  for (const [, pid, cwd] of stdout.matchAll(/ \/proc\/(\d+)\/cwd -> (.*)$/gm)) found.set(Number(pid), cwd as string);
  return found;
}

/** The process id of the postmaster of a data folder, which must be running. */
export function postmasterOf(dataFolder: string): number {
  const pid = Number(readFileSync(path.join(dataFolder, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
  if (!processesIn(dataFolder).includes(pid)) throw new Error(`no PostgreSQL runs in ${dataFolder}`);
  return pid;
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** The command line of a process, or its own title. Empty once it has ended. */
export function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

export function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  return workingFolders([pid]).has(pid);
}

export function spawnProgram(program: 'main' | 'cli', surroundings: Surroundings): ChildProcess {
  const { env = {}, args = [], checkout = CHECKOUT, installed, account, isMetered = false } = surroundings;
  const databaseUrl = env['DATABASE_URL'];
  const dataFolder = databaseUrl === undefined || account ? {} : { DATA_DIR: dataFolderOf(databaseUrl) };
  const custody = databaseUrl === undefined ? {} : { LOG_KEY_PLAINTEXT: 'allow' };
  // `npm start` has the same option.
  const options = program === 'main' ? ['--max-semi-space-size=64'] : [];
  if (isMetered) options.push(`--import=${METER}`);
  const [command = '', ...first] = installed ?? ['node_modules/.bin/node', ...options, `server/src/${program}.ts`];
  const child = spawn(command, [...first, ...args], {
    cwd: checkout,
    env: { ...inherited(), HOME: os.tmpdir(), ...dataFolder, ...custody, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(isMetered ? (['ipc'] as const) : [])],
    ...account,
  });
  children.add(child);
  return child;
}

export function collected(child: ChildProcess): { text(): { stdout: string; stderr: string }; ended: Promise<Ended> } {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      children.delete(child);
      resolve({ code, signal, stdout, stderr });
    });
  });
  return { text: () => ({ stdout, stderr }), ended };
}

export function runProgram(program: 'main' | 'cli', surroundings: Surroundings): Promise<Ended> {
  return collected(spawnProgram(program, surroundings)).ended;
}

const LAST_WORDS = /Sign in at the dashboard|head -n 1\).*\n|works in the background/;

function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(['PATH', 'NODE_COMPILE_CACHE', FOLDERS_SETTING].map((name) => [name, process.env[name]]));
}

/** Starts the service on any free port and waits until it has printed everything. */
export async function startProcess({ env = {}, ...rest }: Surroundings): Promise<ServiceProcess> {
  const child = spawnProgram('main', { env: { PORT: '0', ...env }, ...rest });
  const { text, ended } = collected(child);
  let end: Ended | undefined;
  void ended.then((value) => {
    end = value;
  });
  while (!LAST_WORDS.test(text().stdout)) {
    if (end) throw new Error(`the service did not start: ${JSON.stringify(end)}`);
    await sleep(10);
  }
  const { stdout } = text();
  const url = Number(env['PORT']) > 0 ? `http://127.0.0.1:${env['PORT']}` : (/^ {2}API +(\S+)\/v1$/m.exec(stdout)?.[1] ?? '');
  const keys = Object.fromEntries([...stdout.matchAll(/^ {2}(\S+\/\S+) +(wb_\w+)$/gm)].map((match) => [match[1], match[2]]));
  return {
    pid: child.pid as number,
    url,
    output: () => text().stdout + text().stderr,
    keys,
    curlLines: stdout.split('\n').filter((line) => line.startsWith('curl ')),
    api: (address) => new Api(url, keys[address] ?? ''),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
    ended,
    ask: async (question) => {
      child.send(question);
      const [measured] = await once(child, 'message');
      return measured;
    },
  };
}

/** Polls until the condition holds. The time limit of the test ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

function killAll(): void {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) for (const pid of processesIn(folder)) killQuietly(pid);
}

export function killQuietly(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

/** Ends the processes of the test file, and removes its folders. clean-up.ts calls it after each file. */
export async function cleanUp(): Promise<void> {
  if (folders.size === 0 && children.size === 0) return;
  await until(() => {
    killAll();
    return [...folders].every((folder) => processesIn(folder).length === 0);
  });
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  folders.clear();
}

// Runs also when a run is cut short.
process.once('exit', () => {
  killAll();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
