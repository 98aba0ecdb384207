import { Type } from 'typebox';
import { PartySchema } from '../../contract/envelope.ts';
import { errorCodes } from '../../contract/errors.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { announceShape, handleAnnouncement } from '../files/announce-requests.ts';
import type { PartedUploads } from '../files/parted-uploads.ts';
import { completeShape, handleParts, handleShowUpload, partsShape, progressResponse, showShape } from '../files/upload-requests.ts';
import { handleSend, type SendingServices, sendShape } from '../messages/message-requests.ts';
import { claimedAs, PublicProfileSchema, profileView } from '../parties/profile.ts';
import type { UnclaimedServices } from '../parties/unclaimed.ts';
import { doorOf, dropSender } from './drop.ts';

const { personEndpoint } = endpointsFor<SendingServices & UnclaimedServices & { partedUploads: PartedUploads }>();

const DoorSchema = Type.Object(
  {
    to: PublicProfileSchema,
    sender: Type.Union([PartySchema, Type.Null()], { description: 'The party that you would write as; null if you can’t.' }),
    allowed: Type.Boolean({ description: 'Whether a drop would be accepted now.' }),
    reason: Type.Union([Type.Object({ code: Type.Enum(errorCodes), message: Type.String() }, closed), Type.Null()], {
      description: 'The error that a drop would get; null if it would be accepted.',
    }),
  },
  { $id: 'Door', ...closed },
);

export const send = personEndpoint({
  summary: 'Send a message as a person without a handle',
  description:
    'Drop pages use this endpoint: `to` is the business, and the sender is the organisation or mailbox that the person has proved to write for. Members of a business send with POST /v1/messages.',
  ...sendShape,
  handle: async (context, call) => handleSend(context, await dropSender(context, call.person), call),
});

export const door = personEndpoint({
  summary: 'Check whether you can write to a business without a handle, and as whom',
  description:
    'Drop pages show the result before you write. The checks are those of POST /v1/drops, without side effects and without the limits of an account.',
  params: Type.Object({ handle: Type.String() }),
  success: { status: 200, description: 'The business, you, and whether a drop would be accepted.', schema: DoorSchema },
  errors: ['not_found'],
  handle: async (context, { person, params }) => {
    const to = await claimedAs(context.parties, params.handle);
    const { sender, refusal } = await doorOf(context, person, to);
    const reason = refusal && { code: refusal.code, message: refusal.message };
    return { body: { to: profileView(to), sender, allowed: refusal === null, reason } };
  },
});

export const announce = personEndpoint({
  summary: 'Announce a file, as a person without a handle',
  ...announceShape,
  errors: [...announceShape.errors, 'party_required'],
  handle: async (context, { person, body }) => handleAnnouncement(context, (await dropSender(context, person)).party, body),
});

export const showUpload = personEndpoint({
  ...showShape,
  summary: `${showShape.summary}, as a person without a handle`,
  errors: [...showShape.errors, 'party_required'],
  handle: async (context, { person, params }) => handleShowUpload(context, (await dropSender(context, person)).party, params.id),
});

export const parts = personEndpoint({
  ...partsShape,
  summary: `${partsShape.summary}, as a person without a handle`,
  errors: [...partsShape.errors, 'party_required'],
  handle: async (context, { person, params, body }) =>
    handleParts(context.partedUploads, (await dropSender(context, person)).party, params.id, body),
});

export const complete = personEndpoint({
  ...completeShape,
  summary: `${completeShape.summary}, as a person without a handle`,
  errors: [...completeShape.errors, 'party_required'],
  handle: async (context, { person, params }) => {
    const { party } = await dropSender(context, person);
    return progressResponse(await context.partedUploads.complete(party, params.id));
  },
});
