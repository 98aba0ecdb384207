import type { Logger } from 'pino';
import { LOG_CHECKPOINT_EVERY_MS } from '../../contract/log-limits.ts';
import { Periodic } from '../../platform/jobs/periodic.ts';
import { isStoreUnavailable } from '../../platform/objects/object-store.ts';
import { newestCheckpoint } from './checkpoint-store.ts';
import { growTree } from './growth.ts';
import { LogFault } from './log-fault.ts';
import { currentLog, type LogRecord, setFault } from './log-store.ts';
import { hasWaiting, placeWaiting } from './places.ts';
import { type PublicationServices, publish, verifyPublished } from './publication.ts';

const WARN_EVERY_MS = 60_000;

export const SEQUENCER_LOCK = 'log sequencer';

/**
 * Gives leaves their indexes, grows the tree and signs checkpoints. Any number of processes may run it, and one at a time does the work.
 * Each round begins with the stored state and each step is idempotent, so a round may end anywhere.
 */
export class Sequencer {
  readonly #services: PublicationServices;
  readonly #log: Logger;
  readonly #rounds: Periodic;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(services: PublicationServices, log: Logger) {
    this.#services = services;
    this.#log = log;
    this.#rounds = new Periodic(LOG_CHECKPOINT_EVERY_MS, () => this.catchUp(), log, 'the log could not be continued');
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async catchUp(): Promise<void> {
    try {
      const { database } = this.#services;
      while (!this.#rounds.isStopped && (await this.#isBehind())) {
        const hasMore = await database.ifAlone(SEQUENCER_LOCK, () => this.#round());
        if (!hasMore) return;
      }
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      this.#warn(String(error));
    }
  }

  #warn(reason: string): void {
    if (performance.now() - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = performance.now();
    this.#log.warn({ reason }, 'the log waits for the object store');
  }

  /** Decides without the object store whether there is work. */
  async #isBehind(): Promise<boolean> {
    const { database } = this.#services;
    const log = await currentLog(database);
    if (!log) return false;
    const published = await newestCheckpoint(database, log.number, -1);
    return published?.size !== log.sequenced || (await hasWaiting(database));
  }

  /** Returns whether more is waiting. Logs the beginning and the end of a fault once. */
  async #round(): Promise<boolean> {
    const { database } = this.#services;
    const log = await currentLog(database);
    if (!log) return false;
    try {
      const hasMore = await this.#advance(log);
      if (log.fault !== null) await setFault(database, log.number, null);
      return hasMore;
    } catch (error) {
      if (!(error instanceof LogFault)) throw error;
      if (await setFault(database, log.number, error.message)) this.#log.error({ log: log.origin }, `Nothing is signed. ${error.message}.`);
      return false;
    }
  }

  async #advance(log: LogRecord): Promise<boolean> {
    const { database, tiles } = this.#services;
    const published = await verifyPublished(this.#services, log);
    const fault = await this.#services.faultSeenBy?.(log.number);
    if (fault !== undefined) throw new LogFault(fault);
    const placed = await placeWaiting(database, log);
    const grown = placed && (await growTree(database, tiles, placed.log));
    if (!placed || !grown) return false;
    const isPublished = await publish(this.#services, grown, published);
    return isPublished && placed.hasMore;
  }
}
