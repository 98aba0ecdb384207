/**
 * `npm run bench`: everything. `npm run bench -- turns <checkout>`: this checkout and another one, in turns. `npm run bench -- citus`: one
 * PostgreSQL and three nodes of Citus, in turns. `npm run bench -- size`: 100,000 messages and 10,000,000, in turns. `npm run
 * bench -- threads`: lists of threads.
 */
const [scenario = 'all', ...args] = process.argv.slice(2);
if (scenario === 'all') await import('./all.ts');
else if (scenario === 'turns') await (await import('./turns.ts')).measureInTurns(args);
else if (scenario === 'citus') await (await import('./citus.ts')).measureCitus();
else if (scenario === 'size') await (await import('./size.ts')).measureSizes();
else if (scenario === 'threads') await (await import('./threads.ts')).measureThreads();
else {
  console.error(`Usage: npm run bench [-- turns <folder of another checkout, and its arguments>... | -- citus | -- size | -- threads]`);
  process.exitCode = 2;
}
