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

/** The server takes no writes. The error code is PostgreSQL's for a write on a standby. */
class IsStandby extends Error {
  readonly code = '25006';
}

export type Connection = pg.ClientConfig & { Client?: typeof LimitedClient };

class NoPrimary extends Error {
  /** The code of an error that waiting does not cure, if there is one. Otherwise that of a failed connection. */
  readonly code: string;

  constructor(errors: ReadonlyMap<string, unknown>) {
    super(`no server is a primary that can be used: ${[...errors].map(([host, error]) => `${host} (${reasonOf(error)})`).join(', ')}`);
    const other = [...errors.values()].find((error) => !isUnavailable(error));
    this.code = other === undefined ? '08001' : (codeOf(other) ?? 'XX000');
  }
}

/** A host name with several addresses fails with an AggregateError without a message. */
export function reasonOf(error: unknown): string {
  return messageOf(error) || (codeOf(error) ?? 'unknown');
}

/** Tries each of several servers once to find the primary. */
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
 * Clients connect to the last known primary. If it is gone or is a standby now, the connection fails, and the next client tries the next
 * server. So the pool finds the new primary after a failover, as it replaces its connections. Connections to the former primary are ended
 * then: it may hang, so that they would never break by themselves.
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
        // Another client may have moved on already.
        if (current === this.#host) current = (current + 1) % urls.length;
        throw error;
      }
      connected.set(this, this.#host);
      this.once('end', () => connected.delete(this));
      for (const [client, host] of connected) if (host !== this.#host) client.destroy(new NoResponse('Another server is the primary now.'));
    }
  };
}
