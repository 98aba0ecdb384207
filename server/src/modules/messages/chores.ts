import { JOBS } from '../../contract/jobs-and-channels.ts';
import { type Chore, inPart } from '../../platform/jobs/jobs.ts';
import { filterEntries } from './list-store.ts';
import { purgeIdempotencyKeys, purgeOrganisationUsage } from './store.ts';

/** Sends of the business wait while some of its entries are marked. */
const FILTERED_AT_ONCE = 1_000;

const bringIntoFilters: Chore<{ party_id: string }> = {
  name: JOBS.filterEntries,
  run: async (database, _log, job) => {
    const partyId = BigInt(job.party_id);
    return (await inPart(() => filterEntries(database.of(partyId), partyId, FILTERED_AT_ONCE))) ? job : undefined;
  },
};

export const messageChores: Chore[] = [
  bringIntoFilters,
  {
    name: 'purge-idempotency-keys',
    schedule: '17 * * * *',
    run: async (database, log) => {
      let purged = 0;
      for (const shard of database.shards) {
        await purgeOrganisationUsage(shard);
        purged += await purgeIdempotencyKeys(shard);
      }
      if (purged > 0) log.info({ purged }, 'idempotency keys past their window removed');
    },
  },
];
