import { type Chore, inPart } from '../../platform/jobs/jobs.ts';
import { fillNameKeys } from './store.ts';

/** The longest names take some milliseconds of processor time. */
const AT_ONCE = 50;

export const partyChores: Chore[] = [
  {
    name: 'fill-name-keys',
    schedule: '* * * * *',
    run: async (database, _log, job) => {
      return (await inPart(async () => (await fillNameKeys(database, AT_ONCE)) === AT_ONCE)) ? job : undefined;
    },
  },
];
