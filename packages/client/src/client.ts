import { type ConsumeOptions, consume, type Handler } from './consume.ts';
import { Consumer } from './consumer.ts';
import { type DocumentForm, readDocument } from './document.ts';
import { type DownloadedFile, type DownloadOptions, download } from './download.ts';
import { events, type WaybillEvent } from './events.ts';
import { type FollowOptions, follow } from './follow.ts';
import type { SigningKey } from './http-signature.ts';
import { type Message, readMessage, readPage } from './message.ts';
import type { InputOf, Operation, ResponseOf } from './operations.ts';
import { type Page, Pages } from './pages.ts';
import { type ProofOptions, type ReceiptProofOptions, readProof } from './proof.ts';
import { randomKey } from './random-key.ts';
import type {
  Acknowledgement,
  AnyReceipt,
  Comment,
  EnvelopeSummary,
  Me,
  RecipientCheck,
  SchemaCheck,
  SearchResult,
  Thread,
  ThreadState,
  Worker,
} from './schema.ts';
import {
  bodyOf,
  checkHashes,
  confirmHashes,
  type Reply,
  type SendOptions,
  type SendRequest,
  type SentFile,
  type SentMessage,
  sentMessage,
} from './send.ts';
import { type ManyRequest, type SendOutcome, sendMany } from './send-many.ts';
import { Signing } from './signing.ts';
import { openStream } from './stream.ts';
import { jsonIn, type RequestOptions, Transport, type TransportOptions } from './transport.ts';
import { type Content, type UploadedFile, type UploadOptions, upload } from './upload.ts';

type QueryOf<O extends Operation> = NonNullable<InputOf<O> extends { query?: infer Q } ? Q : never>;
export type InboxQuery = Omit<QueryOf<'GET /v1/inbox'>, 'include'>;
export type OutboxQuery = Omit<QueryOf<'GET /v1/outbox'>, 'include'>;
export type ThreadsQuery = QueryOf<'GET /v1/threads'>;
export type ExportQuery = QueryOf<'GET /v1/export'>;
export type ThreadChange = InputOf<'PATCH /v1/threads/{id}'>['body'];

/** A page of the messages of a thread, with its state in your business. */
export interface ThreadPage<Item> extends Page<Item> {
  thread_id: string;
  /** Messages of the thread that your business can’t see. */
  hidden: number;
  state: ThreadState;
}

export interface SearchPage extends Page<SearchResult> {
  /** False while older messages are still being indexed. */
  complete: boolean;
}

type Summarised = { include: 'summary' };
type Paging = { limit?: number | undefined; cursor?: string | undefined };
type AnyQuery = Paging & Record<string, unknown>;

export interface WaybillOptions extends Pick<TransportOptions, 'baseUrl' | 'fetch' | 'maxRetries' | 'timeoutMs'> {
  /** An API key, `wb_…`. Without it, only what is public can be read. */
  key?: string | undefined;
  /** A signing key of the agent: everything that is sent or acknowledged is signed with it. */
  signingKey?: SigningKey | undefined;
  /** Receives probable mistakes, such as an idempotency key that was used for another message; `console.warn` by default. */
  onWarning?: ((warning: string) => void) | undefined;
}

/** A client of one Waybill service, with one API key. Methods throw a WaybillError. */
export class Waybill {
  readonly #transport: Transport;
  readonly #warn: (warning: string) => void;
  readonly #signing: Signing | undefined;

  constructor({ key, signingKey, onWarning, ...options }: WaybillOptions) {
    if (!/^https?:\/\/./.test(options.baseUrl))
      throw new TypeError(`baseUrl must be the address of the service, such as https://…; it is ${options.baseUrl}`);
    const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    this.#signing = signingKey && new Signing(signingKey, this);
    const sign: TransportOptions['sign'] = this.#signing?.sign.bind(this.#signing);
    this.#transport = new Transport({ ...options, headers: () => authorization, sign });
    this.#warn = onWarning ?? ((warning) => console.warn(warning));
  }

  /** Any request of the API: `request('GET /v1/contacts', { query: { limit: 10 } })`. */
  async request<O extends Operation>(operation: O, input: InputOf<O>, options: RequestOptions = {}): Promise<ResponseOf<O>> {
    const text = await this.requestText(operation, input, options);
    return JSON.parse(text === '' ? 'null' : text) ?? undefined;
  }

  /** The response as text, byte for byte. */
  requestText<O extends Operation>(operation: O, input: InputOf<O>, options: RequestOptions = {}): Promise<string> {
    return this.#transport.text(operation, input, options);
  }

  /** The business, agent and scope of the key, with its addresses and usage. */
  me(options: RequestOptions = {}): Promise<Me> {
    return this.request('GET /v1/me', {}, options);
  }

  /** Businesses by handle or name. */
  handles(q: string, query: Paging = {}, options: RequestOptions = {}): Pages<{ handle: string; display_name: string }> {
    return this.#pages('GET /v1/handles', { ...query, q }, options);
  }

  /** Sends a message. It is delivered when this returns, and exactly once however often it is repeated with the same idempotency key. */
  async send(request: SendRequest, options: SendOptions = {}): Promise<SentMessage> {
    const { idempotencyKey = randomKey(), wait, ...rest } = options;
    if (this.#signing && request.acknowledge) throw new TypeError('A signed reply can’t acknowledge. Call acknowledge, which signs it.');
    const files = await this.#uploaded(request.files, rest.signal);
    const signing = await this.#signing?.headersOf(request, files, rest);
    const headers = { ...rest.headers, 'idempotency-key': idempotencyKey, ...(wait && { prefer: `wait=${wait}` }), ...signing };
    const read = async (response: Response, signal: AbortSignal) => ({ text: await jsonIn(response, signal), headers: response.headers });
    const response = await this.#transport.request('POST /v1/messages', { body: bodyOf(request, files) }, { ...rest, headers }, read);
    const message = sentMessage(readMessage(response.text), response.headers);
    if (message.bodyDiffers)
      this.#warn(`Nothing was sent: the idempotency key ${idempotencyKey} was used for another message before, ${message.id}.`);
    else checkHashes(message, files);
    return message;
  }

  /**
   * Sends many messages, a hundred with each request. Messages wait until there are a hundred, or no more come.
   * Outcomes come in the order of the messages, and one that is refused stops no other. Throws if the service can't be reached.
   */
  sendMany<Request extends ManyRequest>(
    requests: Iterable<Request> | AsyncIterable<Request>,
    options: Omit<RequestOptions, 'isRepeatable'> = {},
  ): AsyncGenerator<SendOutcome<Request>, void> {
    if (this.#signing) throw new TypeError('sendMany can’t sign messages. Use send, or a client without a signingKey.');
    return sendMany(this.#transport, (files) => this.#uploaded(files, options.signal), requests, options);
  }

  /** Replies to a message: to its sender, or, if it is your own, to its recipient. */
  async reply(to: string | { id: string } | Message, request: Reply, options: SendOptions = {}): Promise<SentMessage> {
    if (typeof to !== 'string' && 'content_hash' in to) await this.#signing?.know(to, options);
    return this.send({ ...request, in_reply_to: typeof to === 'string' ? to : to.id }, options);
  }

  /** Waits until the service has hashed all files of a message (those over 100 MB after delivery), and compares them with the uploads. */
  confirmFiles(message: Message, files: readonly UploadedFile[], options: RequestOptions = {}): Promise<Message> {
    return confirmHashes((id) => this.message(id, options), message, files, options.signal);
  }

  /** Tells the sender of a received message what becomes of it. Repeating it does no harm. */
  acknowledge(
    to: string | { id: string } | Message,
    given: InputOf<'POST /v1/messages/{id}/acknowledge'>['body'],
    options: RequestOptions = {},
  ): Promise<Acknowledgement> {
    if (this.#signing) return this.#signing.acknowledge(to, given, options);
    const id = typeof to === 'string' ? to : to.id;
    return this.request('POST /v1/messages/{id}/acknowledge', { path: { id }, body: given }, { ...options, isRepeatable: true });
  }

  /** The acknowledgements of a message by its recipient, oldest first. */
  async acknowledgements(of: string | { id: string }, options: RequestOptions = {}): Promise<Acknowledgement[]> {
    const id = typeof of === 'string' ? of : of.id;
    return (await this.request('GET /v1/messages/{id}/acknowledgements', { path: { id } }, options)).data;
  }

  async message(id: string, options: RequestOptions = {}): Promise<Message> {
    return readMessage(await this.requestText('GET /v1/messages/{id}', { path: { id } }, options));
  }

  /** Received messages, newest first. `include: 'summary'` leaves out the JSON, which is faster. */
  inbox(query: InboxQuery & Summarised, options?: RequestOptions): Pages<EnvelopeSummary>;
  inbox(query?: InboxQuery, options?: RequestOptions): Pages<Message>;
  inbox(query: InboxQuery & Partial<Summarised> = {}, options: RequestOptions = {}): Pages<EnvelopeSummary> | Pages<Message> {
    if (query.include) return this.#pages<EnvelopeSummary>('GET /v1/inbox', query, options);
    return this.#messages('GET /v1/inbox', query, options);
  }

  /** Sent messages, newest first. */
  outbox(query: OutboxQuery & Summarised, options?: RequestOptions): Pages<EnvelopeSummary>;
  outbox(query?: OutboxQuery, options?: RequestOptions): Pages<Message>;
  outbox(query: OutboxQuery & Partial<Summarised> = {}, options: RequestOptions = {}): Pages<EnvelopeSummary> | Pages<Message> {
    if (query.include) return this.#pages<EnvelopeSummary>('GET /v1/outbox', query, options);
    return this.#messages('GET /v1/outbox', query, options);
  }

  /** New messages of the inbox as they arrive, each once, in order of delivery. Ends when the signal is aborted. */
  follow(options: FollowOptions = {}): AsyncGenerator<Message, void> {
    const { signal } = options;
    const followed = {
      events: () => this.events({ signal }),
      inbox: (query: { limit: number }) => this.inbox({ ...query, include: 'summary' }, { signal }),
      messages: (since: string) => this.inbox({ since, limit: 200 }, { signal }),
    };
    return follow(followed, options);
  }

  /** Events when there can be something new. Reconnects by itself, and ends when the signal is aborted. */
  events({ signal }: { signal?: AbortSignal | undefined } = {}): AsyncGenerator<WaybillEvent, void> {
    return events(this.#transport, { signal });
  }

  /** Threads, latest activity first. */
  threads(query: ThreadsQuery = {}, options: RequestOptions = {}): Pages<Thread> {
    return this.#pages('GET /v1/threads', query, options);
  }

  /** The messages of a thread, oldest first. Each page has the `state` of the thread. */
  thread(id: string, query: Paging & Summarised, options?: RequestOptions): Pages<EnvelopeSummary, ThreadPage<EnvelopeSummary>>;
  thread(id: string, query?: Paging, options?: RequestOptions): Pages<Message, ThreadPage<Message>>;
  thread(
    id: string,
    query: Paging & Partial<Summarised> = {},
    options: RequestOptions = {},
  ): Pages<EnvelopeSummary, ThreadPage<EnvelopeSummary>> | Pages<Message, ThreadPage<Message>> {
    if (query.include) return this.#pages<EnvelopeSummary, ThreadPage<EnvelopeSummary>>('GET /v1/threads/{id}', query, options, { id });
    return this.#messages<ThreadPage<Message>>('GET /v1/threads/{id}', query, options, { id });
  }

  /** Finishes, reopens, assigns or labels a thread, for your business alone. */
  changeThread(id: string, change: ThreadChange, options: RequestOptions = {}): Promise<ThreadState> {
    return this.request('PATCH /v1/threads/{id}', { path: { id }, body: change }, options);
  }

  /** Assigns a thread to a member (`usr_…`), an agent (`agt_…`), `me`, or nobody (null). */
  assign(threadId: string, assignee: string | null, options: RequestOptions = {}): Promise<ThreadState> {
    return this.changeThread(threadId, { assignee }, options);
  }

  /** The colleagues who can be assigned and mentioned. */
  async assignees(options: RequestOptions = {}): Promise<Worker[]> {
    return (await this.request('GET /v1/threads/assignees', {}, options)).data;
  }

  /** The comments on a thread, which stay inside your business. */
  comments(threadId: string, query: Paging = {}, options: RequestOptions = {}): Pages<Comment> {
    return this.#pages('GET /v1/threads/{id}/comments', query, options, { id: threadId });
  }

  comment(threadId: string, comment: { text: string; mentions?: string[] }, options: RequestOptions = {}): Promise<Comment> {
    return this.request('POST /v1/threads/{id}/comments', { path: { id: threadId }, body: comment }, options);
  }

  /** Messages and comments that match, newest first: `search('PO-48 from:acme has:json')`. */
  search(q: string, query: Paging = {}, options: RequestOptions = {}): Pages<SearchResult, SearchPage> {
    return this.#pages('GET /v1/search', { ...query, q }, options);
  }

  /** A public receipt, by its token (`rcpt_…`) or URL. `checkReceipt` recomputes its hashes. */
  receipt(tokenOrUrl: string, options: RequestOptions = {}): Promise<AnyReceipt> {
    return this.request('GET /v1/receipts/{token}', { path: { token: tokenIn(tokenOrUrl) } }, options);
  }

  /** The proof of a message, for its parties: the text of a `.waybill-proof`, which verifies without the service. Waits for the log. */
  proof(messageId: string, { contents, ...options }: ProofOptions = {}): Promise<string> {
    return readProof(this.#transport, 'GET /v1/messages/{id}/proof', { path: { id: messageId }, query: { contents } }, options);
  }

  /** The document of a message as a file: a PDF, its lines as CSV or as a spreadsheet, or in UBL (XML). */
  document(messageId: string, form: DocumentForm, options: RequestOptions = {}): Promise<Uint8Array> {
    return readDocument(this.#transport, messageId, form, options);
  }

  /** The public proof of a receipt, by its token or URL: the text of a `.tlog-proof`. Waits for the log. */
  receiptProof(tokenOrUrl: string, { format, ...options }: ReceiptProofOptions = {}): Promise<string> {
    const path = { token: tokenIn(tokenOrUrl) };
    return readProof(this.#transport, 'GET /v1/receipts/{token}/proof', { path, query: { format } }, options);
  }

  /** Checks JSON by the recipient’s published schema, before you send it. */
  checkFor(to: string, json: unknown, options: RequestOptions = {}): Promise<RecipientCheck> {
    return this.request('POST /v1/schema-check', { query: { to }, body: { json } }, { isRepeatable: true, ...options });
  }

  /** Checks JSON by a schema; without one, by that of your own inbox. Nothing is stored. */
  checkSchema(
    body: { schema?: Record<string, unknown> | boolean | null; json?: unknown },
    options: RequestOptions = {},
  ): Promise<SchemaCheck> {
    return this.request('POST /v1/inbox/schema/check', { body }, { isRepeatable: true, ...options });
  }

  /** Uploads a file of up to 5 GB in parts, for `files` of a message. */
  upload(content: Content, options: UploadOptions = {}): Promise<UploadedFile> {
    return upload(this.#transport, content, options);
  }

  /** The bytes of a file, by its id or as it is in a message: then its hash is checked, too. Resumes when the connection breaks. */
  download(file: string | DownloadedFile, options: DownloadOptions = {}): ReadableStream<Uint8Array> {
    return download(this.#transport, typeof file === 'string' ? { id: file } : file, options);
  }

  /** A consumer, to lease messages by hand. `consume` does it for you. */
  consumer(name: string, { holder }: { holder?: string } = {}): Consumer {
    return new Consumer(this.#transport, name, holder);
  }

  /** Hands each message that arrives to the handler, at least once, until the signal is aborted. */
  consume(name: string, handle: Handler, options: ConsumeOptions = {}): Promise<void> {
    return consume(this.consumer(name, { holder: options.holder ?? `worker-${randomKey()}` }), handle, options);
  }

  /** A list as NDJSON or CSV, as it is read from the service. */
  async *export(query: ExportQuery, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<Uint8Array, void> {
    const url = this.#transport.urlOf('/v1/export', query);
    const headers = this.#transport.headers();
    const { chunks } = await this.#transport.retry(true, signal, () => openStream(this.#transport, url, { headers }, { signal }));
    yield* chunks;
  }

  async #uploaded(files: SendRequest['files'], signal: AbortSignal | undefined): Promise<SentFile[]> {
    const uploaded: SentFile[] = [];
    for (const file of files ?? []) uploaded.push(file instanceof Blob ? await this.upload(file, { signal }) : file);
    return uploaded;
  }

  #pages<Item, OnePage extends Page<Item> = Page<Item>>(
    operation: Operation,
    query: AnyQuery,
    options: RequestOptions,
    path: Record<string, string> = {},
  ): Pages<Item, OnePage> {
    const read = async (cursor: string | undefined): Promise<OnePage> =>
      JSON.parse(await this.#transport.text(operation, { path, query: { ...query, cursor } }, options));
    return new Pages(read, query.cursor);
  }

  #messages<OnePage extends Page<Message> = Page<Message>>(
    operation: Operation,
    query: AnyQuery,
    options: RequestOptions,
    path: Record<string, string> = {},
  ): Pages<Message, OnePage> {
    const read = async (cursor: string | undefined): Promise<OnePage> => {
      const text = await this.#transport.text(operation, { path, query: { ...query, cursor } }, options);
      const { elements, rest } = readPage<OnePage>(text);
      return Object.assign(rest, { data: elements.map(readMessage) }) as OnePage;
    };
    return new Pages(read, query.cursor);
  }
}

function tokenIn(tokenOrUrl: string): string {
  const token = /rcpt_\w+/.exec(tokenOrUrl)?.[0];
  if (token === undefined) throw new TypeError(`${tokenOrUrl} is no receipt: give its URL, or its token, rcpt_….`);
  return token;
}
