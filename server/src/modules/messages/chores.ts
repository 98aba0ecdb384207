import type { Chore } from '../../platform/jobs.ts';
import { joinHistory } from './join-history.ts';
import { purgeIdempotencyKeys, purgeOrganisationUsage } from './store.ts';

export const messageChores: Chore[] = [
  joinHistory,
  {
    name: 'purge-idempotency-keys',
    schedule: '17 * * * *',
    run: async (database, log) => {
      await purgeOrganisationUsage(database);
      const purged = await purgeIdempotencyKeys(database);
      if (purged > 0) log.info({ purged }, 'idempotency keys past their window removed');
    },
  },
];
