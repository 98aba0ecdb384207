import { elementsAt, membersAt, type Span } from './json-text.ts';
import { type LosslessJson, parseLossless } from './lossless-json.ts';
import type { Envelope } from './schema.ts';

/** The fields of an envelope, as the API names them. */
export type EnvelopeFields = Omit<Envelope, 'json'>;

/** A message with its JSON as it was sent. */
export type Message = EnvelopeFields & Payload;

/** The JSON of a message: as text, byte for byte, and as a value. */
class Payload {
  readonly #envelope: string;
  readonly #json: Span | undefined;

  constructor(envelope: string, json: Span | undefined) {
    this.#envelope = envelope;
    this.#json = json;
  }

  /** The JSON as the sender wrote it: big integers, `1.0`, key order and repeated keys included. Null without JSON. */
  get jsonText(): string | null {
    return this.#json === undefined ? null : this.#envelope.slice(...this.#json);
  }

  /** The JSON as `JSON.parse` reads it, which rounds big integers. Null without JSON. */
  json<T = unknown>(): T {
    return JSON.parse(this.jsonText ?? 'null');
  }

  /** The JSON with numbers as they were written, and all of repeated keys. Null without JSON. */
  lossless(): LosslessJson {
    return parseLossless(this.jsonText ?? 'null');
  }

  /** The whole envelope as the service wrote it. */
  get envelopeText(): string {
    return this.#envelope;
  }

  toJSON(): Envelope {
    return JSON.parse(this.#envelope);
  }
}

/** The message in an envelope, such as the body of a webhook delivery. */
export function readMessage(envelope: string): Message {
  const span = membersAt(envelope, envelope.indexOf('{')).get('json');
  // The JSON is parsed only on demand: it may be large, and numbers would lose digits.
  const fields: EnvelopeFields & { json?: null } = JSON.parse(span ? replaced(envelope, span, 'null') : envelope);
  delete fields.json;
  return Object.assign(new Payload(envelope, fields.json_sha256 === null ? undefined : span), fields);
}

/** The text of each element of `data`, and the rest of the page. */
export function readPage<Page extends object>(text: string): { elements: string[]; rest: Omit<Page, 'data'> } {
  const span = membersAt(text, text.indexOf('{')).get('data');
  if (!span) throw new SyntaxError('a page without data');
  return { elements: elementsAt(text, span[0]).map((element) => text.slice(...element)), rest: JSON.parse(replaced(text, span, '[]')) };
}

/** Reads an object of which one member is an envelope, such as a leased message. */
export function readAround<T extends { message: unknown }>(text: string): Omit<T, 'message'> & { message: Message } {
  const span = membersAt(text, 0).get('message');
  if (!span) throw new SyntaxError('a lease without a message');
  return { ...JSON.parse(replaced(text, span, 'null')), message: readMessage(text.slice(...span)) };
}

function replaced(text: string, [start, end]: Span, value: string): string {
  return `${text.slice(0, start)}${value}${text.slice(end)}`;
}
