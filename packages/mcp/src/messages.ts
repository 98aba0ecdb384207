import { setImmediate } from 'node:timers/promises';
import { type Api, type EnvelopeFields, JsonText, type Waybill } from '@waybill/client';

/** A message with its JSON as it was sent; null without one. */
export type ReadMessage = EnvelopeFields & { jsonText: string | null };

export type LeasedMessage = Omit<Api.LeasedMessage, 'message'> & { message: ReadMessage };

export interface Lease {
  consumer: string;
  holder: string | undefined;
  lease_s: number;
  wait_s: number;
}

/** Beyond the time that a lease waits for a message. */
const LEASE_TIMEOUT_MS = 30_000;

export async function messageOf(waybill: Waybill, id: string, signal: AbortSignal): Promise<ReadMessage> {
  const text = await waybill.requestText('GET /v1/messages/{id}', { path: { id } }, { signal });
  const { jsonText, rest } = await withoutJson(text, 'json');
  return withJson(JSON.parse(rest), jsonText);
}

/** Leases one message. Undefined: none came in time. A lost response holds its message until the lease lapses. */
export async function leaseOne(waybill: Waybill, lease: Lease, signal: AbortSignal): Promise<LeasedMessage | undefined> {
  const { consumer: name, holder, lease_s, wait_s } = lease;
  const body = { limit: 1, lease_s, wait_s, ...(holder !== undefined && { holder }) };
  const options = { signal, timeoutMs: wait_s * 1_000 + LEASE_TIMEOUT_MS, isRepeatable: true };
  const text = await waybill.requestText('POST /v1/consumers/{name}/lease', { path: { name }, body }, options);
  const { jsonText, rest } = await withoutJson(text, 'data', 0, 'message', 'json');
  const page: { data: Api.LeasedMessage[] } = JSON.parse(rest);
  const [leased] = page.data;
  return leased && { ...leased, message: withJson(leased.message, jsonText) };
}

/**
 * JSON can have 1 MB. Parsed, it would be far larger, and its numbers would lose digits. Finding its end takes some milliseconds, so it is done
 * once, in a turn of the event loop of its own.
 */
async function withoutJson(text: string, ...path: (string | number)[]): Promise<{ jsonText: string | undefined; rest: string }> {
  await setImmediate();
  const taken = new JsonText(text).takeOut(...path);
  await setImmediate();
  return { jsonText: taken?.value, rest: taken?.rest ?? text };
}

/** A message without JSON has null in its place, and so has one whose JSON is null: only the latter has a hash. */
function withJson({ json: _, ...fields }: Api.Envelope, jsonText: string | undefined): ReadMessage {
  return { ...fields, jsonText: fields.json_sha256 === null ? null : (jsonText ?? null) };
}
