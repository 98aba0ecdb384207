import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import {
  PROMISE_KEY_CHECKED_EVERY_MS,
  PROMISE_KEY_RENEWED_AFTER_S,
  PROMISE_KEY_TRIED_AGAIN_AFTER_S,
  PROMISES_PER_SIGNATURE_MAX,
} from '../../contract/limits.ts';
import { Periodic } from '../../platform/jobs/periodic.ts';
import type { Clock } from '../../platform/postgres/database-clock.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { Log } from '../log/log.ts';
import type { LogKeys } from '../log/log-keys.ts';
import { CertifiedKey, type LogPromise, type Promised } from './certified-key.ts';

interface Services {
  database: Database;
  transparencyLog: Log;
  keys: LogKeys;
  now: Clock;
  metrics: Registry;
}

interface Waiting extends Promised {
  /** The number of the log that has the leaf already. Undefined: it gets its index in the present one. */
  log: number | undefined;
  resolve(promise: LogPromise | undefined): void;
}

/**
 * Promises that messages will be in the log, signed by a key of this process. Messages that were committed in one turn of the event loop share a
 * signature. A service whose log is at fault, or does not certify the key, promises nothing: sends go on without.
 */
export class Promises {
  readonly #services: Services;
  readonly #log: Logger;
  readonly #rounds: Periodic;
  readonly #made: Counter;
  readonly #missing: Counter;
  #key: CertifiedKey | undefined;
  #fault: string | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;
  #waiting: Waiting[] = [];

  constructor(services: Services, log: Logger) {
    this.#services = services;
    this.#log = log;
    this.#rounds = new Periodic(PROMISE_KEY_CHECKED_EVERY_MS, () => this.#prepare(), log, 'the key for promises could not be renewed');
    const registers = [services.metrics];
    this.#made = new Counter({ name: 'waybill_promises_total', help: 'Promises of inclusion that responses to sends had.', registers });
    this.#missing = new Counter({ name: 'waybill_promises_missing_total', help: 'Responses to sends that had no promise.', registers });
    const isAtFault = () => (this.#fault === null ? 0 : 1);
    new Gauge({
      name: 'waybill_promises_fault',
      help: '1 while responses to sends have no promise; /readyz and the log of the process say why.',
      registers,
      aggregator: 'max',
      collect() {
        this.set(isAtFault());
      },
    });
  }

  /** Resolves once the key is certified, or can't be: sends need not wait for it. */
  async start(): Promise<void> {
    await this.#prepare().catch((error) => this.#log.error(error, 'the key for promises could not be made'));
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Why responses have no promises. Null: they have, or the process has no responses to sends. */
  get fault(): string | null {
    return this.#fault;
  }

  /** Undefined: the service can promise nothing at present, or the leaf is in a log that has ended. */
  of(message: Promised, log?: number): Promise<LogPromise | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ ...message, log, resolve });
      // Signs in this turn of the event loop, behind whatever else it commits.
      if (this.#waiting.length === 1) setImmediate(() => this.#signWaiting());
    });
  }

  #signWaiting(): void {
    const taken = this.#waiting.splice(0, PROMISES_PER_SIGNATURE_MAX);
    if (this.#waiting.length > 0) setImmediate(() => this.#signWaiting());
    // A promise that names the present log would be broken by a leaf that stands in a former one.
    const batch = taken.filter(({ log }) => log === undefined || log === this.#key?.logNumber);
    const promises = this.#signed(batch) ?? [];
    this.#made.inc(promises.length);
    this.#missing.inc(taken.length - promises.length);
    for (const [i, promise] of promises.entries()) batch[i]?.resolve(promise);
    // Those that got a promise are resolved already.
    for (const { resolve } of taken) resolve(undefined);
  }

  #signed(batch: readonly Promised[]): LogPromise[] | undefined {
    if (batch.length === 0) return undefined;
    const key = this.#key;
    const now = this.#services.now();
    if (this.#fault !== null || !key?.isValidAt(now)) return undefined;
    try {
      return key.promise(batch, now);
    } catch (error) {
      this.#log.error(error, 'promises could not be signed');
      return undefined;
    }
  }

  /** Promises nothing that a log at fault, or another log than the present one, would have to keep. */
  async #prepare(): Promise<void> {
    const { database, transparencyLog, keys, now } = this.#services;
    const [fault, log] = [await transparencyLog.fault(), (await transparencyLog.logs()).at(-1)];
    const vkey = log?.keys[0]?.vkey;
    if (!log || vkey === undefined) return this.#setFault('There is no log yet.');
    if (fault !== null) return this.#setFault('The log is at fault.', fault);
    if (this.#isRenewalDue(log.origin, vkey, now())) {
      this.#triedAt = performance.now();
      try {
        this.#key = await CertifiedKey.create({ number: log.number, origin: log.origin, vkey }, await keys.signersOf(database, log), now());
        this.#triedAt = Number.NEGATIVE_INFINITY;
      } catch (error) {
        this.#log.warn({ reason: String(error) }, 'the key of the log has certified no key for promises');
      }
    }
    const isUsable = this.#key?.log === log.origin && this.#key.isValidAt(now());
    this.#setFault(isUsable ? null : 'The key of the log has certified no key for promises.');
  }

  #isRenewalDue(origin: string, vkey: string, now: Date): boolean {
    // A program that signs may be slow, or cost money for each call.
    if (performance.now() - this.#triedAt < PROMISE_KEY_TRIED_AGAIN_AFTER_S * 1_000) return false;
    const key = this.#key;
    if (key?.log !== origin || key.certifiedBy !== vkey) return true;
    return now.getTime() - key.certifiedAtMs >= PROMISE_KEY_RENEWED_AFTER_S * 1_000 || !key.isValidAt(now);
  }

  #setFault(fault: string | null, reason?: string): void {
    if (fault === this.#fault) return;
    this.#fault = fault;
    if (fault === null) this.#log.info('responses to sends have promises again');
    else this.#log.warn({ reason: reason ?? fault }, 'responses to sends have no promises');
  }
}
