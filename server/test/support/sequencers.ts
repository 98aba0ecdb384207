import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Checkpoint, consistencyProof, parseCheckpoint, verifyConsistency } from '@waybill/proof';
import { LogReader } from './log.ts';
import { dataFolderOf } from './process.ts';
import type { TestService } from './service.ts';

const PROGRAM = path.join(import.meta.dirname, 'sequencer-program.ts');

export interface SequencerOptions {
  killAt?: number;
  hasNoLock?: boolean;
  clockMs?: number;
  rounds?: number;
}

/** Runs a sequencer in a separate process until nothing is waiting. Returns its number of steps, or undefined if it was killed. */
export async function runSequencer(service: TestService, options: SequencerOptions = {}): Promise<number | undefined> {
  const { killAt = 0, hasNoLock = false, clockMs = 0, rounds = 1 } = options;
  const args = ['--database', service.databaseUrl, '--folder', dataFolderOf(service.databaseUrl)];
  args.push('--kill-at', String(killAt), `--clock-ms=${clockMs}`, '--rounds', String(rounds), ...(hasNoLock ? ['--no-lock'] : []));
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('close', (...end) => resolve(end)),
  );
  if (signal === 'SIGKILL') return undefined;
  if (code !== 0 || stderr.includes('"level":50')) throw new Error(`the sequencer failed: ${code} ${stderr}`);
  return Number(stdout);
}

/** The checkpoint in the object store, as a witness would see it. */
export function publishedNote(service: TestService, log = 1): string | undefined {
  const folder = path.join(dataFolderOf(service.databaseUrl), `files/named/log/${log}/checkpoint`);
  try {
    const newest = readdirSync(folder)
      .map(Number)
      .toSorted((a, b) => b - a)[0];
    return newest === undefined ? undefined : readFileSync(path.join(folder, String(newest)), 'utf8');
  } catch {
    return undefined;
  }
}

/** Collects every published checkpoint, and compares each with the next one. */
export class Witness {
  readonly #service: TestService;
  readonly seen: Checkpoint[] = [];

  constructor(service: TestService) {
    this.#service = service;
  }

  look(): void {
    const note = publishedNote(this.#service);
    const checkpoint = note === undefined ? undefined : parseCheckpoint(note);
    const last = this.seen.at(-1);
    if (!checkpoint || (last?.size === checkpoint.size && Buffer.from(last.root).equals(checkpoint.root))) return;
    this.seen.push(checkpoint);
  }

  /** Throws unless each checkpoint has grown from the one before. */
  async verify(): Promise<void> {
    const reader = new LogReader(this.#service.url);
    for (const [i, next] of this.seen.entries()) {
      const old = this.seen[i - 1];
      if (!old) continue;
      const proof = await consistencyProof(old.size, next.size, (...tile) => reader.tile(...tile));
      if (!verifyConsistency({ oldSize: old.size, oldRoot: old.root, size: next.size, root: next.root }, proof))
        throw new Error(`the checkpoint of ${next.size} leaves has not grown from that of ${old.size}`);
    }
  }
}

export function countOf(leaves: readonly string[], contentHash: string): number {
  const leaf = `01${contentHash.replace('sha256:', '')}`;
  return leaves.filter((one) => one === leaf).length;
}
