import { ApiError, call } from './client.ts';
import { inTurn, put } from './put.ts';
import type { PartTickets } from './schema.ts';

/** The door for a business, or for a person without a handle. */
export type Door = '/v1/uploads' | '/v1/drops/uploads';

type Ticket = PartTickets['parts'][number];

const PARTS_AT_ONCE = 3;
const TICKETS_AT_ONCE = 20;
/** Signed URLs are valid for an hour. Half of that leaves time for a slow upload part to start. */
const TICKET_USED_WITHIN_MS = 30 * 60_000;

interface PartedUpload {
  door: Door;
  id: string;
  file: File;
  signal: AbortSignal;
  persist<T>(run: () => Promise<T>): Promise<T>;
  onSent(count: number): void;
}

export async function sendParts({ door, id, file, signal, persist, onSent }: PartedUpload): Promise<void> {
  const upload = await persist(() => call(`GET ${door}/{id}`, { path: { id } }, { signal }));
  // Only uploads in parts come here.
  if (upload.complete || !('part_size_bytes' in upload)) return;
  const each = upload.part_size_bytes;
  const bytesOf = (number: number) => file.slice((number - 1) * each, number * each);
  const numbers = Array.from({ length: Math.max(1, Math.ceil(file.size / each)) }, (_, index) => index + 1);
  const sent = new Map(upload.arrived_parts.map((number) => [number, bytesOf(number).size]));
  const missing = numbers.filter((number) => !sent.has(number));
  const tickets = new Tickets(door, id, missing, signal);
  const note = (number: number, count: number) => {
    sent.set(number, count);
    onSent([...sent.values()].reduce((sum, part) => sum + part, 0));
  };
  const sendPart = async (number: number) => {
    const { url, headers } = await tickets.take(number);
    try {
      await put({ url, headers, bytes: bytesOf(number), signal, onSent: (count) => note(number, count) });
    } catch (error) {
      note(number, 0);
      throw error;
    }
    note(number, bytesOf(number).size);
  };
  const sendSome = async () => {
    for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
      const next = number;
      await persist(() => inTurn(signal, () => sendPart(next)).catch(asExpired));
    }
  };
  onSent([...sent.values()].reduce((sum, part) => sum + part, 0));
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendSome));
  await persist(() => call(`POST ${door}/{id}/complete`, { path: { id } }, { signal }));
}

/** A 403 means that the signed URL has expired, as on a computer that slept. The retry gets a new one. */
function asExpired(error: unknown): never {
  throw error instanceof ApiError && error.status === 403 ? new ApiError(0, { message: error.message }, null) : error;
}

/** Signed URLs of upload parts. Each is used once, so that a retry always has a fresh one. */
class Tickets {
  readonly #door: Door;
  readonly #id: string;
  /** The parts to be sent. The array shrinks as they are taken. */
  readonly #missing: readonly number[];
  readonly #signal: AbortSignal;
  readonly #known = new Map<number, Ticket & { until: number }>();

  constructor(door: Door, id: string, missing: readonly number[], signal: AbortSignal) {
    this.#door = door;
    this.#id = id;
    this.#missing = missing;
    this.#signal = signal;
  }

  async take(number: number): Promise<Ticket> {
    const known = this.#known.get(number);
    if (!known || known.until < performance.now()) await this.#ask(number);
    const ticket = this.#known.get(number) as Ticket & { until: number };
    this.#known.delete(number);
    return ticket;
  }

  async #ask(number: number): Promise<void> {
    const numbers = [number, ...this.#missing.filter((other) => !this.#known.has(other)).slice(0, TICKETS_AT_ONCE - 1)];
    const until = performance.now() + TICKET_USED_WITHIN_MS;
    const options = { signal: this.#signal };
    const { parts } = await call(`POST ${this.#door}/{id}/parts`, { path: { id: this.#id }, body: { numbers } }, options);
    for (const part of parts) this.#known.set(part.number, { ...part, until });
  }
}
