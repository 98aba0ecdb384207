import http from 'node:http';
import type { ServiceUnderTest } from './service-process.ts';

export interface CompressionResult {
  encoding: string;
  perSecond: number;
  ratio: number;
  bytesPerPage: number;
}

const CONNECTIONS = 8;
const WARM_UP_MS = 1_000;

/** Reads pages of 50 messages of an inbox without compression, and with each encoding. */
export async function measureCompression(service: ServiceUnderTest, key: string, seconds: number): Promise<CompressionResult[]> {
  const results: CompressionResult[] = [];
  for (const encoding of ['identity', 'gzip', 'br', 'zstd']) {
    const { pages, bytes } = await readFor(service, key, encoding, seconds * 1000);
    const perSecond = pages / seconds;
    results.push({ encoding, perSecond, ratio: perSecond / (results[0]?.perSecond ?? perSecond), bytesPerPage: bytes / pages });
  }
  return results;
}

async function readFor({ port }: ServiceUnderTest, key: string, encoding: string, ms: number): Promise<{ pages: number; bytes: number }> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': encoding };
  const begin = performance.now() + WARM_UP_MS;
  const counted = { pages: 0, bytes: 0 };
  const read = async () => {
    while (performance.now() < begin + ms) {
      const bytes = await pageBytes({ port, agent, headers, path: '/v1/inbox?limit=50' });
      if (performance.now() < begin) continue;
      counted.pages++;
      counted.bytes += bytes;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, read));
  agent.destroy();
  return counted;
}

function pageBytes(options: http.RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    http
      .get(options, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('end', () => resolve(bytes));
      })
      .on('error', reject);
  });
}
