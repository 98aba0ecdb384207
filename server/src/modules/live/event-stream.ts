import { Readable } from 'node:stream';

interface News {
  inbox: boolean;
  outbox: boolean;
  threads?: boolean;
}

const RECONNECT_AFTER_MS = 2_000;

/**
 * Server-sent events for one client. Changes while the client is slow to read are merged, so a client never has more than one event in
 * memory.
 */
export class EventStream extends Readable {
  readonly openedAt = performance.now();
  #toldAt = this.openedAt;
  #news: News | undefined;
  #isAwaited = false;

  constructor() {
    super({ highWaterMark: 1 });
    // Messages may have come before the stream was open, so the first event makes the client look.
    this.push(`retry: ${RECONNECT_AFTER_MS}\n${eventsOf({ inbox: true, outbox: true, threads: true })}`);
  }

  tell({ inbox, outbox, threads = false }: News): void {
    this.#news = {
      inbox: inbox || this.#news?.inbox === true,
      outbox: outbox || this.#news?.outbox === true,
      threads: threads || this.#news?.threads === true,
    };
    this.#deliver();
  }

  beat(now: number, afterMs: number): void {
    if (this.#isAwaited && now - this.#toldAt >= afterMs) this.#give(': still here\n\n');
  }

  /** Unread events are not lost: the first event of the client's next stream makes it look. */
  finish(): void {
    this.push(null);
  }

  override _read(): void {
    this.#isAwaited = true;
    this.#deliver();
  }

  #deliver(): void {
    if (!this.#isAwaited || this.#news === undefined) return;
    const event = eventsOf(this.#news);
    this.#news = undefined;
    this.#give(event);
  }

  #give(text: string): void {
    this.#isAwaited = false;
    this.#toldAt = performance.now();
    this.push(text);
  }
}

function eventsOf({ inbox, outbox, threads }: News): string {
  const ofMessages = inbox || outbox ? `event: messages\ndata: ${JSON.stringify({ inbox, outbox })}\n\n` : '';
  return threads ? `${ofMessages}event: threads\ndata: {"changed":true}\n\n` : ofMessages;
}
