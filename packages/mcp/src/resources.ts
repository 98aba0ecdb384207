import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import type * as z from 'zod/v4';
import { fit } from './fit.ts';
import { messageOf } from './messages.ts';
import { invalidArgument, messageId, threadId, type Workplace, wordsOf } from './tool.ts';
import { threadView } from './tools/reading.ts';
import { marked } from './untrusted.ts';
import { cutMessage, messageView } from './views.ts';

export function registerResources(server: McpServer, workplace: Workplace): void {
  const register = (name: string, kind: string, title: string, read: (id: string, signal: AbortSignal) => Promise<unknown>) =>
    server.registerResource(
      name,
      new ResourceTemplate(`waybill://${kind}/{id}`, { list: undefined }),
      { title, description: `${title}, marked as untrusted content.`, mimeType: 'text/plain' },
      async (uri, variables, context) => {
        const id = String(variables['id']);
        try {
          const text = marked(await read(id, context.mcpReq.signal));
          return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] };
        } catch (error) {
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, wordsOf(error, workplace, context.mcpReq.signal));
        }
      },
    );
  register('message', 'messages', 'A message', (id, signal) => readMessage(workplace, id, signal));
  register('thread', 'threads', 'The first messages of a thread', (id, signal) => threadView(workplace, checked(threadId, id), {}, signal));
}

async function readMessage({ waybill, self, resultMaxChars }: Workplace, id: string, signal: AbortSignal) {
  const message = messageView(await messageOf(waybill, checked(messageId(), id), signal), self);
  return fit([message], resultMaxChars, cutMessage).items[0];
}

function checked(schema: z.ZodType<string>, id: string): string {
  const found = schema.safeParse(id);
  if (!found.success) throw invalidArgument('id', found.error.issues[0]?.message ?? 'is not an id');
  return found.data;
}
