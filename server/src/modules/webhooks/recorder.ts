import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from './attempt-request.ts';

const BATCH_MAX = 512;
const RETRY_MS = 250;

interface Recording {
  /** Resolves once more outcomes have had time to join the batch. */
  gather(): Promise<void>;
  /** Resolves to false if the write failed. */
  write(batch: readonly Outcome[]): Promise<boolean>;
  onBatch(batch: readonly Outcome[]): void;
  onEnd(batch: readonly Outcome[], isWritten: boolean): void;
}

/** Records outcomes in batches, one after another. Retries while the database can't be reached. */
export class Recorder {
  readonly #recording: Recording;
  #outcomes: Outcome[] = [];
  #isRunning = false;
  #isStopped = false;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** Returns a promise if this started a run. The run ends when nothing is left to record. */
  add(outcome: Outcome): Promise<void> | undefined {
    this.#outcomes.push(outcome);
    return this.#isRunning ? undefined : this.#run();
  }

  /** From now on, a batch that can't be written is not retried. */
  stop(): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { gather, write, onBatch, onEnd } = this.#recording;
    while (this.#outcomes.length > 0) {
      await gather();
      const batch = this.#outcomes.splice(0, BATCH_MAX);
      onBatch(batch);
      let isWritten = await write(batch);
      while (!isWritten && !this.#isStopped) {
        await sleep(RETRY_MS);
        isWritten = await write(batch);
      }
      onEnd(batch, isWritten);
    }
    this.#isRunning = false;
  }
}
