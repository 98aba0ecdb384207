import type { Chore } from '../../platform/jobs/jobs.ts';
import { forgetCheckpoints } from './checkpoint-store.ts';
import type { LogKeys } from './log-keys.ts';

export function logChores(keys: LogKeys): Chore[] {
  return [
    { name: 'forget-checkpoints', schedule: '*/10 * * * *', run: (database) => forgetCheckpoints(database) },
    { name: 'encrypt-log-keys', schedule: '19 * * * *', run: (database) => keys.renew(database) },
  ];
}
