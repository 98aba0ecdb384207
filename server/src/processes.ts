import cluster, { type Worker } from 'node:cluster';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { PROCESS_SILENT_MAX_S } from './contract/limits.ts';
import { openDatabase } from './open-database.ts';
import { addUpMetrics } from './platform/processes/all-metrics.ts';
import { freePort } from './platform/processes/free-port.ts';
import type { Service, Started } from './service.ts';

const RESTART_AFTER_MS = 500;
const BEAT_EVERY_MS = 1_000;
/** Longer than a process takes to finish the requests under way. */
const STOP_PATIENCE_MS = 28_000;

interface Message {
  started?: Started;
  isAlive?: true;
}

export function numberOfProcesses(text: string, max: number): number | undefined {
  if (text === 'auto') return Math.min(max, os.availableParallelism());
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= max ? number : undefined;
}

/** Tells the parent process that this one has started, and from then on that it is alive. */
export function reportStart({ publicUrl, address, mail, keptMailsAt, samples }: Service): void {
  const tell = (message: Message) => process.connected && process.send?.(message);
  tell({ started: { publicUrl, address, mail, keptMailsAt, samples } });
  setInterval(() => tell({ isAlive: true }), BEAT_EVERY_MS).unref();
}

export class ProcessFailed extends Error {}

/**
 * Starts several processes that share the port and all work. This one replaces processes that end or hang, and keeps the database of the data folder.
 * The first process migrates and creates the samples before the others start.
 */
export async function startProcesses(count: number, config: Config, log: Logger): Promise<Service> {
  // Processes may share a port with each other, but not with another service that shares its port too.
  await freePort(config);
  const opened = await openDatabase(config, 'service', log, { processes: count });
  // With PORT=0, the first process finds a port for all.
  let { port } = config;
  let isStopping = false;
  addUpMetrics();

  const replace = async (worker: Worker, how: string) => {
    if (isStopping) return;
    log.error({ pid: worker.process.pid }, `a process ended unexpectedly (${how}); starting another`);
    await sleep(RESTART_AFTER_MS);
    if (!isStopping) void start().catch(() => {});
  };
  const start = async (): Promise<Started> => {
    const worker = cluster.fork({ PORT: String(port) });
    const ended = new Promise<string>((resolve) => worker.once('exit', (code, signal) => resolve(signal ?? `status ${code}`)));
    const started = new Promise<Started>((resolve) =>
      worker.on('message', (message: Message) => message.started && resolve(message.started)),
    );
    const first = await Promise.race([started, ended]);
    if (typeof first === 'string') {
      if (isFirstStartOver) void replace(worker, first);
      throw new ProcessFailed(`A process of the service could not start (${first}).`);
    }
    const unwatch = watch(worker, log);
    void ended.then((how) => {
      unwatch();
      return replace(worker, how);
    });
    return first;
  };
  let isFirstStartOver = false;
  const stop = async () => {
    isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => (worker && !worker.isDead() ? [worker] : []));
    await Promise.all(
      workers.map((worker) => {
        const impatience = setTimeout(() => worker.process.kill('SIGKILL'), STOP_PATIENCE_MS);
        const ended = new Promise((resolve) => worker.once('exit', resolve));
        worker.process.kill('SIGTERM');
        return ended.then(() => clearTimeout(impatience));
      }),
    );
    await opened.close();
  };

  try {
    const started = await start();
    port = Number(new URL(started.address).port);
    await Promise.all(Array.from({ length: count - 1 }, start));
    isFirstStartOver = true;
    return { ...started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Kills a process that has not reported for a while: it holds connections that nobody serves. Silence is counted in beats of this process, so that a
 * machine that stood still does not count.
 */
function watch(worker: Worker, log: Logger): () => void {
  let missed = 0;
  worker.on('message', ({ isAlive }: Message) => {
    if (isAlive) missed = 0;
  });
  const timer = setInterval(() => {
    missed++;
    if (missed * BEAT_EVERY_MS < PROCESS_SILENT_MAX_S * 1_000) return;
    log.error({ pid: worker.process.pid }, `a process has been silent for ${PROCESS_SILENT_MAX_S} s; killing it`);
    worker.process.kill('SIGKILL');
  }, BEAT_EVERY_MS);
  return () => clearInterval(timer);
}
