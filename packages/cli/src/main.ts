#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { run } from './run.ts';

/** Commands for those who run the service. They come with the service, and are loaded only here. */
const OPERATORS = new Set(['business', 'domain', 'agent', 'key', 'migrate', 'reindex', 'distribute', 'shards']);

const argv = process.argv.slice(2);
const service = (file: string) => new URL(`../../../server/src/${file}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

const programs: Record<string, string> = { start: 'main', witness: 'witness' };

if (OPERATORS.has(argv[0] ?? '') || Object.hasOwn(programs, argv[0] ?? '')) {
  const program = service(programs[argv[0] ?? ''] ?? 'cli');
  if (!existsSync(program)) {
    console.error(`waybill ${argv[0]} is for those who run the service. Install the package waybill, which brings it along.`);
    process.exitCode = 2;
  } else await import(program.href);
} else {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  // A reader that goes away, such as `head`, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.exitCode = await run(argv, process, stopping.signal);
}
