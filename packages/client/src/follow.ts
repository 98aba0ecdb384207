import type { WaybillEvent } from './events.ts';
import type { Message } from './message.ts';
import type { Pages } from './pages.ts';

interface Followed {
  events(): AsyncIterable<WaybillEvent>;
  inbox(since: string): Pages<Message>;
}

/** New messages of the inbox as they arrive, in order of delivery, each once. */
export async function* follow({ events, inbox }: Followed, since: string): AsyncGenerator<Message, void> {
  let from = since;
  /** Messages of the very millisecond `from`, which come again. */
  let seen = new Set<string>();
  for await (const event of events()) {
    if (event.type !== 'messages' || !event.inbox) continue;
    const messages: Message[] = [];
    for await (const message of inbox(from)) if (!seen.has(message.id)) messages.push(message);
    for (const message of messages.reverse()) {
      if (message.received_at !== from) seen = new Set();
      from = message.received_at;
      seen.add(message.id);
      yield message;
    }
  }
}
