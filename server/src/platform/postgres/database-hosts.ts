import type pg from 'pg';
import { codeOf, messageOf } from '../../contract/thrown.ts';
import { isUnavailable, NoResponse } from './database-errors.ts';
import { LimitedClient } from './limited-client.ts';

const HOST_LIST = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** One connection string for each server of a list such as `postgres://waybill@a.example:5432,b.example/waybill`. */
export function eachHost(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = HOST_LIST.exec(url) ?? [];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/** The server takes no writes. The code is the one that PostgreSQL gives to a write on a standby. */
class IsStandby extends Error {
  readonly code = '25006';
}

/** How to connect to PostgreSQL: to the one server, or to the primary of several. */
export type Connection = pg.ClientConfig & { Client?: typeof LimitedClient };

/** No server of several is a primary that can be used. The message says of each why not. */
export class NoPrimary extends Error {
  /** Of the error that waiting does not help with, if there is one; otherwise that of a connection that could not be made. */
  readonly code: string;

  constructor(errors: ReadonlyMap<string, unknown>) {
    super(`no server is a primary that can be used: ${[...errors].map(([host, error]) => `${host} (${reasonOf(error)})`).join(', ')}`);
    const other = [...errors.values()].find((error) => !isUnavailable(error));
    this.code = other === undefined ? '08001' : (codeOf(other) ?? 'XX000');
  }
}

/** A host name with several addresses fails with one error for each address, and an AggregateError without a message. */
export function reasonOf(error: unknown): string {
  return messageOf(error) || (codeOf(error) ?? 'unknown');
}

/** Of several servers, tries each once to find the primary. */
export async function connectionTo(url: string): Promise<Connection> {
  const urls = eachHost(url);
  if (urls.length === 1) return { connectionString: url };
  const connection = { Client: clientOfPrimary(urls) };
  const errors = new Map<string, unknown>();
  for (const tried of urls) {
    const client = newClient(connection);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      errors.set(new URL(tried).host, error);
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw new NoPrimary(errors);
}

export function newClient({ Client = LimitedClient, ...config }: Connection): LimitedClient {
  return new Client(config);
}

/**
 * Clients that connect to the server that was the primary last. When it is gone or is a standby now, the connection fails, and the
 * next client tries the next server: after a failover, the pool finds the new primary as it replaces its connections. Connections to the
 * former primary end then: it may hang, so that they would never break by themselves.
 */
function clientOfPrimary(urls: readonly string[]): typeof LimitedClient {
  let current = 0;
  const connected = new Map<LimitedClient, number>();
  return class extends LimitedClient {
    readonly #host = current;
    #isStandby = false;

    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, connectionString: urls[current] ?? '' });
      // PostgreSQL 14 and later report this when a connection begins, and when it changes.
      this.connection.on('parameterStatus', ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) => {
        if (parameterName === 'in_hot_standby') this.#isStandby = parameterValue === 'on';
      });
    }

    protected override async open(): Promise<void> {
      try {
        await super.open();
        if (this.#isStandby) {
          await this.end();
          throw new IsStandby('is a standby');
        }
      } catch (error) {
        // Others may have moved on already.
        if (current === this.#host) current = (current + 1) % urls.length;
        throw error;
      }
      connected.set(this, this.#host);
      this.once('end', () => connected.delete(this));
      for (const [client, host] of connected) if (host !== this.#host) client.destroy(new NoResponse('Another server is the primary now.'));
    }
  };
}
