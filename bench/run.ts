/** `npm run bench`: everything. `npm run bench -- turns <checkout>`: this checkout and another one, in turns. `threads`: lists of threads. */
const [scenario = 'all', ...args] = process.argv.slice(2);
if (scenario === 'all') await import('./all.ts');
else if (scenario === 'turns') await (await import('./turns.ts')).measureInTurns(args);
else if (scenario === 'threads') await (await import('./threads.ts')).measureThreads();
else {
  console.error(`Usage: npm run bench [-- turns <folder of another checkout, and its arguments>... | threads]`);
  process.exitCode = 2;
}
