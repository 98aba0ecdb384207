import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Refusal } from '../../contract/errors.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { tellOfErrors } from './follow-errors.ts';
import { type FollowStatements, followParty, positionsOf, rebuildThread } from './follow-store.ts';

export { awaitRounds } from './follow-store.ts';

/** A request that reads what follows from entries waits for them for this long. */
const PATIENCE_MS = 3_000;
const BUSY_MS = 20;
const ENTRIES_PER_ROUND = 1_000;

/** What follows from the ledger of one business, for requests that read it: they need not wait for a worker, and do nothing for other businesses. */
export class Following {
  readonly #database: Database;
  readonly #statements: FollowStatements;
  readonly #log: Logger;
  readonly #rounds = new Map<bigint, Promise<void>>();

  constructor(database: Database, statements: FollowStatements, log: Logger) {
    this.#database = database;
    this.#statements = statements;
    this.#log = log;
  }

  /** Makes sure that the followers have read every entry that is in the ledger of the business now. It does not wait for later ones. */
  async catchUp(partyId: bigint): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    const shard = this.#database.of(partyId);
    const { last, through } = await positionsOf(shard, partyId);
    for (let reached = through; reached < last; reached = (await positionsOf(shard, partyId)).through) {
      if (performance.now() > until)
        throw new Refusal('unavailable', 'New messages are still being read. Try again soon.', { retryAfterS: 1 });
      await this.#round(partyId);
    }
  }

  /** For a thread that is older than the index of threads, and that no worker has reached. */
  rebuildThread(partyId: bigint, threadId: string): Promise<void> {
    return rebuildThread(this.#database.of(partyId), this.#statements, partyId, threadId);
  }

  /** Requests of one business that come at the same time share a round. */
  #round(partyId: bigint): Promise<void> {
    const underWay = this.#rounds.get(partyId);
    if (underWay) return underWay;
    const round = this.#follow(partyId).finally(() => this.#rounds.delete(partyId));
    this.#rounds.set(partyId, round);
    return round;
  }

  async #follow(partyId: bigint): Promise<void> {
    const round = await followParty(this.#database.of(partyId), this.#statements, partyId, ENTRIES_PER_ROUND);
    if (round === undefined) await sleep(BUSY_MS);
    else tellOfErrors(this.#log, round.errors);
  }
}
