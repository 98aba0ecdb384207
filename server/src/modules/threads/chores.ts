import { JOBS } from '../../contract/jobs-and-channels.ts';
import type { Chore } from '../../platform/jobs/jobs.ts';
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
  run: async (database, _log, { party_id, person_id }) => {
    const partyId = BigInt(party_id);
    const shard = database.of(partyId);
    const some = () =>
      shard.transaction(async (tx) => {
        const threadIds = await unassignSome(tx, partyId, person_id, AT_ONCE);
        await queueEvents(tx, partyId, 'thread.updated', threadIds);
        return threadIds.length;
      });
    while ((await some()) === AT_ONCE);
    await noteChange(shard, partyId);
  },
};

const bringIntoFilters: Chore<{ party_id: string }> = {
  name: JOBS.filterThreads,
  run: async (database, _log, { party_id }) => {
    const partyId = BigInt(party_id);
    while (await filterThreads(database.of(partyId), partyId, AT_ONCE));
  },
};

export const threadChores: Chore[] = [unassignThreads, bringIntoFilters];
