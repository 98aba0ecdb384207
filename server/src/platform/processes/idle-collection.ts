import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MB } from '../../contract/limits.ts';

const LOOK_EVERY_MS = 5_000;
const NOT_AGAIN_WITHIN_MS = 60_000;
/** An idle process spends less than this share of its time in the event loop. */
const IDLE_BELOW = 0.1;
/**
 * The heap may grow this far between collections: the young generation of a process under load (`--max-semi-space-size`, twice), and a little. An
 * earlier collection would gain nothing, and V8 would compile hot code again afterwards.
 */
const YOUNG_GENERATION_BYTES = 128 * MB;
const GROWTH = 1.1;

/**
 * Runs a full garbage collection after a burst of large responses. Their strings and buffers are garbage by then, but an idle process allocates so
 * little that V8 would keep them for hours. Returns the function that ends the watch.
 */
export function collectWhenIdle(): () => void {
  setFlagsFromString('--expose-gc');
  // Otherwise a forced collection discards the bytecode of functions that have not run lately.
  setFlagsFromString('--no-flush-bytecode');
  const collect: () => void = runInNewContext('gc');
  let neededBytes = Number.POSITIVE_INFINITY;
  let collectedAt = Number.NEGATIVE_INFINITY;
  let utilization = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const residentBytes = residentSize();
    if (residentBytes === undefined) return;
    const since = performance.eventLoopUtilization(utilization);
    utilization = performance.eventLoopUtilization();
    neededBytes = Math.min(neededBytes, residentBytes);
    const isDue = performance.now() - collectedAt > NOT_AGAIN_WITHIN_MS && residentBytes > neededBytes * GROWTH + YOUNG_GENERATION_BYTES;
    if (!isDue || since.utilization > IDLE_BELOW) return;
    collect();
    collectedAt = performance.now();
    neededBytes = residentSize() ?? residentBytes;
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Returns undefined if the process has no descriptor left to read the size with. */
function residentSize(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}
