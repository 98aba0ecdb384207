import { JOBS } from '../../contract/jobs-and-channels.ts';
import type { Chore } from '../../platform/jobs.ts';
import { contactsToMerge, joinThread, mergeContact, threadsToJoin } from './join-store.ts';

/** What the party without a handle has sent and received, of one mailbox or of all. */
export interface HistoryToJoin {
  business_id: string;
  unclaimed_id: string;
  mailbox: string | null;
}

/** Thread by thread, each in its own transaction: what a crash interrupts is done again, and finds the rest. */
export const joinHistory: Chore<HistoryToJoin> = {
  name: JOBS.joinHistory,
  run: async (database, log, { business_id, unclaimed_id, mailbox }) => {
    const [businessId, unclaimedId] = [BigInt(business_id), BigInt(unclaimed_id)];
    let joined = 0;
    for (const threadId of await threadsToJoin(database, unclaimedId, businessId, mailbox))
      joined += await joinThread(database, unclaimedId, threadId, businessId, mailbox);
    // Of a domain, all is the business's now; a mailbox that claimed a handle can still be written from as such.
    if (mailbox === null)
      for (const ownerId of await contactsToMerge(database, unclaimedId, businessId))
        await mergeContact(database, ownerId, unclaimedId, businessId);
    if (joined > 0) log.info({ joined }, 'messages of a party without a handle joined a business');
  },
};
