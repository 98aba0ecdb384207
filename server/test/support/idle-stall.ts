import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * For how many milliseconds this process stood still while it had nothing to do: what others on the machine take, and so
 * what a measurement has to allow for.
 */
export async function idleStallMs(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await sleep(500);
  delay.disable();
  return delay.max / 1e6;
}
