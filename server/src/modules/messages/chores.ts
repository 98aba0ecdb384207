import type { Chore } from '../../platform/jobs/jobs.ts';
import { purgeIdempotencyKeys, purgeOrganisationUsage } from './store.ts';

export const messageChores: Chore[] = [
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
