import net from 'node:net';

export interface LoadResult {
  requests: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface Load {
  port: number;
  connections: number;
  seconds: number;
  warmUpSeconds: number;
  request(): string;
  expectStatus: number;
}

/**
 * A load generator on bare sockets, each with one request under way. A full HTTP client would take processor time from the
 * service that is measured.
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  const begin = performance.now();
  const measureFrom = begin + load.warmUpSeconds * 1000;
  const end = measureFrom + load.seconds * 1000;
  const record = (startedAt: number, endedAt: number) => {
    if (startedAt >= measureFrom && endedAt <= end) latencies.push(endedAt - startedAt);
  };
  await Promise.all(Array.from({ length: load.connections }, () => drive(load, end, record)));
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? Number.NaN;
  return {
    requests: latencies.length,
    seconds: load.seconds,
    perSecond: latencies.length / load.seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}

function drive(load: Load, end: number, record: (startedAt: number, endedAt: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(load.port, '127.0.0.1');
    socket.setNoDelay(true);
    let startedAt = 0;
    let response = '';
    const next = () => {
      startedAt = performance.now();
      if (startedAt >= end) {
        socket.end();
        resolve();
        return;
      }
      socket.write(load.request());
    };
    socket.on('connect', next);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
      const bodyAt = response.indexOf('\r\n\r\n') + 4;
      if (bodyAt < 4) return;
      const length = Number(/content-length: (\d+)/i.exec(response)?.[1]);
      if (response.length < bodyAt + length) return;
      if (!response.startsWith(`HTTP/1.1 ${load.expectStatus}`)) {
        reject(new Error(`unexpected response: ${response.slice(0, 500)}`));
        socket.destroy();
        return;
      }
      response = '';
      record(startedAt, performance.now());
      next();
    });
  });
}

export function httpRequest(method: string, path: string, key: string, body?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
