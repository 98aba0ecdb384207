import { afterAll, inject } from 'vitest';
import { dropCitusCopies } from './database-server.ts';
import { cleanUp } from './process.ts';

/** A setup file, and so run for each test file, whether or not the file before it has loaded the same modules already. */
afterAll(async () => {
  await cleanUp();
  await dropCitusCopies(inject('databaseServer'));
});
