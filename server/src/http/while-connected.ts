import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';

/** For a request of the service to itself, which has no socket that closes: aborted when the client goes for which it is made. */
export const clientOfSelf = new AsyncLocalStorage<AbortSignal>();

/** Runs work for a client that may disconnect before the response: then `gone` is aborted. */
export async function whileConnected<T>({ socket }: FastifyRequest, work: (gone: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const hangUp = () => gone.abort();
  const client = clientOfSelf.getStore();
  socket.once('close', hangUp);
  client?.addEventListener('abort', hangUp);
  try {
    return await work(gone.signal);
  } finally {
    socket.off('close', hangUp);
    client?.removeEventListener('abort', hangUp);
  }
}
