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
  /** The business that has replied. */
  business: Business;
  /** The business for which the mailbox had written without being a member; undefined for a party without a handle. */
  writtenAs: Business | undefined;
  threadId: string;
  position: bigint;
}

/** Names no mailbox: only the replies to what has already joined the business follow it. */
const REPLIES_ONLY = '';

/**
 * Who is notified of a reply by mail: for a party without a handle, the mailbox that began the thread; for a business, the mailbox
 * that wrote the message replied to. Undefined when nobody is: the reply has joined a business together with the message that it
 * replies to, or joins it now, because it was being delivered meanwhile.
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
