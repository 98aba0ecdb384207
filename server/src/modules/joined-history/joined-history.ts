import { JOBS } from '../../contract/jobs-and-channels.ts';
import { type Chore, inPart } from '../../platform/jobs/jobs.ts';
import { awaitRounds } from '../following/following.ts';
import { contactsToMerge, joinThread, mergeContact, threadsToJoin } from './store.ts';

export { countHidden, findJoined, joinThread } from './store.ts';

/** The history of a party without a handle: the messages of one mailbox, or all. */
export interface HistoryToJoin {
  business_id: string;
  unclaimed_id: string;
  mailbox: string | null;
  /** Threads up to this one have joined. */
  after?: string;
}

/** Moves thread by thread, each in its own transaction: after a crash, the job runs again and finds the rest. */
export const joinHistory: Chore<HistoryToJoin> = {
  name: JOBS.joinHistory,
  run: async (database, log, job) => {
    const { mailbox, after = '' } = job;
    const [businessId, unclaimedId] = [BigInt(job.business_id), BigInt(job.unclaimed_id)];
    const threads = (await threadsToJoin(database, unclaimedId, businessId, mailbox)).filter((id) => id > after).sort();
    let [next, joined] = [0, 0];
    const isUnfinished = await inPart(async () => {
      const threadId = threads[next++];
      if (threadId !== undefined) joined += await joinThread(database, unclaimedId, threadId, businessId, mailbox);
      return next < threads.length;
    });
    if (joined > 0) log.info({ joined }, 'messages of a party without a handle joined a business');
    if (isUnfinished) return { ...job, after: threads[next - 1] ?? after };
    // Contacts of a domain are merged, because the domain is now the business. A mailbox that claimed a handle can still write as itself.
    if (mailbox === null)
      for (const shard of database.shards) {
        // A round that is under way may write a contact of the domain. Later ones know whose the domain is.
        await awaitRounds(shard);
        for (const ownerId of await contactsToMerge(shard, unclaimedId, businessId))
          await mergeContact(shard, ownerId, unclaimedId, businessId);
      }
    return undefined;
  },
};
