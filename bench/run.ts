/**
 * `npm run bench`: everything. `npm run bench -- turns <checkout>`: this checkout and another one, in turns. `npm run bench -- batch [<checkout>]`: what the database does for a send, by size of the batch, and counted. `npm run bench -- citus`: one
 * PostgreSQL and three nodes of Citus, in turns. `npm run bench -- size`: 100,000 messages and 10,000,000 (or the number that follows), in turns. `npm run
 * bench -- threads`: lists of threads, and searches. `npm run bench -- waits`: what sends of four processes wait for. `npm run bench -- webhooks`: rate, processor
 * time and latency of deliveries. `npm run bench -- ordered`: deliveries to an ordered endpoint. `npm run bench -- consumers`: how fast workers drain a consumer, and how soon they get a message.
 * `npm run bench -- planner`: what SQL functions gain by the planner options that they switch off. `npm run bench -- log`: how soon a message is in a checkpoint of the log, and what a leaf costs.
 * `npm run bench -- promises`: the processor time of a promise, by how many share a signature.
 * `npm run bench -- upgrade [<messages>]`: the first start on a database of release 0.2 with 1,000,000 messages.
 */
const [scenario = 'all', ...args] = process.argv.slice(2);
if (scenario === 'all') await import('./all.ts');
else if (scenario === 'turns') await (await import('./turns.ts')).measureInTurns(args);
else if (scenario === 'batch') await (await import('./batch.ts')).measureBatches(args);
else if (scenario === 'citus') await (await import('./citus.ts')).measureCitus();
else if (scenario === 'size') await (await import('./size.ts')).measureSizes(Number(args[0] ?? 10_000_000));
else if (scenario === 'webhooks') await (await import('./deliveries.ts')).measureDeliveries();
else if (scenario === 'ordered') await (await import('./ordered.ts')).measureOrdered();
else if (scenario === 'waits') await (await import('./waits.ts')).measureWaits();
else if (scenario === 'threads') await (await import('./threads.ts')).measureThreads();
else if (scenario === 'log') await (await import('./log.ts')).measureLog();
else if (scenario === 'promises') await (await import('./promises.ts')).measurePromises();
else if (scenario === 'planner') await (await import('./planner.ts')).measurePlanner();
else if (scenario === 'upgrade') await (await import('./upgrade.ts')).measureUpgrade(Number(args[0] ?? 1_000_000));
else if (scenario === 'consumers') await (await import('./consumers.ts')).measureConsumers();
else {
  console.error(
    `Usage: npm run bench [-- turns <folder of another checkout, and its arguments>... | -- batch [<folder of another checkout>...] | -- citus | -- size [<messages>] | -- threads | -- waits | -- webhooks | -- ordered | -- consumers | -- log | -- promises | -- planner | -- upgrade [<messages>]]`,
  );
  process.exitCode = 2;
}
