import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { messageOf } from '../../contract/thrown.ts';
import { WITNESS_BACKOFF_MAX_S, WITNESS_PATIENCE_MS } from '../../contract/witness-limits.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { recordAttested, recordFailure } from './attestor-store.ts';
import type { CheckpointSource, OwnCheckpoint } from './checkpoint-source.ts';
import { Duty } from './duty.ts';
import type { HistoryGuard, OwnLog } from './history-guard.ts';
import { askForCosignature, type WitnessAddress, WitnessRefusal } from './witness-request.ts';
import { idOf, type Witnesses } from './witnesses.ts';

interface Asked {
  witness: WitnessAddress;
  underWay: Promise<void> | undefined;
  cosigned: { log: number; size: number } | undefined;
  failures: number;
  pausedUntil: number;
}

/** All witnesses get the same checkpoint, because a quorum needs cosignatures of one note. */
interface Target extends OwnCheckpoint {
  chosenAt: number;
  hasQuorum: boolean;
}

interface CosigningServices {
  database: Database;
  witnesses: Witnesses;
  guard: HistoryGuard;
  checkpoints: CheckpointSource;
  readLog(number: number): Promise<OwnLog>;
  metrics: Registry;
}

const EVERY_MS = 250;
const HELD_S = 10;

/** Requests cosignatures of the newest checkpoint, one at a time from each witness. The log does not wait for it. */
export class Cosigning extends Duty {
  readonly #services: CosigningServices;
  readonly #asked: Asked[];
  readonly #requests: Counter<'witness' | 'outcome'>;
  #target: Target | undefined;
  /** Checkpoints get no quorum. This is logged once. */
  #isWithoutQuorum = false;

  constructor(services: CosigningServices, logger: Logger) {
    super(services.database, logger, { name: 'cosigning', everyMs: EVERY_MS, heldS: HELD_S });
    this.#services = services;
    this.#asked = services.witnesses.addresses.map((witness) => ({
      witness,
      underWay: undefined,
      cosigned: undefined,
      failures: 0,
      pausedUntil: 0,
    }));
    this.#requests = new Counter({
      name: 'waybill_log_witness_requests_total',
      help: 'Requests for cosignatures of checkpoints, by witness and outcome (cosigned, refused, failed).',
      labelNames: ['witness', 'outcome'],
      registers: [services.metrics],
    });
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all(this.#asked.map(({ underWay }) => underWay));
  }

  protected async work(): Promise<void> {
    const newest = await this.#services.checkpoints.newestCheckpoint();
    if (!newest || (!this.#wants(newest) && newest.size === this.#target?.size)) return;
    if (!(await this.isMine())) return;
    const target = this.#nextTarget(newest);
    for (const one of this.#asked)
      if (this.#isDue(one, target))
        one.underWay = this.#ask(one, target).finally(() => {
          one.underWay = undefined;
        });
  }

  #wants(checkpoint: OwnCheckpoint): boolean {
    return this.#asked.some((one) => this.#isDue(one, checkpoint));
  }

  #isDue({ underWay, pausedUntil, cosigned }: Asked, { log, size }: OwnCheckpoint): boolean {
    return !underWay && performance.now() >= pausedUntil && (cosigned?.log !== log || cosigned.size < size);
  }

  /**
   * Keeps the target until it has a quorum, no witness is left, or the time is over. Then takes the newest checkpoint, and skips those in
   * between.
   */
  #nextTarget(newest: OwnCheckpoint): Target {
    const target = this.#target;
    if (target?.log === newest.log) {
      const isOver = performance.now() - target.chosenAt > WITNESS_PATIENCE_MS;
      const isAsked = !this.#wants(target) && this.#asked.every(({ underWay }) => !underWay);
      if (newest.size === target.size || !(target.hasQuorum || isOver || isAsked)) return target;
      if (!target.hasQuorum && !this.#isWithoutQuorum) {
        this.#isWithoutQuorum = true;
        this.logger.warn({ size: target.size }, 'too few witnesses have cosigned a checkpoint; the log goes on without them');
      }
    }
    this.#target = { ...newest, chosenAt: performance.now(), hasQuorum: newest.isWitnessed };
    return this.#target;
  }

  async #ask(one: Asked, target: Target): Promise<void> {
    const { witness } = one;
    const { log, size, note } = target;
    const { checkpoints, witnesses, database } = this.#services;
    try {
      const known = one.cosigned?.log === log ? one.cosigned.size : 0;
      const readTile = (level: number, index: number, width: number) => checkpoints.readTile(log, level, index, width);
      const cosignature = await askForCosignature(witness, { size, note, readTile }, known, this.stopping.signal);
      const hasQuorum = await checkpoints.keepCosignature(target, cosignature, (signed) => witnesses.isQuorum(signed));
      await recordAttested(database, idOf(witness), target);
      this.#requests.inc({ witness: witness.name, outcome: 'cosigned' });
      if (one.failures > 0) this.logger.info({ witness: witness.name }, 'a witness cosigns again');
      if (hasQuorum && this.#isWithoutQuorum) this.logger.info({ size }, 'enough witnesses cosign again');
      if (hasQuorum) this.#isWithoutQuorum = false;
      target.hasQuorum ||= hasQuorum;
      Object.assign(one, { cosigned: { log, size }, failures: 0, pausedUntil: 0 });
    } catch (error) {
      if (!this.stopping.signal.aborted) await this.#fail(one, target, error);
    }
  }

  async #fail(one: Asked, { log }: Target, error: unknown): Promise<void> {
    const { witness } = one;
    const reason = messageOf(error);
    one.failures++;
    one.pausedUntil = performance.now() + Math.min(WITNESS_BACKOFF_MAX_S, 2 ** (one.failures - 1)) * 1000 * (0.75 + Math.random() / 2);
    this.#requests.inc({ witness: witness.name, outcome: error instanceof WitnessRefusal ? 'refused' : 'failed' });
    if (one.failures === 1) this.logger.warn({ witness: witness.name, reason }, 'a witness does not cosign; it is asked again later');
    try {
      await recordFailure(this.#services.database, idOf(witness), reason);
      if (error instanceof WitnessRefusal) await this.#lookInto(witness, log);
    } catch (failure) {
      this.logger.warn({ witness: witness.name, reason: messageOf(failure) }, 'a failure of a witness could not be looked into');
    }
  }

  /**
   * A witness that refuses may have a checkpoint that the log has signed and lost. The operator learns of it before the next message comes.
   */
  async #lookInto(witness: WitnessAddress, log: number): Promise<void> {
    const { guard, readLog, checkpoints } = this.#services;
    if (!(await guard.ask(witness, () => readLog(log), this.stopping.signal))) return;
    const fault = await guard.faultOf(() => readLog(log));
    if (fault !== undefined && (await checkpoints.reportFault(log, fault))) this.logger.error(`Nothing is signed. ${fault}.`);
  }
}
