import { type Message, readMessage } from './message.ts';
import type { AcknowledgedMessage, UpdatedThread, Webhook } from './schema.ts';

export interface WebhookDelivery {
  /** The secret of the webhook, `whsec_…`, or its public key, `whpk_…`. Give several while you rotate. */
  key: string | readonly string[];
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as received, before any parser. */
  body: string | Uint8Array | ArrayBuffer;
  /** The maximum difference between the time of the signature and now, in seconds. The default is 300. */
  toleranceS?: number | undefined;
}

interface Told {
  /** The id to deduplicate by: of a message its id, otherwise an `evt_…` id. */
  id: string;
  /**
   * The event in the header, such as `message.received` or `thread.updated`. The header is not signed. Use `kind`, which follows from the
   * body.
   */
  event: string;
  /** Whether you asked to redeliver or recover the message. */
  isReplay: boolean;
  /** The body as received. */
  bodyText: string;
}

/** The content of a delivery, by the kind of its body. */
export type WebhookEvent = Told &
  (
    | ({ kind: 'message'; message: Message } & Partial<Record<'thread' | 'webhook' | 'acknowledged', undefined>>)
    | ({ kind: 'thread'; thread: UpdatedThread } & Partial<Record<'message' | 'webhook' | 'acknowledged', undefined>>)
    | ({ kind: 'webhook'; webhook: Webhook } & Partial<Record<'message' | 'thread' | 'acknowledged', undefined>>)
    | ({ kind: 'acknowledgement'; acknowledged: AcknowledgedMessage } & Partial<Record<'message' | 'thread' | 'webhook', undefined>>)
    /** An event of a later version of the service. */
    | ({ kind: 'unknown' } & Partial<Record<'message' | 'thread' | 'webhook' | 'acknowledged', undefined>>)
  );

export type WebhookFault = 'missing_headers' | 'too_old_or_new' | 'wrong_signature';

/** Thrown if the delivery is not from Waybill, or not for this webhook. Respond with 400, and do nothing with the body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookFault;
  constructor(code: WebhookFault, message: string) {
    super(message);
    this.code = code;
  }
}

const SECRET = 'whsec_';
const PUBLIC_KEY = 'whpk_';
const TOLERANCE_S = 300;
const SIGNATURES_MAX = 20;

/** Returns the event of a delivery with a genuine and recent signature. Throws a WebhookVerificationError for all others. */
export async function verifyWebhook({ key, headers, body, toleranceS = TOLERANCE_S }: WebhookDelivery): Promise<WebhookEvent> {
  const [id, time, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerIn(headers, name));
  if (!id || !time || !given)
    throw new WebhookVerificationError('missing_headers', 'webhook-id, webhook-timestamp or webhook-signature is missing.');
  if (!/^\d{1,12}$/.test(time) || Math.abs(Date.now() / 1_000 - Number(time)) > toleranceS)
    throw new WebhookVerificationError('too_old_or_new', `The signature is not from the last ${toleranceS} seconds. Check your clock.`);
  const bytes = bytesOf(body);
  const signed = joined(new TextEncoder().encode(`${id}.${time}.`), bytes);
  const signatures = given.split(' ', SIGNATURES_MAX);
  for (const one of typeof key === 'string' ? [key] : key)
    for (const signature of signatures)
      if (await isGenuine(one, signature, signed)) {
        const isReplay = headerIn(headers, 'waybill-replay') === 'true';
        return eventIn({ id, event: headerIn(headers, 'waybill-event') ?? '', isReplay, bodyText: new TextDecoder().decode(bytes) });
      }
  throw new WebhookVerificationError('wrong_signature', 'No signature is genuine. Check the secret, and that the body is as it came.');
}

/** The kind follows from the body, which is signed. */
function eventIn(told: Told): WebhookEvent {
  const body: { id?: unknown; acknowledgements?: unknown } = JSON.parse(told.bodyText);
  if (Array.isArray(body.acknowledgements)) return { ...told, kind: 'acknowledgement', acknowledged: JSON.parse(told.bodyText) };
  const prefix = String(body.id).split('_', 1)[0];
  if (prefix === 'msg') return { ...told, kind: 'message', message: readMessage(told.bodyText) };
  if (prefix === 'thr') return { ...told, kind: 'thread', thread: JSON.parse(told.bodyText) };
  return prefix === 'wh' ? { ...told, kind: 'webhook', webhook: JSON.parse(told.bodyText) } : { ...told, kind: 'unknown' };
}

/** The headers of a delivery signed with this secret, to test a receiver. */
export async function signWebhook(
  secret: string,
  { id, body, timestampS = Math.floor(Date.now() / 1_000) }: { id: string; body: string | Uint8Array; timestampS?: number },
): Promise<Record<string, string>> {
  const bytes = bytesOf(body);
  const text = (value: string) => new TextEncoder().encode(value);
  const own = await sign(text(secret), joined(text(`${timestampS}.`), bytes));
  const standard = await sign(keyBytes(secret, SECRET), joined(text(`${id}.${timestampS}.`), bytes));
  return {
    'waybill-signature': `t=${timestampS},v1=${[...own].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...standard))}`,
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

async function isGenuine(key: string, signature: string, signed: Bytes): Promise<boolean> {
  const [version, value = ''] = signature.split(',', 2);
  const isPublic = key.startsWith(PUBLIC_KEY);
  if (version !== (isPublic ? 'v1a' : 'v1') || !/^[\w+/]+={0,2}$/.test(value)) return false;
  const algorithm = isPublic ? 'Ed25519' : { name: 'HMAC', hash: 'SHA-256' };
  const raw = keyBytes(key, isPublic ? PUBLIC_KEY : SECRET);
  const imported = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  // Web Crypto compares in constant time.
  return crypto.subtle.verify(isPublic ? 'Ed25519' : 'HMAC', imported, decoded(value), signed);
}

async function sign(key: Bytes, signed: Bytes): Promise<Bytes> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, signed));
}

function keyBytes(key: string, prefix: string): Bytes {
  const bytes = key.startsWith(prefix) ? decoded(key.slice(prefix.length)) : new Uint8Array();
  if (bytes.byteLength === 0) throw new TypeError('The key must be the secret of the webhook, whsec_…, or its public key, whpk_….');
  return bytes;
}

function headerIn(headers: WebhookDelivery['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.join(' ');
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : new Uint8Array(body);
}

function joined(start: Uint8Array, rest: Uint8Array): Bytes {
  const bytes = new Uint8Array(start.byteLength + rest.byteLength);
  bytes.set(start);
  bytes.set(rest, start.byteLength);
  return bytes;
}

/** Returns an empty array for a text that is not base64. */
function decoded(base64: string): Bytes {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
