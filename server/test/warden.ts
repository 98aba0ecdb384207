import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { killQuietly, processesIn } from './support/process.ts';
import { FOLDERS_SETTING } from './support/run-folders.ts';

/**
 * Watches a run. The end of its input says that the run is over, however it ended, even by SIGKILL. Then it ends the remaining processes
 * and removes their folders.
 */
const [file = ''] = process.argv.slice(2);
await text(process.stdin);
const folders = readFileSync(file, 'utf8').split('\n').filter(existsSync);
for (;;) {
  const left = new Set([...ofThisRun(), ...folders.flatMap(processesIn)]);
  if (left.size === 0) break;
  for (const pid of left) killQuietly(pid);
  await sleep(100);
}
for (const left of [...folders, path.dirname(file)]) rmSync(left, { recursive: true, force: true, maxRetries: 5 });

/** All processes of the run inherit the variable, except PostgreSQL, which works in one of the folders. */
function ofThisRun(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => environmentOf(pid).includes(`${FOLDERS_SETTING}=${file}`)).map(Number);
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
