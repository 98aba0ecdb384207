import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { inject } from 'vitest';
import { Api } from './api.ts';
import { type ServiceProcess, type Surroundings, startProcess, temporaryFolder } from './process.ts';

interface Prepared {
  folder: string;
  keys: Record<string, string>;
}

let prepared: Promise<Prepared> | undefined;

/**
 * The first start creates a cluster, migrates it and creates the samples. This is done once for all tests that are about something else.
 */
async function prepare(): Promise<Prepared> {
  const folder = mkdtempSync(path.join(inject('runFolder'), 'prepared-'));
  const service = await startProcess({ env: { DATA_DIR: folder } });
  await service.stop();
  return { folder, keys: service.keys };
}

/** Starts a service on a copy of a data folder after its first start, with the printed keys. */
export async function startPrepared({ env = {}, ...rest }: Surroundings = {}): Promise<ServiceProcess & { dataFolder: string }> {
  prepared ??= prepare();
  const { folder, keys } = await prepared;
  const dataFolder = temporaryFolder();
  execFileSync('cp', ['-a', `${folder}/.`, dataFolder]);
  const service = await startProcess({ env: { ...env, DATA_DIR: dataFolder }, ...rest });
  return { ...service, keys, dataFolder, api: (address) => new Api(service.url, keys[address] ?? '') };
}
