import type { Config } from './config.ts';
import type { PartyDirectory } from './modules/parties/directory.ts';
import type { Database } from './platform/postgres/postgres.ts';

export class UsageError extends Error {}

export interface Tools {
  config: Config;
  database: Database;
  parties: PartyDirectory;
}

interface Options {
  name?: string | undefined;
  segment?: string | undefined;
  scope?: string | undefined;
  claimed?: boolean | undefined;
  shards?: string | undefined;
  key?: string | undefined;
  reason?: string | undefined;
  'from-settings'?: boolean | undefined;
}

export interface Command {
  usage: string;
  help: string;
  arguments: number;
  run(tools: Tools, args: string[], options: Options): Promise<{ json: object; text: string }>;
}
