import { JOBS } from '../../contract/jobs-and-channels.ts';
import type { Chore } from '../../platform/jobs/jobs.ts';
import { awaitRounds } from '../following/following.ts';
import { contactsToMerge, joinThread, mergeContact, threadsToJoin } from './store.ts';

export { countHidden, findJoined, joinThread } from './store.ts';

/** The history of a party without a handle: the messages of one mailbox, or all. */
export interface HistoryToJoin {
  business_id: string;
  unclaimed_id: string;
  mailbox: string | null;
}

/** Moves thread by thread, each in its own transaction: after a crash, the job runs again and finds the rest. */
export const joinHistory: Chore<HistoryToJoin> = {
  name: JOBS.joinHistory,
  run: async (database, log, { business_id, unclaimed_id, mailbox }) => {
    const [businessId, unclaimedId] = [BigInt(business_id), BigInt(unclaimed_id)];
    let joined = 0;
    for (const threadId of await threadsToJoin(database, unclaimedId, businessId, mailbox))
      joined += await joinThread(database, unclaimedId, threadId, businessId, mailbox);
    // Contacts of a domain are merged, because the domain is now the business. A mailbox that claimed a handle can still write as itself.
    if (mailbox === null)
      for (const shard of database.shards) {
        // A round that is under way may write a contact of the domain. Later ones know whose the domain is.
        await awaitRounds(shard);
        for (const ownerId of await contactsToMerge(shard, unclaimedId, businessId))
          await mergeContact(shard, ownerId, unclaimedId, businessId);
      }
    if (joined > 0) log.info({ joined }, 'messages of a party without a handle joined a business');
  },
};
