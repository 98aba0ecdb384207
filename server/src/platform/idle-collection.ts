import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 5_000;
const NOT_AGAIN_WITHIN_MS = 60_000;
/** Of the time, spent in the event loop: an idle process is not made to wait. */
const IDLE_BELOW = 0.1;
/** How far the process may stand above what it needed after the last collection: a collection throws compiled code away, too. */
const GROWTH = 1.4;

/**
 * Makes a full garbage collection once a burst of large responses is over. Their strings and buffers are garbage by then,
 * but an idle process allocates so little that V8 would leave them for hours. Gives what ends it.
 */
export function collectWhenIdle(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let neededBytes = Number.POSITIVE_INFINITY;
  let collectedAt = Number.NEGATIVE_INFINITY;
  let utilization = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const since = performance.eventLoopUtilization(utilization);
    utilization = performance.eventLoopUtilization();
    const residentBytes = process.memoryUsage.rss();
    neededBytes = Math.min(neededBytes, residentBytes);
    const isDue = performance.now() - collectedAt > NOT_AGAIN_WITHIN_MS && residentBytes > neededBytes * GROWTH;
    if (!isDue || since.utilization > IDLE_BELOW) return;
    collect();
    collectedAt = performance.now();
    neededBytes = process.memoryUsage.rss();
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
