import { Breaks } from '../../platform/fairness/breaks.ts';
import { type EnvelopeServices, receivedEnvelopes } from '../messages/envelopes.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import type { Lane, LeasedAttempt } from './lane.ts';
import { sampleEnvelope } from './sample.ts';
import { findWebhook } from './store.ts';
import { webhookView } from './webhook-view.ts';

export interface BodyServices extends EnvelopeServices {
  parties: PartyDirectory;
  eventBodies: Partial<Record<LeasedAttempt['event'], EventBody>>;
}

/** Makes the body of a party's event about a subject. Undefined: the subject is gone. */
type EventBody = (
  services: EnvelopeServices & { parties: PartyDirectory },
  partyId: bigint,
  subjectId: string,
) => Promise<string | undefined>;

type BodyOf = Pick<LeasedAttempt, 'messageId' | 'event' | 'subjectId' | 'createdMs'> & { lane: Pick<Lane, 'partyId'> };

const MADE: Partial<Record<BodyOf['event'], (attempt: BodyOf, services: BodyServices) => Promise<string | undefined>>> = {
  'message.test': async ({ lane, messageId, createdMs }, services) => {
    const business = await services.parties.byId(lane.partyId);
    return business && sampleEnvelope(messageId, business, createdMs, services.publicUrl);
  },
  'webhook.paused': async ({ lane, subjectId }, { database }) => {
    const webhook = await findWebhook(database.of(lane.partyId), lane.partyId, subjectId ?? '');
    return webhook && JSON.stringify(webhookView(webhook));
  },
};

/** Takes breaks for other requests: hundreds of large bodies may be made at once. */
export async function bodiesOf(attempts: readonly BodyOf[], services: BodyServices): Promise<(Buffer | undefined)[]> {
  const { eventBodies } = services;
  const ofMessages = attempts.filter(({ event }) => !(event in MADE || event in eventBodies));
  const wanted = ofMessages.map(({ lane, messageId, subjectId }) => ({ partyId: lane.partyId, messageId: subjectId ?? messageId }));
  const envelopes = (await receivedEnvelopes(services, wanted)).values();
  const bodies: (Buffer | undefined)[] = [];
  const breaks = new Breaks();
  for (const attempt of attempts) {
    await breaks.takeIfDue();
    const { event, lane, subjectId } = attempt;
    const made = MADE[event]?.(attempt, services) ?? eventBodies[event]?.(services, lane.partyId, subjectId ?? '');
    const body = made ? await made : envelopes.next().value;
    bodies.push(body === undefined ? undefined : Buffer.from(body));
  }
  return bodies;
}
