import { afterAll, inject } from 'vitest';
import { dropCitusCopies } from './database-server.ts';
import { cleanUp } from './process.ts';

/** A setup file, which vitest runs for each test file, even if the modules are already loaded. */
afterAll(async () => {
  await cleanUp();
  await dropCitusCopies(inject('databaseServer'));
});
