import pg from 'pg';

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
export type Connection = pg.ClientConfig & { Client?: typeof pg.Client };

export const CONNECT_PATIENCE_MS = 5_000;

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
export function newClient({ Client = pg.Client, ...config }: Connection): pg.Client {
  const client = new Client({ connectionTimeoutMillis: CONNECT_PATIENCE_MS, ...config });
  client.on('error', () => {});
  return client;
}

/**
 * Clients that connect to the server that was the primary last. When it is gone or is a standby now, the connection fails, and the
 * next client tries the next server: after a failover, the pool finds the new primary as it replaces its connections.
 */
function clientOfPrimary(urls: readonly string[]): typeof pg.Client {
  let current = 0;
  return class extends pg.Client {
    readonly #host = current;
    #isStandby = false;

    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, connectionString: urls[current] ?? '' });
      // PostgreSQL 14 and later report this when a connection begins, and when it changes.
      this.connection.on('parameterStatus', ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) => {
        if (parameterName === 'in_hot_standby') this.#isStandby = parameterValue === 'on';
      });
    }

    override connect(): Promise<void>;
    override connect(callback: (error?: Error) => void): void;
    override connect(callback?: (error?: Error) => void): Promise<void> | undefined {
      const connected = this.#connect();
      if (!callback) return connected;
      connected.then(() => callback(), callback);
      return undefined;
    }

    async #connect(): Promise<void> {
      try {
        await super.connect();
        if (!this.#isStandby) return;
        await this.end();
        throw new IsStandby('This server is a standby; the next one is tried.');
      } catch (error) {
        // Others may have moved on already.
        if (current === this.#host) current = (current + 1) % urls.length;
        throw error;
      }
    }
  };
}
