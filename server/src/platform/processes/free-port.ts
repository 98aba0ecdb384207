import { createServer } from 'node:net';

export async function freePort({ port, host }: { port: number; host: string }): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ port, host, exclusive: true }, resolve));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : port;
}
