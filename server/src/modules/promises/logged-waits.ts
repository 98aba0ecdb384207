import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { LOGGED_WAIT_LOOK_EVERY_MS, LOGGED_WAIT_MAX_MS, LOGGED_WAITS_MAX, LOGGED_WAITS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { Periodic } from '../../platform/jobs/periodic.ts';
import type { Log } from '../log/log.ts';

interface Wait {
  senderId: bigint;
  messageId: string;
  /** The newest checkpoint that was looked at for the message. */
  seen: string | undefined;
  end(proof?: string): void;
}

/** Requests that wait until the log has their message. They look together, and only when there is a new checkpoint. */
export class LoggedWaits {
  readonly #transparencyLog: Log;
  readonly #looks: Periodic;
  readonly #waits = new Set<Wait>();
  /** Key: business. */
  readonly #counts = new Map<bigint, number>();

  constructor(transparencyLog: Log, metrics: Registry, log: Logger) {
    this.#transparencyLog = transparencyLog;
    const count = () => this.#waits.size;
    new Gauge({
      name: 'waybill_logged_waits',
      help: 'Sends that wait until the log has their message. Their durations include the wait.',
      registers: [metrics],
      collect() {
        this.set(count());
      },
    });
    this.#looks = new Periodic(LOGGED_WAIT_LOOK_EVERY_MS, () => this.#look(), log, 'the log could not be looked at for those who wait');
  }

  /** Undefined: it took too long, the client is gone, or too many wait already. */
  async proofOf(senderId: bigint, messageId: string, gone: AbortSignal): Promise<string | undefined> {
    const count = this.#counts.get(senderId) ?? 0;
    if (this.#looks.isStopped || this.#waits.size >= LOGGED_WAITS_MAX || count >= LOGGED_WAITS_PER_BUSINESS_MAX) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const wait: Wait = { senderId, messageId, seen: undefined, end: resolve };
    const timer = setTimeout(() => resolve(undefined), LOGGED_WAIT_MAX_MS);
    const hangUp = () => resolve(undefined);
    gone.addEventListener('abort', hangUp);
    if (gone.aborted) hangUp();
    this.#waits.add(wait);
    this.#counts.set(senderId, count + 1);
    this.#looks.start();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', hangUp);
      this.#forget(wait);
    }
  }

  async stop(): Promise<void> {
    const stopped = this.#looks.stop();
    for (const { end } of this.#waits) end();
    await stopped;
  }

  #forget(wait: Wait): void {
    this.#waits.delete(wait);
    const left = (this.#counts.get(wait.senderId) ?? 1) - 1;
    if (left > 0) this.#counts.set(wait.senderId, left);
    else this.#counts.delete(wait.senderId);
    if (this.#waits.size === 0 && !this.#looks.isStopped) this.#looks.pause();
  }

  async #look(): Promise<void> {
    const newest = await this.#transparencyLog.newestCheckpoint();
    const name = newest && `${newest.log} ${newest.size}`;
    if (name === undefined) return;
    // One who comes later may wait for a message that the last checkpoint has already; the others need not look again.
    for (const wait of [...this.#waits].filter(({ seen }) => seen !== name)) {
      await this.#endIfLogged(wait);
      wait.seen = name;
    }
  }

  async #endIfLogged({ senderId, messageId, end }: Wait): Promise<void> {
    const location = await this.#transparencyLog.locateMessage(senderId, messageId);
    if (location === 'unlogged') return end();
    const proof = location && (await this.#transparencyLog.proofOf(location));
    if (proof !== undefined && proof !== 'pending') end(proof);
  }
}
