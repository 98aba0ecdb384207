import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The system takes ports for connections, and for port 0, from 32768 on: one below stays free until it is used. */
const FIRST = 10_000;
const COUNT = 22_000;
/** Each process begins elsewhere. */
let next = randomInt(COUNT);

/** Returns a free port, for a service whose public URL must differ from its address. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
