import { personEndpoint } from '../../context.ts';
import { announceShape, answerAnnouncement } from '../files/announcement.ts';
import { answerParts, answerProgress, completeShape, partsShape, showShape } from '../files/parts-requests.ts';
import { answerSend, sendShape } from '../messages/send-request.ts';
import { dropSender } from './drop.ts';

export const send = personEndpoint({
  summary: 'Send a message as a person without a handle',
  description:
    'What a drop page does: `to` is the business, the sender is the organisation or mailbox that the person has proved to write for. Whoever belongs to a business sends with POST /v1/messages.',
  ...sendShape,
  errors: [...sendShape.errors, 'party_required', 'conflict'],
  handle: async (context, call) => answerSend(context, await dropSender(context, call.person), call),
});

export const announce = personEndpoint({
  summary: 'Announce a file, as a person without a handle',
  ...announceShape,
  errors: [...announceShape.errors, 'party_required'],
  handle: async (context, { person, body }) => answerAnnouncement(context, (await dropSender(context, person)).party, body),
});

export const showUpload = personEndpoint({
  ...showShape,
  summary: `${showShape.summary}, as a person without a handle`,
  errors: [...showShape.errors, 'party_required'],
  handle: async (context, { person, params }) => {
    const { party } = await dropSender(context, person);
    return answerProgress(await context.partedUploads.show(party, params.id));
  },
});

export const parts = personEndpoint({
  ...partsShape,
  summary: `${partsShape.summary}, as a person without a handle`,
  errors: [...partsShape.errors, 'party_required'],
  handle: async (context, { person, params, body }) =>
    answerParts(context.partedUploads, (await dropSender(context, person)).party, params.id, body),
});

export const complete = personEndpoint({
  ...completeShape,
  summary: `${completeShape.summary}, as a person without a handle`,
  errors: [...completeShape.errors, 'party_required'],
  handle: async (context, { person, params }) => {
    const { party } = await dropSender(context, person);
    return answerProgress(await context.partedUploads.complete(party, params.id));
  },
});
