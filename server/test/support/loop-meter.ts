/**
 * Loaded into a service before anything else (`--import`). Measures the processor time of each turn of the event loop, which is how long
 * other requests wait, and reports it to the parent process. Time in which the thread did not run, on a busy machine, does not count.
 */

export interface Measured {
  longestMs: number;
  /** The time of the main thread, without worker threads. */
  totalMs: number;
}

export type MeterQuestion = 'begin' | 'end' | 'calibrate';

let longestMs = 0;
let turnBeganAt = now();
let beganAt = turnBeganAt;

function now(): { cpuMs: number; wallMs: number } {
  return { cpuMs: cpuMs(), wallMs: performance.now() };
}

/** Kernels count processor time in steps of up to 4 ms, so it may exceed the elapsed time. */
function sinceTurnBegan({ cpuMs, wallMs } = now()): number {
  return Math.min(cpuMs - turnBeganAt.cpuMs, wallMs - turnBeganAt.wallMs);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The timer is unreferenced, so that the loop sleeps as usual. It runs at the end of a turn that something else has begun. */
function noteTurn(): void {
  const ended = now();
  longestMs = Math.max(longestMs, sinceTurnBegan(ended));
  turnBeganAt = ended;
  setImmediate(noteTurn).unref();
}

/** A fixed amount of typical work. The fastest of several runs counts. */
function reference(): Measured {
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: n, name: `name ${n} 漢`, tags: ['a', 'b'], at: { x: n / 3, y: null } }));
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 15; i++) {
    const before = cpuMs();
    for (let j = 0; j < 4; j++) JSON.stringify(JSON.parse(JSON.stringify(rows)));
    best = Math.min(best, cpuMs() - before);
  }
  return { longestMs: best, totalMs: best };
}

function replyTo(question: MeterQuestion): Measured {
  if (question === 'calibrate') return reference();
  if (question === 'end') return { longestMs: Math.max(longestMs, sinceTurnBegan()), totalMs: cpuMs() - beganAt.cpuMs };
  longestMs = 0;
  beganAt = now();
  turnBeganAt = beganAt;
  return { longestMs, totalMs: 0 };
}

if (process.send) {
  process.on('message', (question: MeterQuestion) => process.send?.(replyTo(question)));
  process.channel?.unref();
  noteTurn();
}
