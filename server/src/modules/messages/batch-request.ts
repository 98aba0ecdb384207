import { type Static, Type } from 'typebox';
import { invalid, Refusal } from '../../contract/errors.ts';
import { BATCH_REQUEST_MAX_MESSAGES, BODY_MAX_BYTES, IDEMPOTENCY_KEY_MAX_CHARS } from '../../contract/limits.ts';
import { bodyCheck } from '../../contract/validation.ts';
import { Breaks } from '../../platform/fairness/breaks.ts';
import { invalidJson } from '../../platform/json/json-fault.ts';
import { type ItemsEnd, scanItems, type WrittenValue } from '../../platform/json/lossless-json.ts';
import { readFields } from '../../platform/json/written-fields.ts';
import { IDEMPOTENCY_KEY } from './message-requests.ts';
import { type SendRequest, SendRequestSchema, sendRequestOf } from './send-request.ts';

const BatchMessageSchema = Type.Object(
  {
    ...SendRequestSchema.properties,
    idempotency_key: Type.Optional(
      Type.Union([Type.String({ pattern: IDEMPOTENCY_KEY.source }), Type.Null()], {
        description:
          'The key of this message. Without one, it is the Idempotency-Key of the request, `/` and the message’s index, if the request has one.',
      }),
    ),
  },
  { $id: 'BatchMessage', additionalProperties: false, description: 'A message of a batch: the fields of a single send, and its own key.' },
);

export const BatchRequestSchema = Type.Object(
  { messages: Type.Array(BatchMessageSchema, { minItems: 1, maxItems: BATCH_REQUEST_MAX_MESSAGES }) },
  { $id: 'BatchRequest', additionalProperties: false },
);

/** The index of the last message of a batch is added to the request's key. */
export const BATCH_KEY_MAX_CHARS = IDEMPOTENCY_KEY_MAX_CHARS - `/${BATCH_REQUEST_MAX_MESSAGES - 1}`.length;

export interface BatchItem {
  idempotencyKey: string | null;
  /** Throws the refusal of a message that has the wrong shape: it concerns no other message of the batch. */
  read(): SendRequest;
}

const checkBatch = bodyCheck(Type.Object({ messages: Type.Array(Type.Unknown()) }, { additionalProperties: false }));
const checkMessage = bodyCheck(BatchMessageSchema, ['json']);

/** Reads each message on its own: one of the wrong shape is refused alone. Takes breaks, because a batch may take long to read. */
export async function readBatch(body: Buffer, keyOfRequest: string | null): Promise<BatchItem[]> {
  const items: BatchItem[] = [];
  const breaks = new Breaks();
  const messages = scanItems(body, 'messages', BODY_MAX_BYTES);
  let next = messages.next();
  for (; !next.done; next = messages.next()) {
    if (items.length === BATCH_REQUEST_MAX_MESSAGES)
      throw invalid([{ path: '/messages', message: `must have at most ${BATCH_REQUEST_MAX_MESSAGES} messages` }]);
    await breaks.takeIfDue();
    items.push(readItem(next.value, keyOfRequest && `${keyOfRequest}/${items.length}`));
    await breaks.takeIfDue();
  }
  if (next.value !== 'end') refuseShape(body, next.value, items.length);
  if (items.length === 0) throw invalid([{ path: '/messages', message: 'must have at least one message' }]);
  return items;
}

function refuseShape(body: Buffer, end: Exclude<ItemsEnd, 'end'>, index: number): never {
  if (end === 'too large')
    throw new Refusal('json_too_large', `Message ${index} of the batch, counted from 0, has more than ${BODY_MAX_BYTES} bytes.`);
  if (end !== 'another shape') throw invalidJson(body, '', 'The body is not valid JSON in UTF-8.', end.fault);
  // A large body is not scanned for what exactly is wrong with it: that would hold the event loop.
  if (body.length <= BODY_MAX_BYTES) readFields(body, checkBatch, ['messages']);
  throw invalid([{ path: '', message: 'must have nothing but messages, an array' }]);
}

function readItem({ raw }: WrittenValue, keyByIndex: string | null): BatchItem {
  try {
    const { fields, written } = readFields<Static<typeof BatchMessageSchema>>(raw, checkMessage, ['json']);
    return { idempotencyKey: fields.idempotency_key ?? keyByIndex, read: () => sendRequestOf(fields, written('json')) };
  } catch (error) {
    return {
      idempotencyKey: keyByIndex,
      read: () => {
        throw error;
      },
    };
  }
}
