import { connect, type Socket } from 'node:net';

export interface RawResponse {
  text: string;
  status: number | undefined;
  /** The service has ended the connection. */
  closed: boolean;
}

/** A bare connection, for input that no HTTP client sends. */
export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.on('error', () => {});
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Sends the bytes and collects the response, until the service closes or is silent for `quietMs` after it has begun to respond. */
export async function exchange(
  url: string,
  bytes: string | Uint8Array,
  { halfClose = false, quietMs = 150, patienceMs = 60_000 } = {},
): Promise<RawResponse> {
  const socket = await openSocket(url);
  const chunks: Buffer[] = [];
  const closed = await new Promise<boolean>((resolve) => {
    const patience = setTimeout(() => resolve(false), patienceMs);
    let quiet: NodeJS.Timeout | undefined;
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(quiet);
      // The response itself is still to come.
      if (chunks.length === 1 && chunk.toString('latin1') === 'HTTP/1.1 100 Continue\r\n\r\n') return;
      quiet = setTimeout(() => resolve(false), quietMs);
    });
    const end = () => {
      clearTimeout(quiet);
      clearTimeout(patience);
      resolve(true);
    };
    socket.on('end', end);
    socket.on('close', end);
    socket.write(bytes);
    if (halfClose) socket.end();
  });
  socket.destroy();
  const text = Buffer.concat(chunks).toString('latin1');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
  return { text, status: status === undefined ? undefined : Number(status), closed };
}
