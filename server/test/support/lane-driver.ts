import type { LeasedAttempt, Result } from '../../src/modules/webhooks/lane.ts';
import { Lanes, type Reservation } from '../../src/modules/webhooks/lanes.ts';

export const PROMPT = { succeeded: true, statusCode: 204, responseMs: 5 };
export const NO_RESPONSE = { succeeded: false, statusCode: null, responseMs: 10_000 };

/** Drives lanes like a dispatcher, with a clock that only the test moves, and a queue that never runs dry. */
export class LaneDriver {
  readonly lanes = new Lanes();
  now = 0;
  /** The next leases report this about their endpoints. */
  isProven = true;
  urlVersion = 0;
  /** The time at which the rate limit of a webhook allows more. */
  retryMs: number | undefined;
  #ids = 0;

  wake(partyId: bigint, webhookId: string): void {
    this.lanes.wake({ partyId, webhookId });
  }

  fill(reservation: Reservation, count = reservation.places): LeasedAttempt[] {
    const attempts = Array.from({ length: count }, () => ({
      ...{ id: String(++this.#ids), messageId: '', event: 'message.received' as const, subjectId: null, createdMs: 0 },
    }));
    const { urlVersion, isProven, retryMs } = this;
    const found = {
      url: '',
      urlVersion,
      secrets: [''],
      headers: undefined,
      showsCertificate: false,
      isProven,
      clockMs: 0,
      attempts,
      retryMs,
    };
    return this.lanes.fill(reservation, count === 0 && retryMs === undefined ? undefined : found);
  }

  lease(): LeasedAttempt[] {
    return this.lanes.reserve(this.now).flatMap((reservation) => this.fill(reservation));
  }

  prepare(attempts: readonly LeasedAttempt[], bytes = 1_000): void {
    const body = Buffer.alloc(bytes);
    for (const attempt of attempts) this.lanes.prepare(attempt, body);
  }

  send(attempts: readonly LeasedAttempt[]): LeasedAttempt[] {
    const { batch } = this.lanes.send(new Set(attempts.map(({ lane }) => lane)), this.now);
    return batch.map(({ attempt }) => attempt);
  }

  /** Moves attempts from leased to recorded. */
  deliver(attempts: readonly LeasedAttempt[], bytes = 1_000, result: Result = PROMPT): void {
    this.prepare(attempts, bytes);
    for (let sent = this.send(attempts); sent.length > 0; sent = this.send(attempts)) {
      for (const attempt of sent) this.lanes.end(attempt, result);
      this.lanes.record(sent);
    }
  }

  /** Delivers until the woken lanes are at full width and nothing is leased. */
  widen(bytes = 1_000): void {
    for (let rounds = 0; rounds < 40; rounds++) this.deliver(this.lease(), bytes);
  }
}
