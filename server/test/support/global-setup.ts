import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { Database } from '../../src/platform/postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the socket of the PostgreSQL that all tests share. */
    postgresHost: string;
  }
}

/** Files run side by side, each with a service or two of some twenty connections. */
const CONNECTIONS = 400;

/** One real PostgreSQL for the whole run. Each test file gets a database of its own, copied from a migrated one. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-test-'));
  const log = pino({ level: 'silent' });
  let postgres = await startEmbeddedPostgres(folder, log);
  const template = new Database(postgres.connection, log);
  await migrate(template);
  await template.queryText(`ALTER SYSTEM SET max_connections = ${CONNECTIONS}`);
  await template.close();
  await postgres.stop();
  postgres = await startEmbeddedPostgres(folder, log);
  project.provide('postgresHost', String(postgres.connection.host));
  return async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
