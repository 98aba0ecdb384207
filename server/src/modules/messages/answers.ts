import { type Business, isBusiness } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { findReply } from './answer-store.ts';
import { findJoined, joinThread } from './join-store.ts';

export { noteNotice } from './answer-store.ts';

export interface AnswerServices {
  database: Database;
  parties: PartyDirectory;
}

export interface Told {
  email: string;
  /** Who has replied. */
  business: Business;
  /** In whose name the mailbox had written without being a member; undefined for those who have no handle. */
  writtenAs: Business | undefined;
  threadId: string;
  position: bigint;
}

/** No mailbox: of a thread that has joined a business, what answers the part that went along. */
const ANSWERS_ALONE = '';

/**
 * Who is told of a reply by mail: of a party without a handle, who began the thread; of a business, who wrote the message
 * replied to. Undefined when there is nobody to tell: the reply has joined a business along with what it replies to, or
 * does so now because it was on its way meanwhile.
 */
export async function whomToTell({ database, parties }: AnswerServices, partyId: bigint, messageId: string): Promise<Told | undefined> {
  const reply = await findReply(database, partyId, messageId);
  if (!reply) return undefined;
  const { threadId, inReplyTo, senderId, position, parentEmail, firstEmail } = reply;
  const joined = inReplyTo === null ? undefined : await findJoined(database, partyId, threadId, inReplyTo);
  if (joined !== undefined) {
    await joinThread(database, partyId, threadId, joined, ANSWERS_ALONE);
    return undefined;
  }
  const [business, party] = [await parties.byId(senderId), await parties.byId(partyId)];
  const writtenAs = party && isBusiness(party) ? party : undefined;
  const email = writtenAs ? parentEmail : firstEmail;
  return business && isBusiness(business) && email !== null ? { email, business, writtenAs, threadId, position } : undefined;
}
