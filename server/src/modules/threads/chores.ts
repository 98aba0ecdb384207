import { JOBS } from '../../contract/jobs-and-channels.ts';
import { type Chore, inPart } from '../../platform/jobs/jobs.ts';
import { queueEvents } from '../webhooks/events.ts';
import { noteChange, unassignSome } from './change-store.ts';
import { filterThreads } from './list-store.ts';

const AT_ONCE = 500;

interface FormerMember {
  party_id: string;
  person_id: string;
}

/** The threads of a former member become unassigned, so that the others find them. */
const unassignThreads: Chore<FormerMember> = {
  name: JOBS.unassignThreads,
  run: async (database, _log, job) => {
    const { party_id, person_id } = job;
    const partyId = BigInt(party_id);
    const shard = database.of(partyId);
    const some = () =>
      shard.transaction(async (tx) => {
        const threadIds = await unassignSome(tx, partyId, person_id, AT_ONCE);
        await queueEvents(tx, partyId, 'thread.updated', threadIds);
        return threadIds.length === AT_ONCE;
      });
    const isUnfinished = await inPart(some);
    await noteChange(shard, partyId);
    return isUnfinished ? job : undefined;
  },
};

const bringIntoFilters: Chore<{ party_id: string }> = {
  name: JOBS.filterThreads,
  run: async (database, _log, job) => {
    const partyId = BigInt(job.party_id);
    return (await inPart(() => filterThreads(database.of(partyId), partyId, AT_ONCE))) ? job : undefined;
  },
};

export const threadChores: Chore[] = [unassignThreads, bringIntoFilters];
