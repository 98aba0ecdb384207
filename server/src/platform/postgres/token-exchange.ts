import type { Logger } from 'pino';
import { newUuid } from '../../contract/ids.ts';
import { CHANNELS } from '../../contract/jobs-and-channels.ts';
import type { Connection } from './database-hosts.ts';
import { Listener } from './listener.ts';
import type { Queryable } from './postgres.ts';
import { prepared } from './statement.ts';

/** The owner of the tokens: a key, a person or a network, or a party by its number. */
export type TokenKey = string | bigint;
type OnTaken = (key: TokenKey, tokens: number) => void;

const EXCHANGE_EVERY_MS = 100;
const TELL = prepared('tell_tokens', 'SELECT pg_notify($1, unnest($2::text[]))', { pg_notify: 'void' });
/** Ids and addresses are shorter. A proxy can send any address, so each process counts a longer one alone. */
const KEY_MAX_CHARS = 64;
/** PostgreSQL takes payloads of less than 8,000 bytes. An entry has at most 170, with each character of its key escaped. */
const ENTRIES_PER_PAYLOAD = 45;

/**
 * Tells the processes of a service how many tokens each has taken from its rate limiters, every tenth of a second. While the database can't be
 * reached, each process counts alone.
 */
export class TokenExchange {
  readonly #database: Queryable;
  readonly #listener: Listener;
  readonly #id = newUuid();
  readonly #limiters = new Map<string, OnTaken>();
  #untold = new Map<string, Map<TokenKey, number>>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(database: Queryable, connection: Connection, log: Logger) {
    this.#database = database;
    this.#listener = new Listener(
      connection,
      {
        channel: CHANNELS.tokens,
        applicationName: 'waybill tokens',
        onPayload: (payload) => this.#receive(payload),
        onInterruption: () => {},
        lossMeans: 'each process counts requests alone until it is back',
      },
      log,
    );
  }

  start(): Promise<void> {
    return this.#listener.start();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    await this.#listener.stop();
  }

  onTaken(limiter: string, onTaken: OnTaken): void {
    this.#limiters.set(limiter, onTaken);
  }

  tell(limiter: string, key: TokenKey, tokens: number): void {
    if (typeof key === 'string' && key.length > KEY_MAX_CHARS) return;
    const untold = this.#untold.get(limiter) ?? new Map<TokenKey, number>();
    this.#untold.set(limiter, untold);
    untold.set(key, (untold.get(key) ?? 0) + tokens);
    this.#timer ??= setTimeout(() => this.#send(), EXCHANGE_EVERY_MS).unref();
  }

  #send(): void {
    this.#timer = undefined;
    const entries = [...this.#untold].flatMap(([limiter, taken]) => [...taken].map(([key, tokens]) => [limiter, keyText(key), tokens]));
    this.#untold = new Map();
    const payloads: string[] = [];
    while (entries.length > 0) payloads.push(JSON.stringify([this.#id, entries.splice(0, ENTRIES_PER_PAYLOAD)]));
    this.#sending = this.#database.query(TELL, [CHANNELS.tokens, payloads]).catch(() => {});
  }

  #receive(payload: string): void {
    const [sender, entries]: [string, [limiter: string, key: string, tokens: number][]] = JSON.parse(payload);
    if (sender === this.#id) return;
    for (const [limiter, key, tokens] of entries) this.#limiters.get(limiter)?.(keyOf(key), tokens);
  }
}

const keyText = (key: TokenKey) => (typeof key === 'bigint' ? `#${key}` : key);
const keyOf = (text: string): TokenKey => (text.startsWith('#') ? BigInt(text.slice(1)) : text);
