import { JOBS } from '../../contract/jobs-and-channels.ts';
import type { Chore } from '../../platform/jobs.ts';
import { contactsToMerge, joinThread, mergeContact, threadsToJoin } from './join-store.ts';

/** Moves thread by thread, each in its own transaction: after a crash, the job runs again and finds the rest. */
export const joinHistory: Chore = {
  name: JOBS.joinHistory,
  run: async (database, log, payload) => {
    const { business_id, unclaimed_id, mailbox } = payload as { business_id: string; unclaimed_id: string; mailbox: string | null };
    const [businessId, unclaimedId] = [BigInt(business_id), BigInt(unclaimed_id)];
    let joined = 0;
    for (const threadId of await threadsToJoin(database, unclaimedId, businessId, mailbox))
      joined += await joinThread(database, unclaimedId, threadId, businessId, mailbox);
    // Contacts of a domain are merged, because the domain is now the business; a mailbox that claimed a handle can still write as itself.
    if (mailbox === null)
      for (const ownerId of await contactsToMerge(database, unclaimedId, businessId))
        await mergeContact(database, ownerId, unclaimedId, businessId);
    if (joined > 0) log.info({ joined }, 'messages of a party without a handle joined a business');
  },
};
