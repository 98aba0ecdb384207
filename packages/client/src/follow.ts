import type { WaybillEvent } from './events.ts';
import type { Message } from './message.ts';
import type { Pages } from './pages.ts';

export interface FollowOptions {
  /** Begin with messages received at this time or later (ISO 8601). The default is messages that arrive from now on. */
  since?: string | undefined;
  /** Called when the start is known: each message that arrives after that is returned. */
  onReady?: (() => void) | undefined;
  signal?: AbortSignal | undefined;
}

interface Followed {
  events(): AsyncIterable<WaybillEvent>;
  inbox(query: { limit: number }): Pages<Pick<Message, 'id' | 'received_at'>>;
  messages(since: string): Pages<Message>;
}

const EVER = '1970-01-01T00:00:00.000Z';
/** More messages than can arrive in a millisecond. */
const NEWEST = 50;

/** New messages of the inbox as they arrive, in order of delivery, each once. */
export async function* follow({ events, inbox, messages }: Followed, { since, onReady }: FollowOptions): AsyncGenerator<Message, void> {
  // The start is read from the clock of the service, because the one here may differ.
  const newest = since === undefined ? await inbox({ limit: NEWEST }).take(NEWEST) : [];
  let from = since ?? newest[0]?.received_at ?? EVER;
  /** The ids of messages received in the millisecond `from`, which are read again. */
  let seen = new Set(newest.flatMap(({ id, received_at }) => (received_at === from ? [id] : [])));
  onReady?.();
  for await (const event of events()) {
    if (event.type !== 'messages' || !event.inbox) continue;
    const arrived: Message[] = [];
    for await (const message of messages(from)) if (!seen.has(message.id)) arrived.push(message);
    for (const message of arrived.reverse()) {
      if (message.received_at !== from) seen = new Set();
      from = message.received_at;
      seen.add(message.id);
      yield message;
    }
  }
}
