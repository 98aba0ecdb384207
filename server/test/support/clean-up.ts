import { afterAll } from 'vitest';
import { cleanUp } from './process.ts';

/** A setup file, and so run for each test file, whether or not the file before it has loaded the same modules already. */
afterAll(cleanUp);
