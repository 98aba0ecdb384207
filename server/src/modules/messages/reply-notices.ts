import { type Business, isBusiness } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { findJoined, joinThread } from './join-store.ts';
import { findReply } from './reply-notice-store.ts';

export { noteNotice } from './reply-notice-store.ts';

export interface ReplyServices {
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

/** Names no mailbox: only the replies to what has already joined the business follow it. */
const REPLIES_ONLY = '';

/**
 * Who is told of a reply by mail: of a party without a handle, who began the thread; of a business, who wrote the message
 * replied to. Undefined when there is nobody to tell: the reply has joined a business along with what it replies to, or
 * does so now because it was on its way meanwhile.
 */
export async function whomToTell({ database, parties }: ReplyServices, partyId: bigint, messageId: string): Promise<Told | undefined> {
  const reply = await findReply(database, partyId, messageId);
  if (!reply) return undefined;
  const { threadId, inReplyTo, senderId, position, parentEmail, firstEmail } = reply;
  const joined = inReplyTo === null ? undefined : await findJoined(database, partyId, threadId, inReplyTo);
  if (joined !== undefined) {
    await joinThread(database, partyId, threadId, joined, REPLIES_ONLY);
    return undefined;
  }
  const [business, party] = [await parties.byId(senderId), await parties.byId(partyId)];
  const writtenAs = party && isBusiness(party) ? party : undefined;
  const email = writtenAs ? parentEmail : firstEmail;
  return business && isBusiness(business) && email !== null ? { email, business, writtenAs, threadId, position } : undefined;
}
