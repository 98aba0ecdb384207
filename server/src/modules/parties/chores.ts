import type { Chore } from '../../platform/jobs/jobs.ts';
import { fillNameKeys } from './store.ts';

const AT_ONCE = 1_000;

export const partyChores: Chore[] = [
  {
    name: 'fill-name-keys',
    schedule: '* * * * *',
    run: async (database) => {
      while ((await fillNameKeys(database, AT_ONCE)) === AT_ONCE);
    },
  },
];
