import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { isAlive, isRoot, nobody, processesIn, temporaryFolder } from './process.ts';

/** A disk that tests can fill without affecting others. */
export interface SmallDisk {
  kind: 'tmpfs' | 'loop device' | 'limit on the size of files';
  folder: string;
  fill(pid: number): void;
  makeRoom(pid: number): void;
  remove(): void;
}

const MB = 1_048_576;

/** A tmpfs where that may be mounted, otherwise a file, otherwise a limit that processes inherit. */
export function smallDisk(megabytes: number): SmallDisk {
  const folder = temporaryFolder();
  if (run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder)) return mounted('tmpfs', folder);
  const image = path.join(temporaryFolder(), 'disk.img');
  const isMade = run('truncate', '-s', `${megabytes}M`, image) && run('mkfs.ext4', '-q', '-m', '0', image);
  if (isMade && run('mount', '-o', 'loop', image, folder)) return mounted('loop device', folder);
  return limited(folder);
}

function mounted(kind: SmallDisk['kind'], folder: string): SmallDisk {
  const ballast = path.join(folder, 'ballast');
  const remove = () => void run('umount', '-l', folder);
  process.once('exit', remove);
  return { kind, folder, fill: () => fill(ballast), makeRoom: () => rmSync(ballast, { force: true }), remove };
}

function fill(file: string): void {
  const open = openSync(file, 'a');
  try {
    for (let piece = Buffer.alloc(MB); piece.length > 0; ) {
      try {
        writeSync(open, piece);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        piece = piece.subarray(piece.length >> 1 || 1);
      }
    }
  } finally {
    closeSync(open);
  }
}

/** Limits the size of files, so that the service and its database can write neither WAL nor tables. */
function limited(folder: string): SmallDisk {
  const limit = (pid: number, bytes: string) => {
    for (const one of [pid, ...processesIn(folder)]) {
      const args = [`--pid=${one}`, `--fsize=${bytes}:unlimited`];
      // A container may forbid root to limit a process of another account.
      const isLimited = run('prlimit', ...args) || (isRoot && spawnSync('prlimit', args, nobody).status === 0);
      if (!isLimited && isAlive(one)) throw new Error('neither can a disk be mounted here nor the size of files be limited');
    }
  };
  const kind = 'limit on the size of files';
  return { kind, folder, fill: (pid) => limit(pid, '8192'), makeRoom: (pid) => limit(pid, 'unlimited'), remove: () => {} };
}

function run(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
