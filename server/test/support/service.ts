import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import { inject } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { KeyScope } from '../../src/contract/api-key.ts';
import { formatId } from '../../src/contract/ids.ts';
import { createAgent, createKey } from '../../src/modules/agents/agents.ts';
import { PartyDirectory } from '../../src/modules/parties/directory.ts';
import { ChangeFeed } from '../../src/platform/postgres/change-feed.ts';
import { connectionTo } from '../../src/platform/postgres/database-hosts.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { openShards } from '../../src/platform/shards/shards.ts';
import { type Role, startService } from '../../src/service.ts';
import { Api } from './api.ts';
import { copyTemplate, createUndistributed, settingsFor } from './database-server.ts';
import { dataFolderOf } from './process.ts';
import { everywhere, SHARDS } from './sharded.ts';

/** A service for one test file, in this process, on a free port and a fresh database. */
export interface TestService {
  url: string;
  databaseUrl: string;
  /** The URL of kept mails, with the token. Empty if there is a mail server. */
  keptMailsAt: string;
  anonymous: Api;
  /** Creates a business with one agent. */
  business(handle: string, options?: { segment?: string; scope?: KeyScope; claimed?: boolean }): Promise<TestBusiness>;
  /** Inspects rows, or moves a clock. It must not replace checks that are possible by HTTP. */
  sql<T extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<T[]>;
  database: Database;
  /** Another instance of the service on the same database. */
  sibling(env?: Record<string, string>): Promise<{ url: string; anonymous: Api; stop(): Promise<void> }>;
  stop(): Promise<void>;
}

export interface TestBusiness {
  handle: string;
  agentId: string;
  keyId: string;
  secret: string;
  api: Api;
  withKey(scope: KeyScope): Promise<Api>;
}

/**
 * A database in the run's PostgreSQL: migrated and empty, not even migrated (`template0`), or not distributed in any run and maybe not
 * migrated (`undistributed`).
 */
export function createDatabase(template: 'waybill' | 'template0' | 'undistributed' = 'waybill'): Promise<string> {
  const server = inject('databaseServer');
  if (template === 'undistributed' && SHARDS > 0) return createUndistributed(server);
  return copyTemplate(server, template !== 'template0');
}

const log = pino({ level: 'fatal' });

/** Undefined if the pages were never built. Tests that are not about pages use an old build, and do not wait for a new one. */
export function anyPages(): string | undefined {
  const folder = path.resolve(import.meta.dirname, '../../../web/dist');
  const [name] = existsSync(folder) ? readdirSync(folder).filter((one) => !one.startsWith('.')) : [];
  return name === undefined ? undefined : path.join(folder, name);
}

export async function startTestService(
  env: Record<string, string> = {},
  role: Role = 'all',
  pagesFolder: string | undefined = anyPages(),
): Promise<TestService> {
  const databaseUrl = env['DATABASE_URL'] ?? (await createDatabase());
  const start = (more: Record<string, string>) =>
    startService(
      readConfig({
        PORT: '0',
        RATE_LIMIT_PER_MINUTE: '0',
        PUBLIC_RATE_LIMIT_PER_MINUTE: '0',
        DATA_DIR: dataFolderOf(databaseUrl),
        LOG_KEY_PLAINTEXT: 'allow',
        ...env,
        ...settingsFor(inject('databaseServer'), databaseUrl),
        ...more,
      }),
      role,
      log,
      { pages: pagesFolder },
    );
  const service = await start({});
  // There is no proxy at a public address with TLS.
  const url = service.publicUrl.startsWith('https:') ? service.address : service.publicUrl;
  const connection = await connectionTo(databaseUrl);
  const database = new Database(connection, log);
  const unfollow = await openShards(database, connection, log);
  const parties = new PartyDirectory(database, new ChangeFeed(connection, log));
  return {
    url,
    databaseUrl,
    keptMailsAt: service.keptMailsAt ?? '',
    anonymous: new Api(url),
    business: async (handle, { segment, scope = 'read_write', claimed = false } = {}) => {
      const { id } = await parties.create(handle, `The ${handle} company`, claimed);
      const agent = await createAgent(database, id, { name: `Agent of ${handle}`, segment });
      const key = await createKey(database, id, agent.id, scope);
      const withKey = async (wanted: KeyScope) => new Api(url, (await createKey(database, id, agent.id, wanted)).secret);
      return {
        handle,
        agentId: formatId('agt', agent.id),
        keyId: formatId('key', key.id),
        secret: key.secret,
        api: new Api(url, key.secret),
        withKey,
      };
    },
    sql: (text, values = []) => everywhere(database, text, values),
    database,
    sibling: async (more = {}) => {
      const other = await start(more);
      return { url: other.publicUrl, anonymous: new Api(other.publicUrl), stop: () => other.stop() };
    },
    stop: async () => {
      unfollow();
      await database.close();
      await service.stop();
    },
  };
}
