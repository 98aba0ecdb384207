import { topicOf } from '../../contract/positions.ts';
import type { Quotas } from '../../contract/quotas.ts';
import type { Announcer } from '../../platform/postgres/announcer.ts';
import { Batches } from '../../platform/postgres/batches.ts';
import { type Database, retryingDeadlocks } from '../../platform/postgres/postgres.ts';
import type { Topics } from '../../platform/postgres/topics.ts';
import type { Files } from '../files/files.ts';
import { type CommitOutcome, type CommitStatements, commitMessages, type ReceivedMessage, receiveMessages } from './commit-store.ts';
import type { PreparedMessage } from './envelope.ts';
import { deleteRelays, findRelay, type HalfMessage, type RelayKey } from './relay-store.ts';

const BATCH_MAX_MESSAGES = 256;
const BATCH_MAX_BYTES = 4 * 1_048_576;
/** Fewer, larger batches cost the database less than two that overlap: starting a batch costs as much as about ten messages. */
const BATCHES_IN_FLIGHT_MAX = 1;
const GATHER_MS = 2;

interface ShardBatches {
  /** Messages whose sender is in this shard: both halves, or the sender's half if the recipient is elsewhere. */
  commits: Batches<PreparedMessage, CommitOutcome>;
  /** The recipient's halves, if the sender is elsewhere. */
  receptions: Batches<ReceivedMessage, void>;
  /** The relays of messages whose recipient's half is committed elsewhere. */
  endings: Batches<RelayKey, void>;
}

/**
 * Every message enters both ledgers here. Messages that arrive together are committed together, which costs less than a transaction for
 * each. In a distributed database, a message between two shards is committed in the sender's shard first, together with a relay that says
 * that the recipient's half is due. Then it is committed in the recipient's shard. If the process dies in between, a sweep commits the
 * second half (relay.ts).
 */
export class Ledger {
  readonly #database: Database;
  readonly #statements: CommitStatements;
  readonly #announcer: Announcer;
  readonly #topics: Topics;
  readonly #files: Pick<Files, 'ofMessages'>;
  readonly #quotas: Quotas;
  readonly #shards: ReadonlyMap<Database, ShardBatches>;

  constructor(
    database: Database,
    statements: CommitStatements,
    { announcer, topics }: { announcer: Announcer; topics: Topics },
    files: Pick<Files, 'ofMessages'>,
    quotas: Quotas,
  ) {
    this.#database = database;
    this.#statements = statements;
    this.#announcer = announcer;
    this.#topics = topics;
    this.#files = files;
    this.#quotas = quotas;
    this.#shards = new Map(database.shards.map((shard) => [shard, this.#openBatches(shard)]));
  }

  /** Resolves once the message is durable in both ledgers, refused, or found to be a repeat. */
  commit(message: PreparedMessage): Promise<CommitOutcome> {
    const committed = this.#batchesOf(message.senderId).commits.add(message);
    return this.#isRelayed(message) ? committed.then((outcome) => this.#relay(message, outcome)) : committed;
  }

  /** Resolves once a committed message is in its recipient's ledger, too: the process that committed the sender's half may have died. */
  async finish(senderId: bigint, messageId: string): Promise<void> {
    if (this.#shards.size === 1) return;
    const half = await findRelay(this.#database.of(senderId), { senderId, messageId });
    if (half) await this.resume(half);
  }

  async resume({ message, fileCount, receivedMs, contentHash }: HalfMessage): Promise<void> {
    const { senderId, id } = message;
    const files = fileCount === 0 ? [] : ((await this.#files.ofMessages(senderId, [id])).get(id) ?? []);
    await this.#receive({ message: { ...message, files }, receivedMs, contentHash });
  }

  /** Does nothing if the recipient's half is there already. */
  async #receive(received: ReceivedMessage): Promise<void> {
    const { senderId, recipientId, id: messageId } = received.message;
    await this.#batchesOf(recipientId).receptions.add(received);
    // A sweep finds and ends a relay that stays behind.
    this.#batchesOf(senderId)
      .endings.add({ senderId, messageId })
      .catch(() => {});
  }

  #batchesOf(partyId: bigint): ShardBatches {
    const batches = this.#shards.get(this.#database.of(partyId));
    if (batches === undefined) throw new Error('a shard has no batches');
    return batches;
  }

  #isRelayed({ senderId, recipientId }: PreparedMessage): boolean {
    return this.#shards.size > 1 && this.#database.of(senderId) !== this.#database.of(recipientId);
  }

  async #relay(message: PreparedMessage, outcome: CommitOutcome): Promise<CommitOutcome> {
    const { outcome: verdict, receivedMs, contentHash } = outcome;
    if (verdict === 'accepted') await this.#receive({ message, receivedMs, contentHash });
    return outcome;
  }

  #openBatches(shard: Database): ShardBatches {
    const bounds = { items: BATCH_MAX_MESSAGES, bytes: BATCH_MAX_BYTES, inFlight: BATCHES_IN_FLIGHT_MAX, gatherMs: GATHER_MS };
    const bytesOf = ({ json }: PreparedMessage) => json?.length ?? 0;
    const isHere = (partyId: bigint) => this.#database.of(partyId) === shard;
    return {
      commits: new Batches({ ...bounds, bytesOf }, (batch) =>
        retryingDeadlocks(async () => {
          const { outcomes, announced } = await commitMessages(shard, this.#statements, batch, isHere, this.#quotas);
          this.#announce(announced);
          this.#tellWaiting(batch);
          return outcomes;
        }),
      ),
      receptions: new Batches({ ...bounds, bytesOf: ({ message }) => bytesOf(message) }, (batch) =>
        retryingDeadlocks(async () => {
          this.#announce(await receiveMessages(shard, this.#statements, batch, isHere));
          this.#tellWaiting(batch.map(({ message }) => message));
          return [];
        }),
      ),
      endings: new Batches({ ...bounds, bytesOf: () => 0 }, async (batch) => {
        await deleteRelays(shard, batch);
        return [];
      }),
    };
  }

  #tellWaiting(batch: readonly PreparedMessage[]): void {
    if (this.#topics.isQuiet) return;
    for (const recipientId of new Set(batch.map((message) => message.recipientId))) this.#topics.tell(topicOf(recipientId));
  }

  #announce(names: string | null): void {
    if (names !== null) this.#announcer.announce(this.#statements.channel, names);
  }
}
