import { type Business, isBusiness } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { findJoined, joinThread } from '../joined-history/joined-history.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { findReply } from './store.ts';

export { noteNotice } from './store.ts';

export interface ReplyServices {
  database: Database;
  parties: PartyDirectory;
}

export interface Told {
  email: string;
  business: Business;
  /** The business for which the mailbox wrote without being a member. Undefined for a party without a handle. */
  writtenAs: Business | undefined;
  threadId: string;
  position: bigint;
}

/** Matches no mailbox, so that only replies to messages that have already joined the business follow them. */
const REPLIES_ONLY = '';

/**
 * Finds the mailbox to notify of a reply. For a party without a handle, it began the thread. For a business, it wrote the message replied
 * to. Undefined when the reply has joined a business together with that message, or joins it now because it was being delivered meanwhile.
 */
export async function whomToTell({ database, parties }: ReplyServices, partyId: bigint, messageId: string): Promise<Told | undefined> {
  const reply = await findReply(database.of(partyId), partyId, messageId);
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
