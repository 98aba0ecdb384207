import pg from 'pg';
import type { Logger } from 'pino';
import { Slots } from '../fairness/slots.ts';
import { isDiskFull, NoResponse } from './database-errors.ts';
import type { Connection } from './database-hosts.ts';
import { readOnlyWhile, refusingWhile } from './library-pools.ts';
import { CONNECT_PATIENCE_MS, LimitedClient, withStatementLimit } from './limited-client.ts';
import type { Statement } from './statement.ts';
import {
  inTurn,
  isBroken,
  lend,
  probeRoom,
  type Queryable,
  retryingDeadlocks,
  run,
  runText,
  type TextQueryable,
  transactionOn,
} from './transactions.ts';
import { WriteProbe } from './write-probe.ts';

export { isTimeout, isUnavailable, isUniqueViolation } from './database-errors.ts';
export { onlyRow, type Queryable, retryingDeadlocks, type TextQueryable, transactionOn } from './transactions.ts';

const POOL_CONNECTIONS = 16;
const SESSION_CONNECTIONS = 12;
/** The connections that may be held by work outside of the database, such as on disk. */
const EXCLUSIVE_CONNECTIONS = 4;
const LOCK_PATIENCE_MS = 10_000;

interface OtherConnections {
  /**
   * A connection to PostgreSQL itself, if the usual one leads to a pooler: there, two transactions of one client may run on two connections, so that
   * neither LISTEN nor named statements last.
   */
  direct?: Connection | undefined;
  /** A connection for transactions that may change shared tables, if the usual one leads to the node of one shard. */
  transactions?: Connection | undefined;
  poolSize?: number;
  /** The probes of the servers that this database consists of. Default: its one server is watched. */
  writes?: readonly WriteProbe[];
}

interface ShardWrites {
  shard: number;
  node: string | undefined;
  areCommitted: boolean;
}

/** The number of the shard that has a party's rows. A receipt's token has only the last byte of its sender, so there are at most 256 shards. */
function shardOf(partyId: bigint, shards: number): number {
  return shards === 1 ? 0 : Number(partyId & BigInt(shards - 1));
}

/** A distributed database has schemas shard_0, shard_1 and so on, each with the rows of some parties. Their number is a power of two. */
export function schemaOf(shard: number): string {
  return `shard_${shard}`;
}

export function pathOf(shard: number): string {
  return `${schemaOf(shard)}, public`;
}

export class Database implements TextQueryable {
  #pool: pg.Pool;
  readonly #transactionPool: pg.Pool;
  readonly #sessionPool: pg.Pool;
  readonly #isNamed: boolean;
  readonly #log: Logger;
  #shards: readonly Database[] = [this];
  #takesTurns = false;
  readonly #exclusive = new Slots(EXCLUSIVE_CONNECTIONS);
  readonly #queues = new Map<string, Promise<void>>();
  #isFull = false;
  #probe: Promise<void> | undefined;
  #writes: readonly WriteProbe[];
  readonly #clients = new Set<pg.PoolClient>();

  constructor(connection: Connection, log: Logger, { direct, transactions, poolSize = POOL_CONNECTIONS, writes }: OtherConnections = {}) {
    const hasPooler = direct !== undefined && direct !== connection;
    const other = transactions ?? (hasPooler ? direct : undefined);
    this.#log = log;
    this.#pool = this.#openPool(connection, poolSize);
    this.#sessionPool = other === undefined ? this.#pool : this.#openPool(other, Math.min(poolSize, SESSION_CONNECTIONS));
    this.#transactionPool = transactions === undefined ? this.#pool : this.#sessionPool;
    this.#isNamed = !hasPooler;
    this.#writes = writes ?? [new WriteProbe(direct ?? connection, () => this.breakConnections(), log)];
  }

  /** Sends single statements to another node, which has the rows now. Statements under way end on the former node. */
  moveTo(connection: Connection, writes: readonly WriteProbe[]): void {
    const former = this.#pool;
    this.#pool = this.#openPool(connection, former.options.max);
    this.#writes = writes;
    former.end().catch((error) => this.#log.warn(error, 'connections to the former node could not be closed'));
  }

  /**
   * From now on, these shards have the rows of parties, and this database has the shared tables. The number of shards is a power of two. On Citus, a
   * write locks a shared (reference) table as a whole: transactions here take turns, because they would deadlock.
   */
  setShards(shards: readonly Database[], takesTurns = false): void {
    this.#shards = shards;
    this.#takesTurns = takesTurns;
  }

  get shards(): readonly Database[] {
    return this.#shards;
  }

  of(partyId: bigint): Database {
    return this.#shards[shardOf(partyId, this.#shards.length)] ?? this;
  }

  /** Runs the work in each shard that has parties of the items. The results have no order. */
  async inShards<T extends { partyId: bigint }, R>(
    items: readonly T[],
    work: (shard: Database, items: readonly T[]) => Promise<Iterable<R>>,
  ): Promise<R[]> {
    if (this.#shards.length === 1) return [...(await work(this, items))];
    const groups = Map.groupBy(items, ({ partyId }) => this.of(partyId));
    const results = await Promise.all([...groups].map(([shard, mine]) => work(shard, mine)));
    return results.flatMap((result) => [...result]);
  }

  get writes(): readonly WriteProbe[] {
    return this.#writes;
  }

  get #areWritesHanging(): boolean {
    return this.#writes.some(({ isHanging }) => isHanging);
  }

  /** A pool for libraries that run statements and transactions. */
  get pool(): pg.Pool {
    return (this.#isNamed ? readOnlyWhile : refusingWhile)(() => this.#areWritesHanging, this.#pool);
  }

  /** A pool for libraries that need their own connection, such as for LISTEN. */
  get sessionPool(): pg.Pool {
    return refusingWhile(() => this.#areWritesHanging, this.#sessionPool);
  }

  query<Row>(statement: Statement<Row>, values?: unknown[]): Promise<Row[]> {
    if (this.#areWritesHanging) return this.#readOnly((tx) => tx.query(statement, values));
    return run(this.#pool, statement, values, this.#isNamed).catch((error) => this.#note(error));
  }

  queryText<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]> {
    if (this.#areWritesHanging) return this.#readOnly((tx) => tx.queryText<Row>(text, values));
    return runText<Row>(this.#pool, text, values).catch((error) => this.#note(error));
  }

  /** After a deadlock, all the work is repeated, so it must change nothing but the database. */
  async transaction<T>(work: (tx: TextQueryable) => Promise<T>): Promise<T> {
    return retryingDeadlocks(() => this.#transactionOnce(this.#takesTurns ? inTurn(work) : work));
  }

  #transactionOnce<T>(work: (tx: TextQueryable) => Promise<T>): Promise<T> {
    if (this.#areWritesHanging) return this.#readOnly(work);
    return lend(this.#transactionPool, (client) => transactionOn(client, work, this.#isNamed)).catch((error) => this.#note(error));
  }

  /** While writes hang, reads go on, and PostgreSQL refuses writes at once. */
  #readOnly<T>(work: (tx: TextQueryable) => Promise<T>): Promise<T> {
    const transaction = (client: pg.PoolClient) => transactionOn(client, work, this.#isNamed, 'BEGIN READ ONLY');
    return lend(this.#pool, transaction, isBroken).catch((error) => this.#note(error));
  }

  acrossShards<T>(work: (of: (partyId: bigint) => Queryable) => Promise<T>): Promise<T> {
    const count = this.#shards.length;
    if (count === 1) return this.transaction((tx) => work(() => tx));
    return this.transaction((tx) => {
      let path = '';
      return work((partyId) => ({
        query: async (statement, values) => {
          const wanted = pathOf(shardOf(partyId, count));
          if (wanted !== path) await tx.queryText(`SET LOCAL search_path = ${wanted}`);
          path = wanted;
          return tx.query(statement, values);
        },
      }));
    });
  }

  /** Rejects while the disk of the database is full, which reads do not show. Once a write has failed, this tests by writing. */
  async requireRoom(): Promise<void> {
    for (const shard of this.#shards) if (shard !== this) await shard.requireRoom();
    if (!this.#isFull) return;
    this.#probe ??= lend(this.#pool, probeRoom).finally(() => {
      this.#probe = undefined;
    });
    await this.#probe;
    this.#isFull = false;
  }

  /** Whether each shard commits writes, which reads do not show. Costs a write on each server whose last proof is some seconds old. */
  writesByShard(): Promise<ShardWrites[]> {
    const isProven = (shard: Database) =>
      Promise.all(shard.writes.map((probe) => probe.prove())).then(
        () => true,
        () => false,
      );
    const all = this.#shards.map(async (shard, number) => ({
      shard: number,
      node: shard.writes[0]?.node,
      areCommitted: await isProven(shard),
    }));
    return Promise.all(all);
  }

  #note(error: unknown): never {
    this.#isFull ||= isDiskFull(error);
    if (error instanceof NoResponse) for (const probe of this.#writes) void probe.suspect();
    throw error;
  }

  /** Fails all statements under way, because their server does not respond. */
  breakConnections(): void {
    for (const shard of this.#shards) if (shard !== this) shard.breakConnections();
    for (const client of this.#clients)
      if (client instanceof LimitedClient) client.destroy(new NoResponse('The database does not respond.'));
  }

  /**
   * Runs one piece of work at a time for each name, across all processes that share the database. Within this process, waiting work holds no
   * connection.
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(name);
    const mine = (before ?? Promise.resolve()).then(() => this.#exclusive.take(() => this.#withLock(name, work)));
    const settled = mine.then(
      () => {},
      () => {},
    );
    this.#queues.set(name, settled);
    void settled.then(() => {
      if (this.#queues.get(name) === settled) this.#queues.delete(name);
    });
    return mine;
  }

  /** Runs the work, unless work of the same name is under way in any process. Returns undefined if it is. */
  ifAlone<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    return this.#transactionOnce(async (tx) => {
      const [lock] = await tx.queryText<{ isMine: boolean }>('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isMine"', [
        name,
      ]);
      return lock?.isMine ? work() : undefined;
    });
  }

  #withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#transactionOnce(async (tx) => {
      await tx.queryText("SELECT set_config('lock_timeout', $1, true)", [`${LOCK_PATIENCE_MS}ms`]);
      await withStatementLimit(2 * LOCK_PATIENCE_MS, () => tx.queryText('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]));
      return work();
    });
  }

  withSession<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return lend(this.sessionPool, work).catch((error) => this.#note(error));
  }

  async close(): Promise<void> {
    for (const probe of this.#writes) probe.stop();
    for (const shard of this.#shards) if (shard !== this) await shard.close();
    await this.#pool.end();
    if (this.#sessionPool !== this.#pool) await this.#sessionPool.end();
  }

  #openPool(connection: Connection, max: number): pg.Pool {
    const settings = { Client: LimitedClient, ...connection, max, connectionTimeoutMillis: CONNECT_PATIENCE_MS };
    const pool = new pg.Pool({ ...settings, application_name: 'waybill' });
    // The pool replaces a broken connection. Without a listener, its error would end the process.
    pool.on('error', (error) => {
      if (!pool.ending) this.#log.warn({ reason: error.message }, 'lost a database connection');
    });
    pool.on('connect', (client) => this.#clients.add(client));
    pool.on('remove', (client) => this.#clients.delete(client));
    return pool;
  }
}
