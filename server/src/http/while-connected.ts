import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';

/** Aborted when the client is gone on whose behalf the service sends a request to itself. Such a request has no socket that closes. */
export const clientOfSelf = new AsyncLocalStorage<AbortSignal>();

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
