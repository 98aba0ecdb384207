import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The milliseconds for which this process stood still while it was idle: the share of other programs, which a measurement must allow for.
 */
export async function idleStallMs(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await sleep(500);
  delay.disable();
  return delay.max / 1e6;
}
