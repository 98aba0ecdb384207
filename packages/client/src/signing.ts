import { WaybillError } from './errors.ts';
import { type SignableRequest, type SigningKey, signRequest } from './http-signature.ts';
import type { Message } from './message.ts';
import type { InputOf, Operation, ResponseOf } from './operations.ts';
import { checkReceipt } from './receipt.ts';
import type { Acknowledgement } from './schema.ts';
import type { SendRequest, SentFile } from './send.ts';
import { filesHash, type NamedParty, partyName, recipientName } from './signed-recipient.ts';
import type { RequestOptions } from './transport.ts';

/** Requests whose signature is part of a proof. */
const SIGNED_OPERATIONS = ['POST /v1/messages', 'POST /v1/messages/{id}/acknowledge'];
/** Messages whose other party is remembered, for replies. */
const KNOWN_MAX = 1_000;
/** Signatures of one acknowledgement, while its number is taken by something else that happens to the message. */
const NUMBERS_MAX = 3;

type Given = InputOf<'POST /v1/messages/{id}/acknowledge'>['body'];

/** What signing asks of the client. */
interface Reader {
  message(id: string, options: RequestOptions): Promise<Message>;
  me(options: RequestOptions): Promise<{ business: { handle: string } }>;
  request<O extends Operation>(operation: O, input: InputOf<O>, options: RequestOptions): Promise<ResponseOf<O>>;
}

/** Of a request whose signature needs something that must be read first. */
type Options = Pick<RequestOptions, 'signal' | 'timeoutMs'>;

/** An acknowledgement and the next number, in the chain of what happens to a message. Older services have no numbers. */
interface Numbered {
  data: readonly (Acknowledgement & { number?: number | null })[];
  next_number?: number;
}

/** Makes what a client sends and acknowledges a complete signed statement: to whom, with which files, of which content. */
export class Signing {
  readonly #key: SigningKey;
  readonly #reader: Reader;
  /** The `Waybill-Recipient` of replies. Key: message id. */
  readonly #recipients = new Map<string, string>();
  #handle: string | undefined;

  constructor(key: SigningKey, reader: Reader) {
    this.#key = key;
    this.#reader = reader;
  }

  async sign(operation: string, request: SignableRequest): Promise<Record<string, string>> {
    return SIGNED_OPERATIONS.includes(operation) ? signRequest(this.#key, request) : {};
  }

  /** The headers of a send that its signature covers. Without the hash of each file, the files are not covered. */
  async headersOf({ to, in_reply_to }: SendRequest, files: readonly SentFile[], options: Options): Promise<Record<string, string>> {
    const recipient = to === undefined ? await this.#recipientOfReply(in_reply_to ?? '', options) : recipientName(to);
    const hashes = files.flatMap((file) => (typeof file === 'string' ? [] : file.sha256));
    const areHashed = files.length > 0 && hashes.length === files.length;
    return { 'waybill-recipient': recipient, ...(areHashed && { 'waybill-files': filesHash(hashes) }) };
  }

  /** Remembers who gets a reply to this message, so that it need not be read again. */
  async know({ id, from, to }: Message, { signal, timeoutMs }: Options): Promise<string> {
    this.#handle ??= (await this.#reader.me({ signal, timeoutMs })).business.handle;
    const recipient = partyName(otherParty(this.#handle, from.party, to.party));
    const [oldest] = this.#recipients.keys();
    if (oldest !== undefined && this.#recipients.size >= KNOWN_MAX) this.#recipients.delete(oldest);
    this.#recipients.set(id, recipient);
    return recipient;
  }

  async #recipientOfReply(id: string, options: Options): Promise<string> {
    return this.#recipients.get(id) ?? this.know(await this.#message(id, options), options);
  }

  /** Signs the hash of the content, which is computed here, and the number among what happens to the message. */
  async acknowledge(to: string | { id: string } | Message, given: Given, options: RequestOptions): Promise<Acknowledgement> {
    const message = await this.#acknowledged(to, options);
    const { id } = message;
    let number = await this.#numberOf(id, given, options);
    for (let tries = 1; ; tries++) {
      const body = { ...given, ...(number !== undefined && { content_hash: message.content_hash, number }) };
      try {
        const input = { path: { id }, body };
        return await this.#reader.request('POST /v1/messages/{id}/acknowledge', input, { ...options, isRepeatable: true });
      } catch (error) {
        if (!(error instanceof WaybillError) || error.code !== 'conflict' || tries === NUMBERS_MAX) throw error;
        const signed = number;
        number = await this.#numberOf(id, given, options);
        // Another reason than a number that was taken meanwhile.
        if (number === signed) throw error;
      }
    }
  }

  /**
   * The message that is acknowledged, with its JSON: a summary is read again. Throws unless `content_hash` is that of the message as the service shows
   * it, JSON included.
   */
  async #acknowledged(to: string | { id: string } | Message, options: Options): Promise<Message> {
    const given = typeof to !== 'string' && 'content_hash' in to ? to : undefined;
    const message = given && hasItsJson(given) ? given : await this.#message(to, options);
    const { content, json, jsonBytes } = checkReceipt(message, message.jsonText ?? undefined);
    const isAsked = message.id === (typeof to === 'string' ? to : to.id) && message.content_hash === (given ?? message).content_hash;
    if (isAsked && content === 'matches' && json !== 'differs' && jsonBytes !== 'differs' && hasItsJson(message)) return message;
    throw new WaybillError(
      'hash_mismatch',
      `The content_hash of ${message.id} is not that of the message as the service shows it, with its JSON: nothing was signed.`,
    );
  }

  #message(of: string | { id: string }, { signal, timeoutMs }: Options): Promise<Message> {
    return this.#reader.message(typeof of === 'string' ? of : of.id, { signal, timeoutMs });
  }

  /** Undefined from a service without numbers. The same again has the number that it had. */
  async #numberOf(id: string, { status, reason = null }: Given, { signal, timeoutMs }: Options): Promise<number | undefined> {
    const said: Numbered = await this.#reader.request('GET /v1/messages/{id}/acknowledgements', { path: { id } }, { signal, timeoutMs });
    const latest = said.data.at(-1);
    return latest?.status === status && latest.reason === reason ? (latest.number ?? said.next_number) : said.next_number;
  }
}

/** A summary has the hash of the JSON alone. */
function hasItsJson({ json_sha256, jsonText }: Message): boolean {
  return json_sha256 === null || typeof jsonText === 'string';
}

/** A party that has joined our business since has another name than ours in older messages: then the other one has a handle. */
function otherParty(ours: string, from: NamedParty, to: NamedParty): NamedParty {
  const others = [from, to].filter(({ handle }) => handle !== ours);
  return others.find(({ handle }) => handle !== undefined) ?? others[0] ?? to;
}
