import { McpServer } from '@modelcontextprotocol/server';
import { registerResources } from './resources.ts';
import type { Workplace } from './tool.ts';
import { proofTools } from './tools/proofs.ts';
import { readingTools } from './tools/reading.ts';
import { workTools } from './tools/work.ts';
import { writingTools } from './tools/writing.ts';
import { INSTRUCTIONS } from './untrusted.ts';

export const tools = [...readingTools, ...proofTools, ...writingTools, ...workTools];

/** A server for one connection over stdio, or for one request over HTTP. A key with scope `read` gets no tools that write. */
export function createServer(workplace: Workplace, version: string): McpServer {
  const server = new McpServer(
    { name: 'waybill', title: 'Waybill', version },
    // A key's rights do not change while it is used.
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false }, resources: { listChanged: false } } },
  );
  const { scope } = workplace.self;
  for (const tool of tools) if (tool.scope === 'read' || scope === 'read_write') tool.register(server, workplace);
  registerResources(server, workplace);
  return server;
}
