import { setImmediate } from 'node:timers/promises';
import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import { type Waybill, WaybillError } from '@waybill/client';
import * as z from 'zod/v4';
import { marked, visibleJson } from './untrusted.ts';
import type { Self } from './views.ts';

export interface Workplace {
  waybill: Waybill;
  self: Self;
  resultMaxChars: number;
  /** Reads the first bytes of a file by its signed URL. Undefined: that is not possible from here. */
  readFile(url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
  tell(error: unknown): void;
}

export interface Tool {
  name: string;
  /** The scope that a key needs. Other keys do not see the tool. */
  scope: Self['scope'];
  register(server: McpServer, workplace: Workplace): void;
}

interface Definition<In extends z.ZodObject, Out extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  scope: Self['scope'];
  annotations: ToolAnnotations;
  input: In;
  output: Out;
  /** The result contains text by others. */
  isUntrusted: boolean;
  run(workplace: Workplace, input: z.infer<In>, signal: AbortSignal): Promise<z.infer<Out>>;
}

export function tool<In extends z.ZodObject, Out extends z.ZodObject>(definition: Definition<In, Out>): Tool {
  const { name, title, description, annotations, scope, isUntrusted, run } = definition;
  // A misspelt argument is an error: the model would think that it had an effect.
  const inputSchema = remembered(z.strictObject(definition.input.shape));
  const outputSchema = remembered(definition.output);
  const config = { title, description, inputSchema, outputSchema, annotations: { title, ...annotations } };
  return {
    name,
    scope,
    register: (server, workplace) => {
      server.registerTool(name, config, async (input, context): Promise<CallToolResult> => {
        try {
          // The arguments, which can have much JSON, were parsed in this turn of the event loop.
          await setImmediate();
          const result = await run(workplace, input as z.infer<In>, context.mcpReq.signal);
          const text = isUntrusted ? marked(result) : visibleJson(result);
          return { content: [{ type: 'text', text }], structuredContent: result };
        } catch (error) {
          return { content: [{ type: 'text', text: wordsOf(error, workplace, context.mcpReq.signal) }], isError: true };
        }
      });
    },
  };
}

/** Caches the JSON Schema. Over HTTP, each request has its own server, which would compute it again. */
function remembered<S extends z.ZodType>(schema: S): S {
  const standard = schema['~standard'];
  type Options = Parameters<typeof standard.jsonSchema.input>[0];
  const once = (convert: (options: Options) => Record<string, unknown>) => {
    let converted: Record<string, unknown> | undefined;
    return (options: Options) => {
      converted ??= convert(options);
      return converted;
    };
  };
  const jsonSchema = { input: once(standard.jsonSchema.input), output: once(standard.jsonSchema.output) };
  return { '~standard': { ...standard, jsonSchema } } as unknown as S;
}

export function wordsOf(error: unknown, { tell }: Workplace, signal: AbortSignal): string {
  if (!(error instanceof WaybillError)) {
    if (!signal.aborted) tell(error);
    return signal.aborted ? 'The call was cancelled.' : 'Something failed on our side. Try again later.';
  }
  const { code, message, details, retryAfterS, requestId } = error;
  return [
    `${code}: ${message}`,
    ...details.map((detail) => `${detail.path === '' ? 'The request' : detail.path}: ${detail.message}`),
    ...(retryAfterS === undefined ? [] : [`Try again after ${retryAfterS} s.`]),
    ...(requestId === undefined ? [] : [`Request id: ${requestId}`]),
  ].join('\n');
}

export function invalidArgument(name: string, message: string): WaybillError {
  return new WaybillError('validation_error', `${name}: ${message}.`, { status: 400, details: [{ path: `/${name}`, message }] });
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const readOnly: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

const id = (prefix: string, description: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{1,60}$`), `must be an id that begins with ${prefix}_`)
    .describe(description);
export const messageId = (description = 'The id of a message, msg_….') => id('msg', description);
export const threadId = id('thr', 'The id of a thread, thr_….');
export const fileId = id('file', 'The id of a file, file_….');
export const cursor = z.string().max(2_000).optional().describe('The next_cursor of the page before.');
