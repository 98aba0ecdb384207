#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { OPERATORS } from './operators.ts';
import { run } from './run.ts';

const argv = process.argv.slice(2);
const service = (file: string) => new URL(`../../../server/src/${file}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

const PROGRAMS: Record<string, string> = { start: 'main', witness: 'witness' };

/** Anybody can audit a log. The other commands about logs are the operator's. */
const isOperators = argv[0] === 'log' ? argv[1] !== 'audit' : (OPERATORS as readonly string[]).includes(argv[0] ?? '');
if (isOperators || Object.hasOwn(PROGRAMS, argv[0] ?? '')) {
  const program = service(PROGRAMS[argv[0] ?? ''] ?? 'cli');
  if (!existsSync(program)) {
    console.error(`waybill ${argv[0]} is for those who run the service. Install the package waybill, which brings it along.`);
    process.exitCode = 2;
  } else await import(program.href);
} else {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  // A reader that closes the pipe, such as `head`, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.exitCode = await run(argv, process, stopping.signal);
}
