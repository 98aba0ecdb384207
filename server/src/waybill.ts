#!/usr/bin/env -S node --max-semi-space-size=64
import { readFileSync } from 'node:fs';

/** The `waybill` command of an installed package, for those who run the service and those who use it. */
const { engines }: { engines: { node: string } } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
if (isOlder(process.versions.node, engines.node)) {
  console.error(
    `Waybill needs Node ${engines.node.replace('>=', '')} or later, but this is ${process.versions.node}. Install a newer one from https://nodejs.org.`,
  );
  process.exit(1);
}
await import('../../packages/cli/src/main.ts');

/** npm only warns of a Node that is too old. */
function isOlder(version: string, wanted: string): boolean {
  const parts = (text: string) => (text.match(/\d+/g) ?? []).map(Number);
  const [major = 0, minor = 0] = parts(version);
  const [wantedMajor = 0, wantedMinor = 0] = parts(wanted);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}
