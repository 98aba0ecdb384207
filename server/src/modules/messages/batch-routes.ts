import { Type } from 'typebox';
import { PromiseSchema, SummarySchema } from '../../contract/envelope.ts';
import { errorCodes } from '../../contract/errors.ts';
import {
  BATCH_REQUEST_MAX_BYTES,
  BATCH_REQUEST_MAX_MESSAGES,
  BATCH_REQUEST_PREPARED_AT_ONCE,
  IDEMPOTENCY_WINDOW_HOURS,
} from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor, type KeyCall } from '../../http/endpoint.ts';
import { refusalOf } from '../../http/error-response.ts';
import { Breaks } from '../../platform/fairness/breaks.ts';
import type { LogPromise } from '../promises/certified-key.ts';
import { refuseSignature } from '../signatures/check-signature.ts';
import { BATCH_KEY_MAX_CHARS, type BatchItem, BatchRequestSchema, readBatch } from './batch-request.ts';
import { summaryOf } from './envelopes.ts';
import { idempotencyKeyOf, type SendingServices } from './message-requests.ts';
import { promiseOf } from './promise-requests.ts';
import { type Sender, type Sent, sendMessage } from './send-message.ts';

const OutcomeSchema = Type.Object(
  {
    status: Type.Integer({ description: 'The status that a request for this message alone would have got: 201 if it was delivered.' }),
    message: Type.Union([SummarySchema, Type.Null()], { description: 'The message, without its `json`. Null if it was refused.' }),
    error: Type.Union(
      [
        Type.Object({
          code: Type.Enum(errorCodes),
          message: Type.String(),
          details: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
        }),
        Type.Null(),
      ],
      { description: 'Why it was refused, with paths inside the message; null if it was delivered.' },
    ),
    retry_after: Type.Union([Type.Integer(), Type.Null()], { description: 'Seconds after which to send it again, where that is known.' }),
    idempotent_replayed: Type.Boolean({ description: 'The message was sent before with this key, and this is the original.' }),
    idempotent_body_differs: Type.Boolean({ description: 'It was another message that was sent before with this key.' }),
    promise: Type.Optional(PromiseSchema),
  },
  { $id: 'BatchOutcome', ...closed },
);

export const sendBatch = endpointsFor<SendingServices>().endpoint({
  summary: `Send up to ${BATCH_REQUEST_MAX_MESSAGES} messages`,
  description:
    'Each message has its own outcome, in the order of the request: one that is refused stops no other. They enter your outbox in this order, too. Each counts as a request. To repeat the request is harmless if it has an Idempotency-Key, or each message has one.',
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: BATCH_KEY_MAX_CHARS,
        description: `For messages without a key of their own: with \`/\` and the index of the message, from 0, it is the message’s key for ${IDEMPOTENCY_WINDOW_HOURS} hours.`,
      }),
    ),
  }),
  body: BatchRequestSchema,
  readsRawBody: true,
  bodyMaxBytes: BATCH_REQUEST_MAX_BYTES,
  success: {
    status: 200,
    description: 'What became of each message.',
    schema: Type.Object({ data: Type.Array(OutcomeSchema) }, closed),
  },
  errors: ['validation_error', 'party_required', 'invalid_signature', 'invalid_json', 'json_too_large', 'unsupported_media_type'],
  handle: async (context, call) => ({ body: await handleBatch(context, call) }),
});

async function handleBatch(context: SendingServices, call: KeyCall): Promise<string> {
  const { caller, request, rawBody, reserve, spend } = call;
  refuseSignature(request, 'A batch can’t be signed. Send signed messages one by one.');
  const key = idempotencyKeyOf(request.headers['idempotency-key'], BATCH_KEY_MAX_CHARS);
  reserve(rawBody.length);
  const items = await readBatch(rawBody, key);
  spend({ requests: items.length - 1 });
  const sender = { party: caller.business, actor: caller.actor, spend };
  const outcomes = await sendTogether(context, sender, items);
  // All at once, so that they share a signature.
  const promises = await Promise.all(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? promiseOf(context, caller.business.id, outcome.value) : undefined)),
  );
  const breaks = new Breaks();
  const texts: string[] = [];
  for (const [i, outcome] of outcomes.entries()) {
    await breaks.takeIfDue();
    texts.push(
      outcome.status === 'fulfilled'
        ? await deliveredText(context, caller.business.id, outcome.value, promises[i])
        : refusedText(outcome.reason, call),
    );
  }
  return `{"data":[${texts.join(',')}]}`;
}

/**
 * All messages are prepared, a few at a time, before the first one is committed. So they enter the ledger in their order, and most often in one
 * transaction.
 */
async function sendTogether(context: SendingServices, sender: Sender, items: readonly BatchItem[]): Promise<PromiseSettledResult<Sent>[]> {
  const turns = items.map(() => Promise.withResolvers<void>());
  const sending: Promise<Sent>[] = [];
  const left = items.entries();
  const breaks = new Breaks();
  const prepareNext = async () => {
    for (const [i, { read, idempotencyKey }] of left) {
      await breaks.takeIfDue();
      await new Promise<unknown>((goOn) => {
        const whenPrepared = () => {
          goOn(undefined);
          return turns[i]?.promise ?? Promise.resolve();
        };
        const sent = sendMessage(context, sender, read, idempotencyKey, whenPrepared);
        sending[i] = sent;
        sent.then(goOn, goOn);
      });
    }
  };
  await Promise.all(Array.from({ length: BATCH_REQUEST_PREPARED_AT_ONCE }, prepareNext));
  for (const { resolve } of turns) resolve();
  return Promise.allSettled(sending);
}

async function deliveredText(
  context: SendingServices,
  readerId: bigint,
  { message, isReplayed, differs }: Sent,
  promise: LogPromise | undefined,
): Promise<string> {
  const jsonBytes = message.json === null ? null : Buffer.byteLength(message.json);
  const summary = await summaryOf({ ...message, jsonBytes }, context, readerId);
  const promised = promise ? `,"promise":${promise.json}` : '';
  return `{"status":201,"message":${summary},"error":null,"retry_after":null,"idempotent_replayed":${isReplayed},"idempotent_body_differs":${differs}${promised}}`;
}

function refusedText(error: unknown, { request }: KeyCall): string {
  const { status, code, message, details, headers } = refusalOf(error, request);
  return JSON.stringify({
    status,
    message: null,
    error: { code, message, ...(details && { details }) },
    retry_after: headers['retry-after'] === undefined ? null : Number(headers['retry-after']),
    idempotent_replayed: false,
    idempotent_body_differs: false,
  });
}
