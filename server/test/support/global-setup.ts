import type { TestProject } from 'vitest/node';
import { type DatabaseServer, openDatabaseServer, type ServerAddress } from './database-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL that all tests share. */
    databaseServer: ServerAddress;
  }
}

/** Each project loads this file for itself; the server, and how many projects use it, are known to all of them. */
const shared = globalThis as { databaseServer?: Promise<DatabaseServer>; databaseUsers?: number };

/** One real PostgreSQL for the whole run, which the first project opens and the last closes: that of DATABASE_URL, or an embedded one. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  shared.databaseServer ??= openDatabaseServer(process.env.DATABASE_URL);
  shared.databaseUsers = (shared.databaseUsers ?? 0) + 1;
  const server = await shared.databaseServer;
  project.provide('databaseServer', server.address);
  return async () => {
    shared.databaseUsers = (shared.databaseUsers ?? 1) - 1;
    if (shared.databaseUsers === 0) await server.close();
  };
}
