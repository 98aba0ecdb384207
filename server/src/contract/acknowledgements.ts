import { Type } from 'typebox';
import { ActorSchema, PartySchema } from './envelope.ts';
import { Refusal } from './errors.ts';
import { ACKNOWLEDGEMENT_REASON_MAX_CHARS } from './limits.ts';
import { closed } from './paging.ts';

export const ACKNOWLEDGEMENT_STATUSES = ['accepted', 'rejected', 'processed'] as const;
export type AcknowledgementStatus = (typeof ACKNOWLEDGEMENT_STATUSES)[number];

export const acknowledgementStatus = Type.Enum([...ACKNOWLEDGEMENT_STATUSES], {
  description: 'accepted: taken on, not finally. rejected, processed: finally.',
});

const reasonSchema = Type.Union([Type.String({ maxLength: ACKNOWLEDGEMENT_REASON_MAX_CHARS }), Type.Null()], {
  description: 'A text for the sender.',
});

/** What a recipient says of a message, on its own or together with a reply. */
export const saidFields = { status: acknowledgementStatus, reason: Type.Optional(reasonSchema) };

export interface SaidWithReply {
  status: AcknowledgementStatus;
  reason: string | null;
}

/** The refusal of an acknowledgement after another one. */
export function refuseContradiction(before: string, said: AcknowledgementStatus): never {
  throw new Refusal(
    'conflict',
    before === said
      ? `The message is ${before} already, with another reason.`
      : `The message is ${before} already, which can’t be changed to ${said}.`,
  );
}

export const AcknowledgementSchema = Type.Object(
  {
    status: acknowledgementStatus,
    reason: Type.Union([Type.String(), Type.Null()]),
    at: Type.String({ format: 'date-time' }),
    party: PartySchema,
    actor: ActorSchema,
    number: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Its number among all that the log has about the message: hand-overs, non-delivery and acknowledgements. Null if it is from before there were numbers.',
    }),
    signing_key_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The key that signed it, sgk_ id; null if it was not signed.',
    }),
  },
  { $id: 'Acknowledgement', ...closed },
);

export const HAND_OVER_WAYS = ['webhook', 'consumer'] as const;
export type HandOverWay = (typeof HAND_OVER_WAYS)[number];

export const HandOverSchema = Type.Object(
  {
    way: Type.Enum([...HAND_OVER_WAYS], {
      description: 'webhook: an endpoint responded with 2xx. consumer: a worker acknowledged the message to its consumer.',
    }),
    at: Type.String({ format: 'date-time' }),
    number: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Its number, as that of an acknowledgement. Null for about a second, and for hand-overs from before they were logged.',
    }),
  },
  {
    $id: 'HandOver',
    ...closed,
    description: 'The first time that a system of the recipient took the message. It says nothing of what becomes of the message.',
  },
);

export const NonDeliverySchema = Type.Object(
  { at: Type.String({ format: 'date-time' }), number: Type.Integer({ description: 'Its number, as that of an acknowledgement.' }) },
  { $id: 'NonDelivery', ...closed, description: 'Nobody took the message by its `expires_at`.' },
);

export const AcknowledgedMessageSchema = Type.Object(
  {
    message_id: Type.String({ description: 'msg_ id' }),
    thread_id: Type.String({ description: 'thr_ id' }),
    status: Type.Enum([...ACKNOWLEDGEMENT_STATUSES], { description: 'Of the latest acknowledgement.' }),
    acknowledgements: Type.Array(AcknowledgementSchema, { description: 'All of the message, the oldest first.' }),
  },
  { $id: 'AcknowledgedMessage', ...closed },
);
