import { createHmac, timingSafeEqual } from 'node:crypto';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** A realistic receiver: it uses HTTPS and verifies each signature. Paths are the names of secrets, and /dead never responds. */
interface Setup {
  identity: { cert: string; key: string };
  secrets: Record<string, string>;
}

const { identity, secrets } = workerData as Setup;
const counts = { delivered: 0, refused: 0 };
let arrivals: [id: string, at: number][] | undefined;

const server = https.createServer(identity, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/dead') return;
    const body = Buffer.concat(chunks);
    const [, time = '', signature = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['waybill-signature'])) ?? [];
    const expected = createHmac('sha256', secrets[request.url ?? ''] ?? '')
      .update(`${time}.`)
      .update(body)
      .digest();
    const isGenuine = timingSafeEqual(expected, Buffer.from(signature.padEnd(64, '0'), 'hex'));
    counts[isGenuine ? 'delivered' : 'refused']++;
    arrivals?.push([String(request.headers['webhook-id']), performance.timeOrigin + performance.now()]);
    response.writeHead(isGenuine ? 204 : 401).end();
  });
});
server.keepAliveTimeout = 60_000;

parentPort?.on('message', (message: { learn?: [path: string, secret: string]; ask?: 'counts' | 'arrivals' | 'watch' }) => {
  if (message.learn) secrets[message.learn[0]] = message.learn[1];
  if (message.ask === 'watch') arrivals = [];
  if (message.ask === 'counts') parentPort?.postMessage({ ...counts, at: performance.timeOrigin + performance.now() });
  if (message.ask === 'arrivals') parentPort?.postMessage(arrivals);
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
