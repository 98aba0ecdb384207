import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_STANDBY_PATIENCE_MS } from '../../contract/log-limits.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { LogFault } from './log-fault.ts';
import { positionOnDisk, standbysAt } from './standby-store.ts';

const LOOK_EVERY_MS = 20;

/**
 * Whether a standby has everything committed so far on its disk, within a short time. Only then does a published checkpoint survive a
 * failover to that standby. Throws LogFault if the service may not see the standbys' positions.
 */
export async function isOnStandby(db: Queryable): Promise<boolean> {
  const position = await positionOnDisk(db);
  const giveUpAt = performance.now() + LOG_STANDBY_PATIENCE_MS;
  for (;;) {
    const { standbys, visible, caught_up } = await standbysAt(db, position);
    if (caught_up > 0) return true;
    if (standbys > 0 && visible === 0)
      throw new LogFault('LOG_WAIT_FOR_STANDBY is set, but the role of the service can’t see how far standbys are: grant it pg_monitor');
    if (performance.now() > giveUpAt) return false;
    await sleep(LOOK_EVERY_MS);
  }
}
