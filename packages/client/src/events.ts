import { WaybillError } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import { openStream } from './stream.ts';
import type { Transport } from './transport.ts';

/** messages: the boxes that can have new messages. threads: the list has new messages, or somebody worked on a thread. */
export type WaybillEvent = { type: 'messages'; inbox: boolean; outbox: boolean } | { type: 'threads' };

/** The service sends something every 25 seconds. */
const SILENCE_MAX_MS = 60_000;
const EVENT_MAX_CHARS = 65_536;
const RECONNECT_MS = 2_000;

/**
 * Events as they come, for as long as you read. Reconnects when the stream ends. The first event of each connection stands for everything
 * before it, so none is missed. Ends when the signal is aborted.
 */
export async function* events(transport: Transport, { signal }: { signal?: AbortSignal | undefined }): AsyncGenerator<WaybillEvent, void> {
  const headers = { accept: 'text/event-stream', ...transport.headers() };
  for (let failures = 0; !signal?.aborted; ) {
    try {
      const { chunks } = await openStream(transport, `${transport.baseUrl}/v1/events`, { headers }, { signal, timeoutMs: SILENCE_MAX_MS });
      for await (const event of eventsIn(chunks)) {
        failures = 0;
        yield event;
      }
      await pause(RECONNECT_MS * (0.5 + Math.random()), signal);
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof WaybillError && error.isTemporary)) throw error;
      await pause(backoffMs(++failures, error.retryAfterS), signal).catch(() => undefined);
    }
  }
}

async function* eventsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<WaybillEvent, void> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of chunks) {
    const blocks = (pending + decoder.decode(chunk, { stream: true })).split('\n\n');
    pending = blocks.pop() ?? '';
    if (pending.length > EVENT_MAX_CHARS) throw new WaybillError('unexpected_response', 'An event without an end.');
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

/** Undefined: a comment, or an event that this version does not know. */
function eventIn(block: string): WaybillEvent | undefined {
  const type = /^event: ?(.*)$/m.exec(block)?.[1];
  if (type === 'threads') return { type };
  const data = /^data: ?(.*)$/m.exec(block)?.[1];
  if (type !== 'messages' || data === undefined) return undefined;
  const { inbox, outbox }: { inbox: boolean; outbox: boolean } = JSON.parse(data);
  return { type, inbox, outbox };
}
