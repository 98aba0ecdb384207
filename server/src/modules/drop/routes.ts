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

export const DoorSchema = Type.Object(
  {
    to: PublicProfileSchema,
    sender: Type.Union([PartySchema, Type.Null()], { description: 'As whom you would write; null for nobody.' }),
    allowed: Type.Boolean({ description: 'Whether a drop would be taken now.' }),
    reason: Type.Union([Type.Object({ code: Type.Enum(errorCodes), message: Type.String() }, closed), Type.Null()], {
      description: 'What it would be refused with.',
    }),
  },
  { $id: 'Door', ...closed },
);

export const send = personEndpoint({
  summary: 'Send a message as a person without a handle',
  description:
    'What a drop page does: `to` is the business, the sender is the organisation or mailbox that the person has proved to write for. Whoever belongs to a business sends with POST /v1/messages.',
  ...sendShape,
  errors: [...sendShape.errors, 'conflict'],
  handle: async (context, call) => handleSend(context, await dropSender(context, call.person), call),
});

export const door = personEndpoint({
  summary: 'Whether you can write to a business without a handle, and as whom',
  description:
    'What a drop page shows before somebody writes. The same judges it as POST /v1/drops, and nothing is written. Limits of an account show when something is sent.',
  params: Type.Object({ handle: Type.String() }),
  success: { status: 200, description: 'The business, you, and whether a drop would be taken.', schema: DoorSchema },
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
