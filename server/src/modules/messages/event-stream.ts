import { Readable } from 'node:stream';

/** In which box there may be something new. */
export interface News {
  inbox: boolean;
  outbox: boolean;
}

const RECONNECT_AFTER_MS = 2_000;

/**
 * Server-sent events for one client. What happens while the client is slow to read adds up to one event, so that nobody can
 * have more kept for them than that.
 */
export class EventStream extends Readable {
  readonly openedAt = performance.now();
  #toldAt = this.openedAt;
  #news: News | undefined;
  #isAwaited = false;

  constructor() {
    super({ highWaterMark: 1 });
    // Whatever came before the stream was open may be new to the client: the first event tells it to look.
    this.push(`retry: ${RECONNECT_AFTER_MS}\n${eventOf({ inbox: true, outbox: true })}`);
  }

  tell({ inbox, outbox }: News): void {
    this.#news = { inbox: inbox || this.#news?.inbox === true, outbox: outbox || this.#news?.outbox === true };
    this.#deliver();
  }

  /** Says that the connection lives, to a client that has heard nothing for a while. */
  beat(now: number, afterMs: number): void {
    if (this.#isAwaited && now - this.#toldAt >= afterMs) this.#give(': still here\n\n');
  }

  /** What the client has not taken yet is nothing lost: the first event of its next stream says more. */
  finish(): void {
    this.push(null);
  }

  override _read(): void {
    this.#isAwaited = true;
    this.#deliver();
  }

  #deliver(): void {
    if (!this.#isAwaited || this.#news === undefined) return;
    const event = eventOf(this.#news);
    this.#news = undefined;
    this.#give(event);
  }

  #give(text: string): void {
    this.#isAwaited = false;
    this.#toldAt = performance.now();
    this.push(text);
  }
}

function eventOf({ inbox, outbox }: News): string {
  return `event: messages\ndata: ${JSON.stringify({ inbox, outbox })}\n\n`;
}
