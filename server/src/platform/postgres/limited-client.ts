import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { STATEMENT_MAX_MS } from '../../contract/limits.ts';
import { messageOf } from '../../contract/thrown.ts';
import { NoResponse } from './database-errors.ts';

/** A silent server counts as gone after this time. */
const KEEPALIVE_AFTER_MS = 10_000;
/** A server that hangs does not close its end of a connection. */
const END_PATIENCE_MS = 2_000;

export const CONNECT_PATIENCE_MS = 5_000;

const limit = new AsyncLocalStorage<number>();

/** Limits each statement of the work, COMMIT included. `Infinity`: no limit. */
export function withStatementLimit<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return limit.run(ms, work);
}

export function statementLimit(): number {
  return limit.getStore() ?? STATEMENT_MAX_MS;
}

function hasLimit(query: unknown): query is { limitMs: number } {
  return typeof query === 'object' && query !== null && 'limitMs' in query && typeof query.limitMs === 'number';
}

/**
 * A client that destroys its connection when the server has not responded to a statement in time: a server that hangs can't be asked to cancel
 * anything. The server ends a statement whose connection is gone, except a COMMIT that waits for a standby.
 */
export class LimitedClient extends pg.Client {
  #unfinished = 0;
  #limitMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** All forms of the method that pg declares are passed on as they are. */
  override query: pg.Client['query'] = (...args: unknown[]) => {
    const [query] = args;
    this.#unfinished++;
    this.#limitMs = hasLimit(query) ? query.limitMs : statementLimit();
    this.#watch();
    return Reflect.apply(super.query, this, args);
  };

  constructor(config: pg.ClientConfig = {}) {
    super({
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
      connectionTimeoutMillis: CONNECT_PATIENCE_MS,
      ...config,
    });
    // A connection may break at any time. Without a listener, its error would end the process.
    this.on('error', () => {});
    this.connection.on('readyForQuery', () => {
      this.#unfinished = Math.max(0, this.#unfinished - 1);
      this.#watch();
    });
    this.once('end', () => {
      this.#unfinished = 0;
      this.#watch();
    });
  }

  override connect(): Promise<void>;
  override connect(callback: (error?: Error) => void): void;
  override connect(callback?: (error?: Error) => void): Promise<void> | undefined {
    const connected = this.open();
    if (!callback) return connected;
    connected.then(() => callback(), callback);
    return undefined;
  }

  protected async open(): Promise<void> {
    await super.connect().catch((error) => {
      if (messageOf(error) !== 'timeout expired') throw error;
      throw new NoResponse(`no response from ${this.host}:${this.port} within ${CONNECT_PATIENCE_MS / 1000} s`);
    });
    // Not every system that PostgreSQL runs on supports this.
    await super.query(`SET client_connection_check_interval = '5s'`).catch(() => {});
  }

  destroy(error: Error): void {
    this.connection.stream.destroy(error);
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const timer = setTimeout(() => this.connection.stream.destroy(), END_PATIENCE_MS).unref();
    this.once('end', () => clearTimeout(timer));
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#unfinished === 0 || this.#limitMs === Number.POSITIVE_INFINITY) return;
    const seconds = this.#limitMs / 1000;
    this.#timer = setTimeout(() => this.destroy(new NoResponse(`The database has not responded within ${seconds} s.`)), this.#limitMs);
  }
}
