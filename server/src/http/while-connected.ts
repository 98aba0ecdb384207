import type { FastifyRequest } from 'fastify';

/** Runs work for a client that may disconnect before the response: then `gone` is aborted. */
export async function whileConnected<T>({ socket }: FastifyRequest, work: (gone: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const hangUp = () => gone.abort();
  socket.once('close', hangUp);
  try {
    return await work(gone.signal);
  } finally {
    socket.off('close', hangUp);
  }
}
