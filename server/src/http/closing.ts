import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 100;

/** What closes the server, to be made before it listens: takes no new connections and waits for the requests under way, though not for ever. */
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
      // A connection that was busy when the closing began is idle once its response has been sent.
      app.server.closeIdleConnections();
      // One on which nothing has ever come in, such as browsers open in advance, counts as busy for Node.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    await app.close();
    clearInterval(sweep);
    impatience.abort();
    await giveUp;
  };
}
