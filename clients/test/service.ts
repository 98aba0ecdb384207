/**
 * A service for tests in other languages, on a data folder that goes away at the end. Each line of stdin is a command, each line of stdout the result:
 *
 *   start {"RATE_LIMIT_PER_MINUTE":"60"}   starts it, or ends it and starts it again with other settings: {"url", "keys"}
 *   kill                                   ends it as a crash does: {}
 *
 * The end of stdin ends everything.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../server/test/support/free-port.ts';
import { CHECKOUT, cleanUp, type ServiceProcess, startProcess, temporaryFolder } from '../../server/test/support/process.ts';

const SETTINGS = {
  DATA_DIR: path.join(temporaryFolder(), 'data'),
  PORT: String(await freePort()),
  RATE_LIMIT_PER_MINUTE: '0',
  PUBLIC_RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_PRIVATE_HOSTS: 'localhost,127.0.0.1',
};
let service: ServiceProcess | undefined;
let keys: Record<string, string> = {};

/** Any build of the pages is good enough, because no client sees them. */
function pages(): string[] {
  const builds = path.join(CHECKOUT, 'web/dist');
  const [name] = existsSync(builds) ? readdirSync(builds).filter((each) => !each.startsWith('.')) : [];
  return name === undefined ? [] : ['--pages', path.join(builds, name)];
}

async function obey(command: string, settings: string): Promise<object> {
  await service?.stop(command === 'kill' ? 'SIGKILL' : 'SIGTERM');
  service = undefined;
  if (command === 'kill') return {};
  service = await startProcess({ env: { ...SETTINGS, ...JSON.parse(settings || '{}') }, args: pages() });
  keys = { ...service.keys, ...keys };
  return { url: service.url, keys };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [, command = '', settings = ''] = /^(start|kill) *(.*)$/.exec(line) ?? [];
  if (command === '') throw new Error(`"${line}" is no command: start [settings as JSON], or kill`);
  console.log(JSON.stringify(await obey(command, settings)));
}
await service?.stop();
await cleanUp();
