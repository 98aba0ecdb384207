import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabaseServer, type ServerAddress } from './database-server.ts';
import { noteFolder } from './run-folders.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL that all tests share. */
    databaseServer: ServerAddress;
    /** A folder that lasts as long as the run. */
    runFolder: string;
  }
}

interface Run {
  folder: string;
  address: ServerAddress;
  close(): Promise<void>;
}

/** Each project loads this file separately. They share the run, and the number of projects in it. */
const shared = globalThis as { testRun?: Promise<Run>; projectsInRun?: number };

/**
 * One real PostgreSQL for the whole run, which the first project opens and the last one closes: that of DATABASE_URL, or an embedded one.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  shared.testRun ??= openRun();
  shared.projectsInRun = (shared.projectsInRun ?? 0) + 1;
  const { folder, address, close } = await shared.testRun;
  project.provide('databaseServer', address);
  project.provide('runFolder', folder);
  return async () => {
    shared.projectsInRun = (shared.projectsInRun ?? 1) - 1;
    if (shared.projectsInRun === 0) await close();
  };
}

async function openRun(): Promise<Run> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-test-'));
  noteFolder(folder);
  const citusUrls = (process.env['CITUS_NODES'] ?? '').split(' ').filter(Boolean);
  const server = await openDatabaseServer(process.env['DATABASE_URL'], folder, citusUrls);
  const close = async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, address: server.address, close };
}
