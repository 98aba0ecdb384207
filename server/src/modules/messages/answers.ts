import { type Business, isBusiness } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { findAnswer } from './answer-store.ts';
import { findJoined, joinThread } from './join-store.ts';

export interface AnswerServices {
  database: Database;
  parties: PartyDirectory;
}

export interface Told {
  email: string;
  business: Business;
  threadId: string;
}

/** No mailbox: of a thread that has joined a business, what answers the part that went along. */
const ANSWERS_ALONE = '';

/**
 * Who began the thread in which a party without a handle was answered. Undefined when there is nobody to tell: the answer
 * has joined a business along with what it answers, or does so now because it was on its way meanwhile.
 */
export async function whomToTell({ database, parties }: AnswerServices, partyId: bigint, messageId: string): Promise<Told | undefined> {
  const answer = await findAnswer(database, partyId, messageId);
  if (!answer) return undefined;
  const { threadId, inReplyTo, businessId, email } = answer;
  const joined = inReplyTo === null ? undefined : await findJoined(database, partyId, threadId, inReplyTo);
  if (joined !== undefined) {
    await joinThread(database, partyId, threadId, joined, ANSWERS_ALONE);
    return undefined;
  }
  const business = await parties.byId(businessId);
  return business && isBusiness(business) && email !== null ? { email, business, threadId } : undefined;
}
