import { firstOf, isInTime, ProofError, parseNote, type Timestamp, verifyTimestamp } from '@waybill/proof';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { messageOf } from '../../contract/thrown.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { recordAttested, recordFailure } from './attestor-store.ts';
import type { CheckpointSource, OwnCheckpoint, UnstatedTimestamp } from './checkpoint-source.ts';
import { Duty } from './duty.ts';
import type { RevocationLists } from './revocation-lists.ts';
import { askForTimestamp } from './timestamp-request.ts';

interface TimestampServices {
  database: Database;
  checkpoints: CheckpointSource;
  url: string;
  lists: RevocationLists;
  metrics: Registry;
}

const EVERY_MS = 5_000;
const HELD_S = 60;
const BACKOFF_MAX_S = 15 * 60;
const FIRST_PAUSE_S = 10;
/** Timestamps that get their leaf in a round. After an upgrade, there can be thousands. */
const STATED_AT_ONCE = 20;

/** Gets an RFC 3161 token for the newest checkpoint each hour, if the log has grown. The log then gets a leaf about it, with the lists of revoked certificates. */
export class Timestamps extends Duty {
  readonly #services: TimestampServices;
  readonly #requests: Counter<'outcome'>;
  #failures = 0;
  #pausedUntil = 0;
  /** Lists of revoked certificates are missing. This is logged once. */
  #isWithoutLists = false;

  constructor(services: TimestampServices, logger: Logger) {
    super(services.database, logger, { name: 'timestamps', everyMs: EVERY_MS, heldS: HELD_S });
    this.#services = services;
    this.#requests = new Counter({
      name: 'waybill_log_timestamp_requests_total',
      help: 'Requests for timestamps of checkpoints, by outcome (granted, failed).',
      labelNames: ['outcome'],
      registers: [services.metrics],
    });
  }

  protected async work(): Promise<void> {
    if (performance.now() < this.#pausedUntil || !(await this.isMine())) return;
    for (const one of await this.#services.checkpoints.timestamps.unstated(STATED_AT_ONCE)) {
      if (!(await this.isMine())) return;
      try {
        await this.#state(one);
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        this.logger.warn({ size: one.size, reason: messageOf(error) }, 'the log has no leaf about a timestamp');
      }
    }
    const checkpoint = await this.#services.checkpoints.checkpointToTimestamp();
    if (!checkpoint) return;
    try {
      await this.#stamp(checkpoint);
      if (this.#failures > 0) this.logger.info('the timestamp authority responds again');
      this.#failures = 0;
      this.#requests.inc({ outcome: 'granted' });
    } catch (error) {
      if (!this.stopping.signal.aborted) await this.#fail(messageOf(error));
    }
  }

  async #stamp(checkpoint: OwnCheckpoint): Promise<void> {
    const { log, size, note, createdAt } = checkpoint;
    const { database, checkpoints, url } = this.#services;
    const { timestamps } = checkpoints;
    const token = Buffer.from(await askForTimestamp(url, parseNote(note).body, this.stopping.signal));
    const stamp = await readTimestamp(note, token);
    // Proofs with such a timestamp would fail: it says that messages were in the log before they came.
    if (!isInTime(stamp, createdAt)) throw new Error(`the clock of the authority is behind: it says ${stamp.time.toISOString()}`);
    if (await timestamps.keep(log, size, token)) await this.#state({ ...checkpoint, token, isLate: false });
    await recordAttested(database, url, { log, size });
  }

  /** Makes the log say that it has this timestamp, so that the next one vouches for it. Drops one that verifiers would refuse, and throws. */
  async #state(one: UnstatedTimestamp): Promise<void> {
    const { lists, checkpoints } = this.#services;
    try {
      const stamp = await readTimestamp(one.note, one.token);
      const { lists: crls, problem } = await lists.of(stamp, this.stopping.signal);
      this.#tell(problem);
      // They are asked for again in some minutes.
      if (problem !== undefined && !one.isLate) return await checkpoints.timestamps.noteMissingLists(one);
      const endsAt = firstOf([stamp.certificateEndsAt, stamp.algorithmEndsAt]);
      await checkpoints.timestamps.state(one, { time: stamp.time, endsAt, crls });
    } catch (error) {
      if (error instanceof ProofError) await checkpoints.timestamps.drop(one);
      throw error;
    }
  }

  #tell(problem: string | undefined): void {
    if (problem !== undefined && !this.#isWithoutLists)
      this.logger.warn({ reason: problem }, 'timestamps have no lists of revoked certificates yet');
    if (problem === undefined && this.#isWithoutLists) this.logger.info('lists of revoked certificates are there again');
    this.#isWithoutLists = problem !== undefined;
  }

  async #fail(reason: string): Promise<void> {
    this.#pausedUntil = performance.now() + Math.min(BACKOFF_MAX_S, FIRST_PAUSE_S * 2 ** this.#failures) * 1000;
    this.#failures++;
    this.#requests.inc({ outcome: 'failed' });
    if (this.#failures === 1) this.logger.warn({ reason }, 'no timestamp for a checkpoint; the authority is asked again later');
    await recordFailure(this.#services.database, this.#services.url, reason);
  }
}

function readTimestamp(note: string, token: Buffer): Promise<Timestamp> {
  return verifyTimestamp(Uint8Array.from(token), new TextEncoder().encode(parseNote(note).body));
}
