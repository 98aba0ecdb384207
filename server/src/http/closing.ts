import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 100;

/** Returns the function that refuses new connections and waits up to `patienceMs` for requests under way. Call it before listening. */
export function closerOf(app: FastifyInstance, patienceMs: number): () => Promise<void> {
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return async () => {
    const impatience = new AbortController();
    const giveUp = sleep(patienceMs, undefined, { signal: impatience.signal }).then(
      () => app.server.closeAllConnections(),
      () => {},
    );
    const sweep = setInterval(() => {
      // A busy connection becomes idle once its response has been sent.
      app.server.closeIdleConnections();
      // Browsers open connections in advance, and Node counts one without any byte as busy.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    await app.close();
    clearInterval(sweep);
    impatience.abort();
    await giveUp;
  };
}
