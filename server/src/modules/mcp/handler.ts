import { Waybill } from '@waybill/client';
import type { Handler, Workplace } from '@waybill/mcp';

let handler: Promise<Handler> | undefined;

/**
 * Loads the protocol's libraries once, and lists the tools, which computes their schemas. Both block the thread for some tenths of a
 * second, so the start does it while it waits for the database.
 */
export function loadHandler(version: string): Promise<Handler> {
  handler ??= import('@waybill/mcp').then(async ({ createHandler }) => {
    const created = createHandler(version);
    for (const headers of [{}, { 'mcp-protocol-version': LATEST, 'mcp-method': 'tools/list' }]) await listTools(created, headers);
    return created;
  });
  return handler;
}

const LATEST = '2026-07-28';

async function listTools(handle: Handler, headers: Record<string, string>): Promise<void> {
  const baseUrl = 'http://localhost';
  const nobody: Workplace = {
    waybill: new Waybill({ baseUrl, key: '' }),
    self: { handle: '', scope: 'read_write' },
    resultMaxChars: 0,
    readFile: async () => undefined,
    tell: () => {},
  };
  const accept = 'application/json, text/event-stream';
  const request = new Request(`${baseUrl}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json', accept, ...headers } });
  await handle(request, { jsonrpc: '2.0', id: 0, method: 'tools/list' }, nobody).then((response) => response.text());
}
