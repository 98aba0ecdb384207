import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { type Command, type Tools, UsageError } from './command.ts';
import { WAYBILL } from './command-names.ts';
import { readConfig } from './config.ts';
import type { KeyScope } from './contract/api-key.ts';
import { formatId, parseId } from './contract/ids.ts';
import { parseHandle } from './contract/names.ts';
import type { Business } from './contract/parties.ts';
import { FOLLOWING } from './followers.ts';
import { LOG_COMMANDS } from './log-commands.ts';
import { businessOfAgent, businessOfKey, createAgent, createKey, revokeKey } from './modules/agents/agents.ts';
import { readQueued } from './modules/document-facts/document-sweep.ts';
import { vouchForDomain } from './modules/domains/domains.ts';
import { type Progress, reindex } from './modules/following/reindex.ts';
import { PartyDirectory } from './modules/parties/directory.ts';
import { indexQueued } from './modules/search/search-index.ts';
import { NoDataFolder, openDatabase } from './open-database.ts';
import { migrate, SCHEMA_FOLDERS } from './platform/migrations/migrate.ts';
import { ChangeFeed } from './platform/postgres/change-feed.ts';
import { withStatementLimit } from './platform/postgres/limited-client.ts';
import { Database } from './platform/postgres/postgres.ts';
import { distribute, reportShards, type ShardReport } from './platform/shards/distribute.ts';
import { openShards } from './platform/shards/shards.ts';

interface MigratedTools extends Tools {
  /** What was applied before the command: each command brings the database up to date first. */
  applied: readonly string[];
}

const COMMANDS: Record<string, Command> = {
  'business create': {
    usage: 'business create <handle> --name <text> [--claimed] [--new] [--json]',
    help: 'Creates a business. --claimed counts it as claimed by a person today, so that the limit for new accounts applies. --new creates the data folder, too.',
    arguments: 1,
    run: async ({ parties }, [handle = ''], { name, claimed }) => {
      const business = await parties.create(handle, requireOption(name, '--name'), claimed);
      return {
        json: { handle: business.handle, display_name: business.displayName },
        text: `Created the business ${business.handle} (${business.displayName}).`,
      };
    },
  },
  'domain verify': {
    usage: 'domain verify <handle> <domain> [--json]',
    help: 'Vouches that a mail domain is the business’s own. A domain belongs to one business.',
    arguments: 2,
    run: async (tools, [handle = '', domain = '']) => {
      const business = await businessOf(tools, handle);
      const verified = await vouchForDomain(tools, business, domain);
      return {
        json: { handle: business.handle, domain: verified },
        text: `${verified} is a verified domain of ${business.handle}.`,
      };
    },
  },
  'domain remove': {
    usage: 'domain remove <handle> <domain> [--json]',
    help: 'Takes a verified domain away from a business.',
    arguments: 2,
    run: async (tools, [handle = '', domain = '']) => {
      const business = await businessOf(tools, handle);
      const removed = await tools.parties.removeDomain(business, domain);
      return {
        json: { handle: business.handle, domain: removed },
        text: `${removed} is no longer a domain of ${business.handle}.`,
      };
    },
  },
  'agent create': {
    usage: 'agent create <handle> --name <text> [--segment <segment>] [--json]',
    help: 'Creates an agent of a business. With a segment it can be addressed as <handle>/<segment>.',
    arguments: 1,
    run: async (tools, [handle = ''], { name, segment }) => {
      const business = await businessOf(tools, handle);
      const agent = await createAgent(tools.database, business.id, { name: requireOption(name, '--name'), segment });
      const id = formatId('agt', agent.id);
      return { json: { id, name: agent.name, segment: agent.segment }, text: `Created the agent ${agent.name}: ${id}` };
    },
  },
  'key create': {
    usage: 'key create <agent-id> --scope read|read_write [--json]',
    help: 'Creates an API key for an agent. The secret is shown only once.',
    arguments: 1,
    run: async ({ database }, [agentId = ''], { scope }) => {
      if (scope !== 'read' && scope !== 'read_write') throw new UsageError('--scope must be read or read_write.');
      const agent = uuidOf('agt', agentId);
      const key = await createKey(database, await businessOfAgent(database, agent), agent, scope satisfies KeyScope);
      const id = formatId('key', key.id);
      return {
        json: { id, scope: key.scope, secret: key.secret },
        text: `Created the key ${id} (${key.scope}). Its secret is shown this once only:\n${key.secret}`,
      };
    },
  },
  'key revoke': {
    usage: 'key revoke <key-id> [--json]',
    help: 'Revokes a key; it is refused from the next request on.',
    arguments: 1,
    run: async ({ database }, [keyId = '']) => {
      const id = uuidOf('key', keyId);
      await revokeKey(database, await businessOfKey(database, id), id);
      return { json: { id: keyId, revoked: true }, text: `Revoked ${keyId}.` };
    },
  },
  ...LOG_COMMANDS,
  migrate: {
    usage: 'migrate [--new] [--json]',
    help: 'Brings the database up to date. Starting the service does so too. --new creates the data folder, too.',
    arguments: 0,
    run: async ({ applied }: MigratedTools) => ({
      json: { applied },
      text: applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`,
    }),
  },
  distribute: {
    usage: 'distribute --shards <number> [--json]',
    help: 'Distributes a large database over shards, with Citus over nodes (docs/scale.md). Start all processes again afterwards.',
    arguments: 0,
    run: async ({ database }, _args, { shards }) => {
      const done = await distribute(database, Number(requireOption(shards, '--shards')), (sentence) => console.error(sentence));
      return {
        json: { shards: done.shards, blocked_ms: done.blockedMs },
        text: `The database has ${done.shards} shards now. Nobody could send or read for ${(done.blockedMs / 1000).toFixed(1)} s. Start all processes again.`,
      };
    },
  },
  reindex: {
    usage: 'reindex [--json]',
    help: 'Reads all threads, and what searches find, again from the ledgers, while the service runs. Status, assignees, labels, comments and what was read stay.',
    arguments: 0,
    run: async ({ database }) => {
      const threads = await reindex(database, FOLLOWING, (progress) => console.error(progressBar(progress, 'threads')));
      await indexQueued(database, (progress) => console.error(progressBar(progress, 'threads to search')));
      await readQueued(database, (progress) => console.error(progressBar(progress, 'threads with documents')));
      return { json: { threads }, text: `Read ${threads.toLocaleString('en')} threads from the ledgers.` };
    },
  },
  shards: {
    usage: 'shards [--json]',
    help: 'Lists the shards of a distributed database with their nodes and sizes.',
    arguments: 0,
    run: async ({ database }) => {
      const shards = await reportShards(database);
      const line = ({ schema, node, bytes }: ShardReport) => `${schema}  ${node ?? ''}  ${(bytes / 1_048_576).toFixed(1)} MB`;
      return { json: { shards }, text: shards.length === 0 ? 'The database is not distributed.' : shards.map(line).join('\n') };
    },
  },
};

const BAR_CHARS = 30;

function progressBar({ done, total }: Progress, what: string): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const bar = '#'.repeat(Math.round(share * BAR_CHARS)).padEnd(BAR_CHARS, '.');
  return `[${bar}] ${Math.floor(100 * share)} %  ${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${what}`;
}

const OVERVIEW = `Usage: ${WAYBILL} <command>

  start [options]
      Starts the service; start --help lists the options.
  witness [options]
      Runs a witness of other logs; witness --help lists the options.
${Object.values(COMMANDS)
  .map(({ usage, help }) => `  ${usage}\n      ${help}`)
  .join('\n')}

Each command takes --help, and --json to print one JSON object. They work whether or not the service runs.`;

async function businessOf({ parties }: Tools, handle: string): Promise<Business> {
  const business = await parties.byHandle(parseHandle(handle) ?? '');
  if (!business) throw new UsageError(`The business ${handle} was not found; create it first: business create ${handle} --name <text>`);
  return business;
}

function requireOption(value: string | undefined, option: string): string {
  if (value === undefined) throw new UsageError(`${option} is missing.`);
  return value;
}

function uuidOf(prefix: 'agt' | 'key', id: string): string {
  const uuid = parseId(prefix, id);
  if (uuid === undefined) throw new UsageError(`"${id}" is not an id of the form ${prefix}_….`);
  return uuid;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      segment: { type: 'string' },
      scope: { type: 'string' },
      claimed: { type: 'boolean' },
      new: { type: 'boolean' },
      shards: { type: 'string' },
      key: { type: 'string' },
      reason: { type: 'string' },
      'from-settings': { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const words = [positionals.slice(0, 2).join(' '), positionals[0] ?? ''].find((name) => Object.hasOwn(COMMANDS, name));
  const command = words === undefined ? undefined : COMMANDS[words];
  if (!command || words === undefined) {
    if (values.help || positionals.length === 0) return console.log(OVERVIEW);
    throw new UsageError(`There is no command "${positionals.join(' ')}"; --help lists all commands.`);
  }
  if (values.help) return console.log(`Usage: ${WAYBILL} ${command.usage}\n\n${command.help}`);
  const args = positionals.slice(words.split(' ').length);
  if (args.length !== command.arguments) throw new UsageError(`Usage: ${WAYBILL} ${command.usage}`);
  const mayCreate = command.usage.includes('--new');
  if (values.new && !mayCreate) throw new UsageError(`Usage: ${WAYBILL} ${command.usage}`);
  const run = () => withDatabase(values.new === true, (tools) => command.run(tools, args, values));
  // An operator's command has no time limit.
  const { json, text } = await withStatementLimit(Number.POSITIVE_INFINITY, run).catch((error) => {
    throw error instanceof NoDataFolder && mayCreate
      ? new UsageError(error.message.replace(/\.$/, ', or create a new one with --new.'))
      : error;
  });
  console.log(values.json ? JSON.stringify(json) : text);
}

async function withDatabase<T>(isNew: boolean, work: (tools: MigratedTools) => Promise<T>): Promise<T> {
  const config = readConfig();
  const log = pino({ level: 'silent' });
  const opened = await openDatabase(config, 'command', log, { mayCreate: isNew });
  const database = new Database(opened.connection, log, { direct: opened.direct });
  try {
    const applied = await migrate(database, SCHEMA_FOLDERS, console.error);
    const unfollow = await openShards(database, opened.direct, log);
    unfollow();
    return await work({ config, database, applied, parties: new PartyDirectory(database, new ChangeFeed(opened.direct, log)) });
  } finally {
    await database.close();
    await opened.close();
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
