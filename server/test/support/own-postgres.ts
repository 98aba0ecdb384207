import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import { TEST_SETTINGS } from './database-server.ts';
import { temporaryFolder } from './process.ts';

/** A PostgreSQL for one test file, where the shared one would run out of connections or must not be restarted. */
export interface OwnPostgres {
  /** Returns the URL of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Stops the server until it is restarted. */
  halt(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const log = pino({ level: 'silent' });

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = temporaryFolder();
  let postgres: EmbeddedPostgres = await startEmbeddedPostgres(folder, log, TEST_SETTINGS);
  const command = async (text: string) => {
    const client = new pg.Client({ ...postgres.connection, database: 'postgres' });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  const restart = async () => {
    await postgres.stop();
    postgres = await startEmbeddedPostgres(folder, log, TEST_SETTINGS);
  };
  return {
    createDatabase: async () => {
      const name = `test_${randomBytes(8).toString('hex')}`;
      await command(`CREATE DATABASE ${name} TEMPLATE template0`);
      return `postgres://waybill@localhost/${name}?host=${encodeURIComponent(String(postgres.connection.host))}`;
    },
    halt: () => postgres.stop(),
    restart,
    stop: () => postgres.stop(),
  };
}
