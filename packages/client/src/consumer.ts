import { type Message, readAround, readPage } from './message.ts';
import type { InputOf } from './operations.ts';
import { type Page, Pages } from './pages.ts';
import type { LeasedMessage as Leased, ParkedMessage, Consumer as State } from './schema.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** A message that the worker holds until it acknowledges or releases it, or the lease lapses. */
export type LeasedMessage = Omit<Leased, 'message'> & { message: Message };

export type ConsumerSettings = InputOf<'PUT /v1/consumers/{name}'>['body'];

const LEASE_TIMEOUT_MS = 30_000;

/** Leases the messages of your inbox to workers. Each worker has its own `holder`. */
export class Consumer {
  readonly name: string;
  readonly #transport: Transport;
  /** Undefined: all that share an agent count as one worker. */
  readonly #holder: { holder?: string };

  constructor(transport: Transport, name: string, holder: string | undefined) {
    this.name = name;
    this.#transport = transport;
    this.#holder = holder === undefined ? {} : { holder };
  }

  /** Creates or changes the consumer. Omitted settings get their default. */
  async put(settings: ConsumerSettings = {}, options: RequestOptions = {}): Promise<State> {
    return this.#call('PUT', '', settings, options);
  }

  async get(options: RequestOptions = {}): Promise<State> {
    return this.#call('GET', '', undefined, options);
  }

  /** Deletes the consumer. Messages stay in the inbox. */
  async delete(options: RequestOptions = {}): Promise<void> {
    await this.#text('DELETE', '', undefined, options);
  }

  /** Leases messages. Waits up to `wait_s` (30 at most) if there are none. A lost response holds its messages until the lease lapses. */
  async lease(
    { limit, lease_s, wait_s = 0 }: { limit?: number; lease_s?: number; wait_s?: number } = {},
    options: RequestOptions = {},
  ): Promise<LeasedMessage[]> {
    const timeoutMs = wait_s * 1_000 + LEASE_TIMEOUT_MS;
    const body = { limit, lease_s, wait_s, ...this.#holder };
    const text = await this.#text('POST', '/lease', body, { timeoutMs, ...options });
    return readPage(text).elements.map((element) => readAround<Leased>(element));
  }

  /** Acknowledges messages. `unknown`: the ids that the holder does not have (any more). */
  async ack(messages: string[] | { through: string }, options: RequestOptions = {}): Promise<{ acknowledged: number; unknown: string[] }> {
    const which = Array.isArray(messages) ? { ids: messages } : messages;
    return this.#call('POST', '/ack', { ...which, ...this.#holder }, options);
  }

  async extend(
    ids: string[],
    { lease_s }: { lease_s?: number } = {},
    options: RequestOptions = {},
  ): Promise<{ extended: number; unknown: string[]; lease_until: string }> {
    return this.#call('POST', '/extend', { ids, lease_s, ...this.#holder }, options);
  }

  /** Gives messages back, to be leased again after `delay_s`. */
  async release(
    ids: string[],
    { delay_s, reason }: { delay_s?: number; reason?: string } = {},
    options: RequestOptions = {},
  ): Promise<{ released: number; unknown: string[] }> {
    return this.#call('POST', '/release', { ids, delay_s, reason, ...this.#holder }, options);
  }

  /** Moves the consumer: to `now`, `beginning`, a position, or an ISO 8601 time. */
  async seek(position: string, options: RequestOptions = {}): Promise<State> {
    return this.#call('POST', '/seek', { position }, options);
  }

  /** Messages that were leased `max_tries` times and never acknowledged. */
  parked(query: { limit?: number; cursor?: string } = {}, options: RequestOptions = {}): Pages<ParkedMessage> {
    const read = async (cursor: string | undefined): Promise<Page<ParkedMessage>> =>
      JSON.parse(await this.#text('GET', '/parked', undefined, options, { ...query, cursor }));
    return new Pages(read, query.cursor);
  }

  async unpark(ids: string[], options: RequestOptions = {}): Promise<{ unparked: number; unknown: string[] }> {
    return this.#call('POST', '/unpark', { ids }, options);
  }

  async #call<T>(method: string, below: string, body: object | undefined, options: RequestOptions): Promise<T> {
    return JSON.parse(await this.#text(method, below, body, options));
  }

  /** All these requests can be repeated. */
  #text(method: string, below: string, body: object | undefined, options: RequestOptions, query: object = {}): Promise<string> {
    const input = { path: { name: this.name }, body, query };
    return this.#transport.text(`${method} /v1/consumers/{name}${below}`, input, { isRepeatable: true, ...options });
  }
}
