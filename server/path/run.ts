import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { COMMITS } from '../src/followers.ts';
import { SCHEMA_FOLDERS } from '../src/platform/migrations/migrate.ts';
import { functionsIn } from '../src/platform/migrations/sql-functions.ts';

/**
 * `npm run path`: the files of the project that a send runs through up to its 201, by V8's coverage, and the SQL functions that its commit
 * calls. Background work runs at any time, so a file counts only if every one of many sends has run it. `npm run path -- ../older` counts the
 * files of another checkout.
 */
const SENDS = 40;
/** The first sends fill caches. */
const FIRST_SENDS = 6;
const ROOT = path.resolve(import.meta.dirname, '../..');

/** The route table, http/ and modules/: what docs/follow-a-message.md leads through. Of contract and platform, it names what matters. */
export const IS_LED_THROUGH = /^server\/src\/(app\.ts|http\/|modules\/)/;

export interface SendPath {
  files: { file: string; lines: number }[];
  sqlFunctions: string[];
}

export async function pathOfSend(): Promise<SendPath> {
  return { files: await filesOfSend(ROOT), sqlFunctions: calledBy(COMMITS.made[0]?.commit.text ?? '') };
}

async function filesOfSend(checkout: string): Promise<SendPath['files']> {
  const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'waybill-path-'));
  const child = spawn(process.execPath, [`--import=${path.join(import.meta.dirname, 'coverage.ts')}`, 'server/src/main.ts'], {
    cwd: checkout,
    env: { ...process.env, DATA_DIR: dataFolder, PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    const { url, key } = await started(child.stdout as NodeJS.ReadableStream);
    const filesRun = async (): Promise<string[]> => {
      child.send('files');
      return (await once(child, 'message'))[0];
    };
    const counts = new Map<string, number>();
    for (let i = -FIRST_SENDS; i < SENDS; i++) {
      await filesRun();
      await send(url, key);
      for (const file of await filesRun()) if (i >= 0) counts.set(file, (counts.get(file) ?? 0) + 1);
    }
    const files = [...counts].filter(([, count]) => count === SENDS).map(([file]) => file);
    return files.toSorted().map((file) => ({ file, lines: linesOf(path.join(checkout, file)) }));
  } finally {
    child.kill();
    await once(child, 'exit');
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

function started(stdout: NodeJS.ReadableStream): Promise<{ url: string; key: string }> {
  let said = '';
  return new Promise((resolve, reject) => {
    stdout.on('data', (text) => {
      said += text;
      const url = /^ {2}API +(\S+)\/v1$/m.exec(said)?.[1];
      const key = /^ {2}acme\/\S+ +(wb_\w+)$/m.exec(said)?.[1];
      if (url && key && /^curl .*in_reply_to/m.test(said)) resolve({ url, key });
    });
    stdout.once('end', () => reject(new Error(`The service did not start: ${said}`)));
  });
}

/** Sends a usual message. */
async function send(url: string, key: string): Promise<void> {
  const body = JSON.stringify({
    to: 'globex/orders',
    type: 'order',
    subject: 'Order 4711',
    note: 'Please confirm.',
    json: { items: [{ sku: 'A-1' }] },
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
  const { status } = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
  if (status !== 201) throw new Error(`a send was refused with the status ${status}`);
}

function linesOf(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length;
}

/** Returns the functions that a statement names, and those that they name. */
function calledBy(statement: string): string[] {
  const functions = functionsIn(SCHEMA_FOLDERS.functions);
  const found = new Set<string>();
  const look = (sql: string) => {
    for (const { name, sql: body } of functions)
      if (!found.has(name) && new RegExp(`\\b${name}\\(`).test(sql)) {
        found.add(name);
        look(body.replace(/^\s*--.*$/gm, '').replace(/FUNCTION \w+\(/, ''));
      }
  };
  look(statement);
  return [...found];
}

if (import.meta.main) {
  const [older] = process.argv.slice(2);
  const { files, sqlFunctions } =
    older === undefined ? await pathOfSend() : { files: await filesOfSend(path.resolve(older)), sqlFunctions: [] };
  for (const { file, lines } of files) console.log(`${String(lines).padStart(5)}  ${file}`);
  const ledThrough = files.filter(({ file }) => IS_LED_THROUGH.test(file));
  const linesIn = (some: SendPath['files']) => some.reduce((sum, { lines }) => sum + lines, 0);
  console.log(
    `${files.length} files with ${linesIn(files)} lines to the 201, ${ledThrough.length} with ${linesIn(ledThrough)} of them in http/ and modules/`,
  );
  if (older === undefined) console.log(`${sqlFunctions.length} SQL functions: ${sqlFunctions.join(', ')}`);
}
