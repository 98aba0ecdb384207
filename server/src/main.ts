import cluster from 'node:cluster';
import { inspect, parseArgs } from 'node:util';
import { type Logger, pino } from 'pino';
import { START } from './command-names.ts';
import { ConfigError, readConfig } from './config.ts';
import { PROCESSES_MAX } from './contract/limits.ts';
import { codeOf } from './contract/thrown.ts';
import { DataFolderInUse } from './open-database.ts';
import { collectWhenIdle } from './platform/processes/idle-collection.ts';
import { isExhaustion } from './platform/processes/unavailability.ts';
import { numberOfProcesses, ProcessFailed, reportStart, startProcesses } from './processes.ts';
import { type Role, type Service, startService } from './service.ts';
import { welcome } from './welcome.ts';

const ROLES: Role[] = ['api', 'worker', 'mail', 'all'];
const STACK_LEVELS = ['trace', 'debug'];
const USAGE = `Usage: ${START} [--role ${ROLES.join('|')}] [--processes <number>|auto] [--pages <folder with pages that are built>]
Settings come from the environment; .env.example lists them all.`;

function readArguments(): { role: Role; pages: string | undefined; processes: number } {
  const [first, ...others] = process.argv.slice(2);
  const { values } = parseArgs({
    // In `waybill start`, the word is part of the command. Processes that share a port are started with it, too.
    ...(first === 'start' && { args: others }),
    options: {
      role: { type: 'string', default: 'all' },
      processes: { type: 'string', default: '1' },
      pages: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const role = ROLES.find((known) => known === values.role);
  if (!role) throw new ConfigError(`--role must be one of ${ROLES.join(', ')}, but is "${values.role}".`);
  const processes = numberOfProcesses(values.processes, PROCESSES_MAX);
  if (processes === undefined)
    throw new ConfigError(`--processes must be auto or a number from 1 to ${PROCESSES_MAX}, but is "${values.processes}".`);
  return { role, pages: values.pages, processes };
}

/** Waits for a service that is still starting before it stops it, so that no PostgreSQL is left behind. */
function stopOnSignals(starting: Promise<Service>): void {
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, async () => {
      if (isStopping) return;
      isStopping = true;
      if (cluster.isPrimary) console.log('Stopping: finishing the requests under way.');
      const service = await starting.catch(() => undefined);
      await service?.stop();
      if (service) process.exit(0);
    });
  }
}

/** Libraries and timers may throw uncaught errors when descriptors are used up. Any other error ends the process, as it should. */
function surviveExhaustion(log: Logger): void {
  process.on('uncaughtException', (error) => {
    if (isExhaustion(error)) {
      log.error(error, 'descriptors of the process are used up');
      return;
    }
    log.fatal(error, 'the process ends');
    process.exit(1);
  });
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  if (code === 'EADDRINUSE')
    return `Port ${'port' in error ? error.port : ''} is taken: set PORT to another one, or to 0 for any that is free.`;
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${error.message}\n${USAGE}`;
  if (error instanceof ConfigError || error instanceof DataFolderInUse || code === undefined) return error.message;
  // A host name with several addresses fails with an AggregateError without a message.
  return `Waybill could not start: ${error.message || code}`;
}

let showsStacks = false;
try {
  const { role, pages, processes } = readArguments();
  const config = readConfig();
  showsStacks = STACK_LEVELS.includes(config.logLevel);
  if (role === 'mail' && config.smtpListen === undefined)
    throw new ConfigError('The role mail needs the setting SMTP_LISTEN, such as 0.0.0.0:25.');
  const log = pino({ level: config.logLevel });
  surviveExhaustion(log);
  if (cluster.isPrimary) console.log('Waybill is starting.');
  const starting =
    processes > 1 && cluster.isPrimary
      ? startProcesses(processes, config, log)
      : startService(config, role, log, { tell: console.log, pages, isOneOfSeveral: cluster.isWorker });
  stopOnSignals(starting);
  const service = await starting;
  if (cluster.isPrimary) console.log(welcome(service, config, role, processes));
  else reportStart(service);
  collectWhenIdle();
} catch (error) {
  // A process that could not start has already printed why.
  if (!(error instanceof ProcessFailed)) console.error(explain(error));
  if (showsStacks) console.error(inspect(error));
  process.exit(1);
}
