import path from 'node:path';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'vitest';

export const CHECKOUT = path.resolve(import.meta.dirname, '../../..');

/** The official client, connected over one of the transports. */
type Connect = (url: string, key: string) => Promise<Connection>;

export class Connection {
  readonly client: Client;
  constructor(client: Client) {
    this.client = client;
  }

  call(name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
    return this.client.callTool({ name, arguments: args });
  }

  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  async result(name: string, args: Record<string, unknown> = {}): Promise<any> {
    const result = await this.call(name, args);
    expect(result.isError, textOf(result)).toBeFalsy();
    return result.structuredContent;
  }

  async failure(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const result = await this.call(name, args);
    expect(result.isError, textOf(result)).toBe(true);
    return textOf(result);
  }

  async resource(uri: string): Promise<string> {
    const { contents } = await this.client.readResource({ uri });
    return contents.map((content) => ('text' in content ? content.text : '')).join('\n');
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

const newClient = (mode: 'auto' | 'legacy') => new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });

export const overHttp: Connect = (url, key) => connectHttp(url, key, 'auto');

async function connectHttp(url: string, key: string, mode: 'auto' | 'legacy'): Promise<Connection> {
  const client = newClient(mode);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return new Connection(client);
}

export const overStdio: Connect = async (url, key) => {
  const client = newClient('legacy');
  await client.connect(
    new StdioClientTransport({
      command: path.join(CHECKOUT, 'node_modules/.bin/node'),
      args: [path.join(CHECKOUT, 'packages/cli/src/main.ts'), 'mcp'],
      env: { PATH: process.env['PATH'] ?? '', WAYBILL_URL: url, WAYBILL_KEY: key },
    }),
  );
  return new Connection(client);
};

export const WAYS: [name: string, connect: Connect][] = [
  ['over HTTP', overHttp],
  ['over HTTP, with the revisions before 2026', (url, key) => connectHttp(url, key, 'legacy')],
  ['over stdio', overStdio],
];
