import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf, siteOf } from '../platform/fairness/network.ts';
import type { Bill } from './bill.ts';
import type { ByteBudget } from './byte-budget.ts';
import { COMPRESSED_FROM_BYTES, type Compressor, type Encoding, encodingFor, isCompressible, PREFERRED } from './compression.ts';
import { EVENT_STREAM, type HttpResponse } from './endpoint.ts';
import { entityTag, isUnchanged } from './entity-tag.ts';
import type { Pace } from './pace.ts';
import { LONG_TEXT_CHARS, serialize } from './serialize.ts';

/** Smaller bodies are not counted, because they add up to a few hundred KB with the limit of requests per connection. */
const COUNTED_FROM_BYTES = 16 * 1024;
const SLICE_BYTES = 64 * 1024;
/** A stream holds this much for a client that does not read: a chunk being sent, one that waits, and one being read. */
const STREAM_BYTES = 3 * SLICE_BYTES;

interface Form {
  status: number;
  contentType?: string;
  isCompressed: boolean;
}

/** The bytes that a response holds, until it is sent or its client is gone. */
export class Reservation {
  readonly #budget: ByteBudget;
  readonly #request: FastifyRequest;
  readonly #response: ServerResponse;
  #bytes = 0;
  #isClosed = false;

  constructor(budget: ByteBudget, request: FastifyRequest, response: ServerResponse) {
    this.#budget = budget;
    this.#request = request;
    this.#response = response;
  }

  add(bytes: number): void {
    // The response of a client that is gone is discarded at once.
    if (this.#isClosed || this.#response.destroyed) return;
    this.#budget.take(bytes, this.#holder);
    if (this.#bytes === 0) this.#response.once('close', () => this.#close());
    this.#bytes += bytes;
  }

  atLeast(bytes: number): void {
    if (bytes > this.#bytes) this.add(bytes - this.#bytes);
  }

  shrinkTo(bytes: number): void {
    if (bytes >= this.#bytes) return;
    this.#budget.give(this.#bytes - bytes, this.#holder);
    this.#bytes = bytes;
  }

  get #holder(): string {
    const { caller, person, ip } = this.#request;
    if (caller) return `business ${caller.business.id}`;
    return person ? `person ${person.id}` : `network ${siteOf(ip) ?? networkOf(ip)}`;
  }

  #close(): void {
    this.#isClosed = true;
    this.#budget.give(this.#bytes, this.#holder);
    this.#bytes = 0;
  }
}

/** Sends responses: counted while they are held, with an ETag, compressed, and at a minimum pace. */
export class Responses {
  readonly #bytes: ByteBudget;
  readonly #compressor: Compressor;
  readonly #pace: Pace;

  constructor(bytes: ByteBudget, compressor: Compressor, pace: Pace) {
    this.#bytes = bytes;
    this.#compressor = compressor;
    this.#pace = pace;
  }

  reservation(request: FastifyRequest, response: ServerResponse): Reservation {
    return new Reservation(this.#bytes, request, response);
  }

  /** Reserves the bytes first, so that a refusal has none of the response's headers. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    response: HttpResponse,
    form: Form,
    { reservation, bill }: { reservation: Reservation; bill: Bill },
  ): Promise<FastifyReply | undefined> {
    const { body: given } = response;
    const body = typeof given === 'string' && given.length < LONG_TEXT_CHARS ? given : await serialize(given);
    if (body instanceof Readable) holdStream(body, response, reservation);
    else if (body !== undefined) {
      const bytes = body.length >= COUNTED_FROM_BYTES ? Buffer.byteLength(body) : body.length;
      if (bytes >= COUNTED_FROM_BYTES) reservation.atLeast(bytes);
      bill.spend({ bytes });
    }
    reply.code(response.status ?? form.status);
    if (response.headers) reply.headers(response.headers);
    if (body === undefined) return reply.send();
    if (response.headers?.['content-type'] === undefined) reply.type(form.contentType ?? 'application/json; charset=utf-8');
    if (body instanceof Readable) return this.#sendStream(request, reply, body, form, bill);
    if (isNotModified(request, reply, body)) return sendNotModified(request, reply);
    const encoding = body.length >= COMPRESSED_FROM_BYTES ? encodingOf(request, reply, form) : undefined;
    if (encoding || body.length >= COUNTED_FROM_BYTES)
      return this.#sendBody(request, reply, Buffer.isBuffer(body) ? body : Buffer.from(body), encoding, reservation);
    reply.send(body);
    // The response is sent by now. A returned reply is a thenable, for which each promise on the way would wait.
    return undefined;
  }

  async #sendBody(
    request: FastifyRequest,
    reply: FastifyReply,
    plain: Buffer,
    encoding: Encoding | undefined,
    reservation: Reservation,
  ): Promise<FastifyReply> {
    const compressed = encoding && (await this.#compressor.compress(encoding, plain));
    const bytes = compressed ?? plain;
    if (compressed) {
      reply.header('content-encoding', encoding);
      reservation.shrinkTo(bytes.length);
    }
    if (bytes.length <= SLICE_BYTES) return reply.send(bytes);
    this.#pace.watchResponse(request.raw.socket, reply.raw);
    return reply.header('content-length', bytes.length).send(Readable.from(slicesOf(bytes)));
  }

  #sendStream(request: FastifyRequest, reply: FastifyReply, stream: Readable, form: Form, bill: Bill): FastifyReply {
    if (reply.getHeader('content-type') === EVENT_STREAM) return reply.send(stream);
    this.#pace.watchResponse(request.raw.socket, reply.raw);
    // A stream of known length is a file, which is sent uncompressed and counted by quotas.
    if (reply.hasHeader('content-length')) return reply.send(stream);
    const charged = bill.chargeStream(stream);
    const encoding = encodingOf(request, reply, form);
    const compressed = encoding && this.#compressor.compressStream(encoding, charged);
    if (compressed) reply.header('content-encoding', encoding);
    return reply.send(compressed ?? charged);
  }
}

function holdStream(stream: Readable, { headers }: HttpResponse, reservation: Reservation): void {
  // An event stream holds one event at most.
  if (headers?.['content-type'] === EVENT_STREAM) return;
  try {
    reservation.atLeast(STREAM_BYTES);
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

function isNotModified({ method, headers }: FastifyRequest, reply: FastifyReply, body: string | Buffer): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || reply.statusCode !== 200) return false;
  if (!reply.hasHeader('etag')) reply.header('etag', entityTag(body));
  return isUnchanged(headers['if-none-match'], String(reply.getHeader('etag')));
}

function sendNotModified({ method }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.code(304).removeHeader('content-type').removeHeader('content-encoding');
  // For HEAD, Fastify would send a Content-Length of 0 instead of the resource's.
  return method === 'HEAD' ? reply.send(Readable.from([])) : reply.send();
}

function encodingOf({ headers }: FastifyRequest, reply: FastifyReply, { isCompressed }: Form): Encoding | undefined {
  if (!isCompressed || reply.hasHeader('content-encoding') || !isCompressible(reply.getHeader('content-type'))) return undefined;
  reply.header('vary', 'accept-encoding');
  return encodingFor(headers['accept-encoding'], PREFERRED);
}

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}
