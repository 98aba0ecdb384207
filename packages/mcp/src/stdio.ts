import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { Waybill } from '@waybill/client';
import { RESULT_MAX_CHARS } from './limits.ts';
import { createServer } from './server.ts';
import type { Workplace } from './tool.ts';

export interface StdioOptions {
  baseUrl: string;
  key: string;
  version: string;
}

/** There are few retries, so that a model soon learns that the service is down. */
const RETRIES = 2;

/** Serves MCP over stdin and stdout until stdin ends. Resolves once the key is checked, and rejects with a WaybillError if it can't be used. */
export async function serveStdio({ baseUrl, key, version }: StdioOptions): Promise<{ close(): Promise<void> }> {
  const waybill = new Waybill({ baseUrl, key, maxRetries: RETRIES, onWarning: () => {} });
  const { business, key: known } = await waybill.me();
  const self = { handle: business.handle, scope: known?.scope ?? 'read' } as const;
  // Only messages of the protocol may go to stdout.
  const tell = (error: unknown) => console.error('MCP:', error);
  const workplace: Workplace = { waybill, self, resultMaxChars: RESULT_MAX_CHARS, readFile, tell };
  return serve(() => createServer(workplace, version), { onerror: tell });
}

async function readFile(url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const response = await fetch(url, { headers: { range: `bytes=0-${maxBytes - 1}` }, signal }).catch(() => undefined);
  if (!response?.ok || !response.body) return undefined;
  const bytes = new Uint8Array(maxBytes);
  let filled = 0;
  // A store that ignores ranges sends the whole file. Leaving the loop cancels the rest.
  for await (const chunk of response.body) {
    const part = chunk.subarray(0, maxBytes - filled);
    bytes.set(part, filled);
    filled += part.length;
    if (filled === maxBytes) break;
  }
  return bytes.subarray(0, filled);
}
