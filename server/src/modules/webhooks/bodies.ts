import { acknowledgedMessage } from '../acknowledgements/acknowledgements.ts';
import { type EnvelopeServices, receivedEnvelopes } from '../messages/envelopes.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { updatedThread } from '../threads/updated-thread.ts';
import type { Lane, LeasedAttempt } from './lane.ts';
import { sampleEnvelope } from './sample.ts';
import { findWebhook } from './store.ts';
import { webhookView } from './webhook-view.ts';

export interface BodyServices extends EnvelopeServices {
  parties: PartyDirectory;
}

type BodyOf = Pick<LeasedAttempt, 'messageId' | 'event' | 'subjectId' | 'createdMs'> & { lane: Pick<Lane, 'partyId'> };

/** Bodies that are no envelope of a message, by event. */
const MADE: Partial<Record<BodyOf['event'], (attempt: BodyOf, services: BodyServices) => Promise<string | undefined>>> = {
  'message.test': async ({ lane, messageId, createdMs }, services) => {
    const business = await services.parties.byId(lane.partyId);
    return business && sampleEnvelope(messageId, business, createdMs, services.publicUrl);
  },
  'thread.updated': ({ lane, subjectId }, services) => updatedThread(services, lane.partyId, subjectId ?? ''),
  'message.acknowledged': ({ lane, subjectId }, { database }) => acknowledgedMessage(database, lane.partyId, subjectId ?? ''),
  'webhook.paused': async ({ lane, subjectId }, { database }) => {
    const webhook = await findWebhook(database.of(lane.partyId), lane.partyId, subjectId ?? '');
    return webhook && JSON.stringify(webhookView(webhook));
  },
};

/** The body of each attempt, or undefined where what it is about is gone. */
export async function bodiesOf(attempts: readonly BodyOf[], services: BodyServices): Promise<(Buffer | undefined)[]> {
  const ofMessages = attempts.filter(({ event }) => MADE[event] === undefined);
  const wanted = ofMessages.map(({ lane, messageId, subjectId }) => ({ partyId: lane.partyId, messageId: subjectId ?? messageId }));
  const envelopes = (await receivedEnvelopes(services, wanted)).values();
  const bodies: (Buffer | undefined)[] = [];
  for (const attempt of attempts) {
    const make = MADE[attempt.event];
    const body = make ? await make(attempt, services) : envelopes.next().value;
    bodies.push(body === undefined ? undefined : Buffer.from(body));
  }
  return bodies;
}
