import { isInTime, parseNote, verifyTimestamp } from '@waybill/proof';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { messageOf } from '../../contract/thrown.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { recordAttested, recordFailure } from './attestor-store.ts';
import type { CheckpointSource, OwnCheckpoint } from './checkpoint-source.ts';
import { Duty } from './duty.ts';
import { askForTimestamp } from './timestamp-request.ts';
import { tokenIn } from './timestamp-response.ts';

interface TimestampServices {
  database: Database;
  checkpoints: CheckpointSource;
  url: string;
  metrics: Registry;
}

const EVERY_MS = 5_000;
const HELD_S = 60;
const BACKOFF_MAX_S = 15 * 60;
const FIRST_PAUSE_S = 10;

/** Gets an RFC 3161 token for the newest checkpoint each hour, if the log has grown. */
export class Timestamps extends Duty {
  readonly #services: TimestampServices;
  readonly #requests: Counter<'outcome'>;
  #failures = 0;
  #pausedUntil = 0;

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

  async #stamp({ log, size, note, createdAt }: OwnCheckpoint): Promise<void> {
    const { database, checkpoints, url } = this.#services;
    const { body } = parseNote(note);
    const { response, nonce } = await askForTimestamp(url, body, this.stopping.signal);
    const token = tokenIn(response, nonce);
    const stamp = await verifyTimestamp(Uint8Array.from(token), new TextEncoder().encode(body));
    // Proofs with such a timestamp would fail: it says that messages were in the log before they came.
    if (!isInTime(stamp, createdAt)) throw new Error(`the clock of the authority is behind: it says ${stamp.time.toISOString()}`);
    await checkpoints.keepTimestamp(log, size, token);
    await recordAttested(database, url, { log, size });
  }

  async #fail(reason: string): Promise<void> {
    this.#pausedUntil = performance.now() + Math.min(BACKOFF_MAX_S, FIRST_PAUSE_S * 2 ** this.#failures) * 1000;
    this.#failures++;
    this.#requests.inc({ outcome: 'failed' });
    if (this.#failures === 1) this.logger.warn({ reason }, 'no timestamp for a checkpoint; the authority is asked again later');
    await recordFailure(this.#services.database, this.#services.url, reason);
  }
}
