import type pg from 'pg';
import { NoResponse } from './database-errors.ts';
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

/** Of several servers, tries each once to find the primary, and rejects like the last one if there is none. */
export async function connectionTo(url: string): Promise<Connection> {
  const urls = eachHost(url);
  if (urls.length === 1) return { connectionString: url };
  const connection = { Client: clientOfPrimary(urls) };
  for (let tried = 1; ; tried++) {
    const client = newClient(connection);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      if (tried === urls.length) throw error;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** A client whose connection may break without ending the process. */
export function newClient({ Client = LimitedClient, ...config }: Connection): LimitedClient {
  const client = new Client(config);
  client.on('error', () => {});
  return client;
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
          throw new IsStandby('This server is a standby; the next one is tried.');
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
