import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { WRITE_PROOF_FRESH_MS, WRITE_PROOF_MAX_MS } from '../../contract/limits.ts';
import { messageOf } from '../../contract/thrown.ts';
import { NoResponse } from './database-errors.ts';
import { type Connection, newClient } from './database-hosts.ts';
import { withStatementLimit } from './limited-client.ts';

/** This commit is written to disk and waits for synchronous standbys like any other, but changes no table. */
const WRITE = `SELECT pg_logical_emit_message(true, 'waybill', '')`;
const RETRY_MS = 500;

/**
 * Knows whether a server commits writes. Reads do not show it: a commit waits forever for a synchronous standby that is gone. On request or
 * suspicion, one write at a time is tried, until one is committed.
 */
export class WriteProbe {
  readonly node: string | undefined;
  readonly #connection: Connection;
  readonly #onSilence: () => void;
  readonly #log: Logger;
  #provenAt = Number.NEGATIVE_INFINITY;
  #underWay: Promise<void> | undefined;
  #isHanging = false;
  #isStopped = false;

  /** `onSilence` is called when the server does not even respond to a new connection. */
  constructor(connection: Connection, onSilence: () => void, log: Logger, node?: string) {
    this.node = node;
    this.#connection = connection;
    this.#onSilence = onSilence;
    this.#log = log;
  }

  /** While writes hang, none may be tried, because each would hold a connection of the server. */
  get isHanging(): boolean {
    return this.#isHanging;
  }

  /** Resolves if a write was committed within the last seconds, or is committed now. Rejects if that takes too long. */
  async prove(): Promise<void> {
    if (performance.now() - this.#provenAt < WRITE_PROOF_FRESH_MS) return;
    const late = Symbol('late');
    const first = await Promise.race([this.suspect(), sleep(WRITE_PROOF_MAX_MS, late, { ref: false })]);
    if (first === late || this.#isStopped) throw new NoResponse('Writes to the database hang.');
  }

  /** Call it when a statement takes long. Resolves when a write has been committed. */
  suspect(): Promise<void> {
    this.#underWay ??= withStatementLimit(Number.POSITIVE_INFINITY, () => this.#untilProven()).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #untilProven(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#write();
        if (this.#isStopped) return;
        if (this.#isHanging) this.#log.info({ node: this.node }, 'the database commits writes again');
        this.#isHanging = false;
        this.#provenAt = performance.now();
        return;
      } catch (error) {
        this.#suspend(messageOf(error));
        if (error instanceof NoResponse) this.#onSilence();
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  /** Waits for one commit as long as the server lives, because others would hang as well. */
  async #write(): Promise<void> {
    const client = newClient(this.#connection);
    try {
      await client.connect();
      const written = client.query(WRITE).then(() => true);
      written.catch(() => {});
      while (!(await Promise.race([written, sleep(WRITE_PROOF_MAX_MS, false, { ref: false })]))) {
        if (this.#isStopped) break;
        this.#suspend('a commit hangs');
        await this.#requireLife();
      }
    } finally {
      client.end().catch(() => {});
    }
  }

  async #requireLife(): Promise<void> {
    const client = newClient(this.#connection);
    try {
      await withStatementLimit(WRITE_PROOF_MAX_MS, async () => {
        await client.connect();
        await client.query('SELECT 1');
      });
    } finally {
      client.end().catch(() => {});
    }
  }

  #suspend(reason: string): void {
    if (!this.#isHanging && !this.#isStopped)
      this.#log.error({ reason, node: this.node }, 'the database commits no writes; they are refused until it does');
    this.#isHanging = true;
  }
}
