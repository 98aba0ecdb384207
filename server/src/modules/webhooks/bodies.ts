import { type EnvelopeServices, receivedEnvelopes } from '../messages/envelopes.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import type { Lane, LeasedAttempt } from './lane.ts';
import { sampleEnvelope } from './sample.ts';

export interface BodyServices extends EnvelopeServices {
  parties: PartyDirectory;
}

type BodyOf = Pick<LeasedAttempt, 'messageId' | 'event' | 'createdMs'> & { lane: Pick<Lane, 'partyId'> };

/** The body of each attempt, or undefined where the message or its recipient is gone. */
export async function bodiesOf(attempts: readonly BodyOf[], services: BodyServices): Promise<(Buffer | undefined)[]> {
  const real = attempts.filter(({ event }) => event !== 'message.test');
  const wanted = real.map(({ lane, messageId }) => ({ partyId: lane.partyId, messageId }));
  const received = (await receivedEnvelopes(services, wanted)).values();
  const bodies: (Buffer | undefined)[] = [];
  for (const attempt of attempts) {
    const envelope = attempt.event === 'message.test' ? await sampleFor(attempt, services) : received.next().value;
    bodies.push(envelope === undefined ? undefined : Buffer.from(envelope));
  }
  return bodies;
}

async function sampleFor({ lane, messageId, createdMs }: BodyOf, services: BodyServices): Promise<string | undefined> {
  const business = await services.parties.byId(lane.partyId);
  return business && sampleEnvelope(messageId, business, createdMs, services.publicUrl);
}
