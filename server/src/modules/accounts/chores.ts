import type { Chore } from '../../platform/jobs/jobs.ts';
import * as store from './store.ts';

export const accountChores: Chore[] = [{ name: 'purge-sign-ins', schedule: '23 * * * *', run: (database) => store.purge(database) }];
