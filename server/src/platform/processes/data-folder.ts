import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import net from 'node:net';
import { messageOf } from '../../contract/thrown.ts';

export type Holder = 'service' | 'command';

export interface DataFolderLock {
  release(): Promise<void>;
}

interface HeldBy {
  holder: Holder;
  pid: number;
}

/**
 * A data folder has one holder at a time. The lock is a Unix socket in Linux's abstract namespace, named after the folder's inode: the kernel gives
 * it to one process and frees it when that process ends, even by SIGKILL.
 */
export async function lockDataFolder(folder: string, holder: Holder): Promise<DataFolderLock | HeldBy> {
  makeFolder(folder);
  const { dev, ino } = statSync(folder, { bigint: true });
  const path = `\0waybill:${dev}:${ino}`;
  for (;;) {
    const server = await listen(path, `${holder} ${process.pid}\n`);
    if (server) return { release: () => new Promise((done) => server.close(() => done())) };
    const heldBy = await ask(path);
    if (heldBy) return heldBy;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Error(`The setting DATA_DIR must be a folder that can be written, but ${folder} is not (${messageOf(error)}).`);
  }
}

export function isLock(result: DataFolderLock | HeldBy): result is DataFolderLock {
  return 'release' in result;
}

function listen(path: string, greeting: string): Promise<net.Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.end(greeting);
    });
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen({ path }, () => {
      server.unref();
      resolve(server);
    });
  });
}

function ask(path: string): Promise<HeldBy | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const socket = net.connect({ path });
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      const [holder, pid] = text.trim().split(' ');
      resolve(holder === 'service' || holder === 'command' ? { holder, pid: Number(pid) } : undefined);
    });
  });
}
