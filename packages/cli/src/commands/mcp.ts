import type { Command } from '../command.ts';
import { UsageError } from '../problems.ts';
import { VERSION as version } from '../version.ts';

export const mcp: Command[] = [
  {
    name: 'mcp',
    args: '',
    help: 'Serves the tools of the Model Context Protocol over stdin and stdout, for an AI agent on this machine. Its client starts it.',
    examples: ['waybill mcp', 'waybill mcp --profile test'],
    run: async ({ account, io, signal }) => {
      const { url: baseUrl, key } = account();
      if (!key) throw new UsageError('Log in first: waybill login --url https://…');
      // Loaded only here, because no other command needs it.
      const { serveStdio } = await import('@waybill/mcp');
      const server = await serveStdio({ baseUrl, key, version });
      await new Promise<void>((resolve) => {
        io.stdin.once('end', resolve).once('close', resolve);
        signal.addEventListener('abort', () => resolve());
      });
      await server.close();
    },
  },
];
