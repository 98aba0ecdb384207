import { WaybillError } from './errors.ts';
import { JsonText } from './json-text.ts';
import { backoffMs, pause } from './pause.ts';
import { randomKey } from './random-key.ts';
import type { BatchOutcome, EnvelopeSummary } from './schema.ts';
import { bodyOf, type SendRequest, type SentFile } from './send.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** A message of `sendMany`. Give each an idempotency key, such as an order number, and the whole can be repeated after a crash. */
export type ManyRequest = SendRequest & { idempotencyKey?: string | undefined };

/** What became of one message of `sendMany`. */
export interface SendOutcome<Request extends ManyRequest = ManyRequest> {
  request: Request;
  /** The message without its JSON. Undefined if it was refused. */
  message: EnvelopeSummary | undefined;
  error: WaybillError | undefined;
  /** Whether an earlier request with the same idempotency key had sent the message, so that this request sent nothing. */
  isReplayed: boolean;
  /** Whether that earlier request is known to have asked for another message. */
  bodyDiffers: boolean;
  /** The signed promise that the message will be in the log. */
  promise: string | undefined;
}

/** The limits of a batch request. Its frame takes some bytes, too. */
const BATCH_MAX_MESSAGES = 100;
const BATCH_MAX_BYTES = 4 * 1_048_576 - 1_024;

interface Prepared<Request extends ManyRequest> {
  request: Request;
  text: string;
  bytes: number;
}

/** Sends a hundred messages with each request. Outcomes come in the order of the messages. */
export async function* sendMany<Request extends ManyRequest>(
  transport: Transport,
  upload: (files: SendRequest['files']) => Promise<SentFile[]>,
  requests: Iterable<Request> | AsyncIterable<Request>,
  options: RequestOptions,
): AsyncGenerator<SendOutcome<Request>, void> {
  let batch: Prepared<Request>[] = [];
  let bytes = 0;
  for await (const request of requests) {
    const next = prepare(request, await upload(request.files));
    if (batch.length === BATCH_MAX_MESSAGES || bytes + next.bytes > BATCH_MAX_BYTES) {
      yield* await sendBatch(transport, batch, options);
      batch = [];
      bytes = 0;
    }
    batch.push(next);
    bytes += next.bytes;
  }
  yield* await sendBatch(transport, batch, options);
}

function prepare<Request extends ManyRequest>(request: Request, files: readonly SentFile[]): Prepared<Request> {
  const { idempotencyKey = randomKey(), ...fields } = request;
  const body = bodyOf(fields as SendRequest, files).text;
  const text = `{"idempotency_key":${JSON.stringify(idempotencyKey)},${body.slice(1)}`;
  return { request, text, bytes: new TextEncoder().encode(text).length + 1 };
}

/** Messages for which the service had no room at the moment are sent again. */
async function sendBatch<Request extends ManyRequest>(
  transport: Transport,
  batch: readonly Prepared<Request>[],
  options: RequestOptions,
): Promise<SendOutcome<Request>[]> {
  const outcomes = new Map<Prepared<Request>, BatchOutcome>();
  let waiting = [...batch];
  for (let failures = 1; waiting.length > 0; failures++) {
    const body = new JsonText(`{"messages":[${waiting.map(({ text }) => text).join(',')}]}`);
    // Each message has a key, so a repeat is harmless.
    const { data } = JSON.parse(await transport.text('POST /v1/messages/batch', { body }, { ...options, isRepeatable: true }));
    const latest: BatchOutcome[] = data;
    for (const [i, one] of waiting.entries()) outcomes.set(one, latest[i] as BatchOutcome);
    waiting = waiting.filter((_, i) => (latest[i]?.status ?? 0) >= 500);
    if (waiting.length === 0 || failures > transport.maxRetries) break;
    await pause(backoffMs(failures, Math.max(...latest.map(({ retry_after }) => retry_after ?? 0))), options.signal);
  }
  return [...outcomes].map(([{ request }, outcome]) => outcomeOf(request, outcome));
}

function outcomeOf<Request extends ManyRequest>(request: Request, outcome: BatchOutcome): SendOutcome<Request> {
  const { status, message, error, retry_after, idempotent_replayed: isReplayed, idempotent_body_differs: bodyDiffers, promise } = outcome;
  const origin = { status, details: error?.details, retryAfterS: retry_after ?? undefined };
  return {
    request,
    message: message ?? undefined,
    error: error ? new WaybillError(error.code, error.message, origin) : undefined,
    isReplayed,
    bodyDiffers,
    promise,
  };
}
