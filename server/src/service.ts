import type { Logger } from 'pino';
import { api, buildApp } from './app.ts';
import { allChores } from './chores.ts';
import { type Config, ConfigError } from './config.ts';
import { buildContext, type Context } from './context.ts';
import { FOLLOWING } from './followers.ts';
import { closerOf } from './http/closing.ts';
import { NetworkRate } from './http/network-rate.ts';
import { version } from './http/version.ts';
import { HandOverSweep } from './modules/acknowledgements/hand-over-sweep.ts';
import { Cosigning } from './modules/attestations/cosigning.ts';
import { RevocationLists } from './modules/attestations/revocation-lists.ts';
import { Timestamps } from './modules/attestations/timestamps.ts';
import { collectDocumentMetrics, DocumentSweep } from './modules/document-facts/document-sweep.ts';
import { apiDocument } from './modules/documentation/api-document.ts';
import { collectFollowerMetrics } from './modules/following/follow-metrics.ts';
import { FollowSweep } from './modules/following/follow-sweep.ts';
import { collectLogMetrics } from './modules/log/log-metrics.ts';
import { Sequencer } from './modules/log/sequencer.ts';
import { sendMail } from './modules/mail/chores.ts';
import { MailDelivery } from './modules/mail/delivery.ts';
import { keepsMails } from './modules/mail/kept-mail-access.ts';
import { loadHandler } from './modules/mcp/handler.ts';
import { Relay } from './modules/messages/relay.ts';
import { SearchIndex } from './modules/search/search-index.ts';
import { Pages } from './modules/web/pages.ts';
import { Dispatcher } from './modules/webhooks/dispatcher.ts';
import { Recoverer } from './modules/webhooks/recoverer.ts';
import { openDatabase } from './open-database.ts';
import { type JobRunner, startJobs } from './platform/jobs/jobs.ts';
import { HtmlTexts } from './platform/mail/html-text/html-text.ts';
import { MAILS_AT_ONCE, Mailer } from './platform/mail/mailer.ts';
import { migrate, SCHEMA_FOLDERS } from './platform/migrations/migrate.ts';
import { Database } from './platform/postgres/postgres.ts';
import { freePort } from './platform/processes/free-port.ts';
import { builtPages } from './platform/processes/web-build.ts';
import { collectShardMetrics } from './platform/shards/shard-metrics.ts';
import { openShards } from './platform/shards/shards.ts';
import { createSamples, type Sample } from './samples.ts';

export type Role = 'api' | 'worker' | 'mail' | 'all';

export interface Started {
  publicUrl: string;
  /** The address that the service listens on. A proxy may be in front of it. */
  address: string;
  mail: { address: string; domain: string } | undefined;
  keptMailsAt: string | undefined;
  /** The sample businesses with their keys, only on the first start with the embedded database. */
  samples: Sample[];
}

export interface Service extends Started {
  stop(): Promise<void>;
}

interface StartOptions {
  tell?: (sentence: string) => void;
  pages?: string | undefined;
  /** Whether another process of the service has started the database in the data folder. */
  isOneOfSeveral?: boolean;
}

const STOP_PATIENCE_MS = 25_000;
const CHORES_AT_ONCE = 2;

export async function startService(config: Config, role: Role, log: Logger, options: StartOptions = {}): Promise<Service> {
  const { tell = () => {}, pages, isOneOfSeveral = false } = options;
  const hasWorker = role === 'worker' || role === 'all';
  const hasApi = role === 'api' || role === 'all';
  const preloaded = hasApi ? preload() : undefined;
  // A start that fails earlier reports its own reason.
  preloaded?.catch(() => undefined);
  const { port, address, publicUrl } = await addressOf(config);
  const opened = await openDatabase(config, isOneOfSeveral ? 'command' : 'service', log);
  const database = new Database(opened.connection, log, { direct: opened.direct });
  const closers: (() => Promise<void>)[] = [() => opened.close(), () => database.close()];
  const stop = async () => {
    // A failure to close something must not keep the database from being stopped.
    for (const close of closers.splice(0).reverse()) await close().catch((error) => log.error(error, 'could not be closed'));
  };
  try {
    await migrate(database, SCHEMA_FOLDERS, tell);
    const unfollow = await openShards(database, opened.direct, log);
    closers.push(async () => unfollow());
    const { context, feed } = await buildContext(config, database, opened.direct, log, closers, { publicUrl });
    await protectLogKey(context, log);
    collectShardMetrics(database, context.metrics);
    if (hasWorker) {
      const jobs: JobRunner = await startJobs(database, allChores(context), CHORES_AT_ONCE, log);
      closers.push(() => jobs.stop());
    }
    const app = buildApp(
      context,
      log,
      hasApi ? new Pages(pages ?? (await builtPages(tell)), await context.objects.downloadOrigin()) : undefined,
    );
    // All of these finish their work at the same time.
    const finishers = [
      closerOf(app, STOP_PATIENCE_MS),
      () => context.arrivals.stop(),
      () => context.leases.stop(),
      () => context.loggedWaits.stop(),
      () => context.promises.stop(),
    ];
    closers.push(async () => {
      await Promise.all(finishers.map((finish) => finish()));
    });
    if (role !== 'worker') await context.schemas.keepReady();
    await preloaded;
    await app.listen({ port, host: config.host, backlog: 4096, ...sharing(isOneOfSeveral) });
    if (hasApi || config.publicUrl !== undefined) await ensureLog(context, log);
    if (hasApi) await context.promises.start();
    if (hasWorker) {
      for (const collect of [collectLogMetrics, collectFollowerMetrics, collectDocumentMetrics]) collect(database, context.metrics);
      const { outbound } = context;
      const dispatcher = new Dispatcher(context, { outbound, failures: failureRulesOf(config), connection: opened.direct, feed }, log);
      finishers.push(() => dispatcher.stop());
      await dispatcher.start();
      for (const sweep of sweepsFor(context, log)) {
        sweep.start();
        finishers.push(() => sweep.stop());
      }
      const mailJobs = await startMailJobs(context, log);
      finishers.push(() => mailJobs.stop());
    }
    const mail = role === 'mail' || role === 'all' ? await startMail(context, log, finishers, sharing(isOneOfSeveral)) : undefined;
    // This comes last, because a start that fails must not create keys that nobody has seen.
    const samples = config.databaseUrl === undefined && (await isEmpty(context)) ? await createSamples(database, context.parties) : [];
    const keptMailsAt = hasApi && keepsMails(config) ? context.keptMailAccess.linkAt(publicUrl) : undefined;
    return { publicUrl, address, mail, keptMailsAt, samples, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function protectLogKey({ publication: { keys }, database }: Context, log: Logger): Promise<void> {
  if (await keys.protect(database)) log.warn('the key of the log is in the database in clear text: set SECRETS_KEY');
}

/** Without the setting, the address may change at each start. */
async function ensureLog({ transparencyLog, publicUrl, config }: Context, log: Logger): Promise<void> {
  const former = await transparencyLog.ensure(publicUrl);
  if (former !== undefined && config.publicUrl !== undefined)
    log.warn({ origin: former, publicUrl }, 'PUBLIC_URL has changed; the log keeps the origin with which it was created');
}

/** Loads code that the first agent or reader needs while the database starts. Loading it later would make all other requests wait. */
async function preload(): Promise<void> {
  await loadHandler(version);
  const { prepareLanguages } = await import('./modules/documentation/site.ts');
  await prepareLanguages();
  apiDocument(api);
}

/**
 * The kernel distributes connections among processes that share a port. If a process is killed, its connections break at once, while those
 * that another process hands out could hang. Where the kernel can't do it, the parent process hands them out.
 */
function sharing(isOneOfSeveral: boolean): { reusePort?: boolean } {
  return isOneOfSeveral && process.platform === 'linux' ? { reusePort: true } : {};
}

function failureRulesOf({ webhookRetryDelaysS: retryDelaysS, webhookPauseAfterDays }: Config) {
  return { retryDelaysS, pauseAfterS: webhookPauseAfterDays * 24 * 3_600 };
}

function sweepsFor(context: Context, log: Logger) {
  const { database, ledger, announcer, publication } = context;
  return [
    ...(database.shards.length > 1 ? [new Relay(database, ledger, log)] : []),
    new Recoverer(database, announcer, log),
    new FollowSweep(database, FOLLOWING, log),
    new HandOverSweep(database, log),
    new SearchIndex(database, log),
    new DocumentSweep(database, log),
    new Sequencer(publication, log),
    ...attestersFor(context, log),
  ];
}

function attestersFor(
  { config, database, outbound, transparencyLog: checkpoints, witnesses, historyGuard: guard, metrics }: Context,
  log: Logger,
) {
  const { tsaUrl: url, tsaCrlUrls } = config;
  const lists = new RevocationLists(outbound, tsaCrlUrls);
  const readLog = (number: number) => checkpoints.readLog(number);
  return [
    ...(witnesses && guard ? [new Cosigning({ database, witnesses, guard, checkpoints, readLog, metrics }, log)] : []),
    ...(url === undefined ? [] : [new Timestamps({ database, checkpoints, url, lists, metrics }, log)]),
  ];
}

/** A separate job runner: one-time codes must not wait for large files to be hashed. */
async function startMailJobs({ config: { smtpUrl, mailFrom }, database }: Context, log: Logger): Promise<JobRunner> {
  const mailer = smtpUrl !== undefined && mailFrom ? new Mailer(smtpUrl, mailFrom) : undefined;
  const jobs = await startJobs(database, [sendMail(new MailDelivery(mailer))], MAILS_AT_ONCE, log);
  return {
    stop: async () => {
      await jobs.stop();
      mailer?.close();
    },
  };
}

/** Starts the SMTP listener if the settings ask for it. Its code is loaded only then, because it takes much memory. */
async function startMail(
  context: Context,
  log: Logger,
  finishers: (() => Promise<void>)[],
  sharing: { reusePort?: boolean },
): Promise<Service['mail']> {
  const { config, inboundDomain } = context;
  if (config.smtpListen === undefined) return undefined;
  const { inboundMail } = await import('./modules/inbound-mail/inbound-mail.ts');
  const htmlTexts = new HtmlTexts();
  const perAddress = new NetworkRate(config.publicRateLimitPerMinute, 'mail server', context.tokens);
  const { smtpListen, smtpTlsCert: cert, smtpTlsKey: key, smtpProxies: proxies, mailMaxBytes: maxBytes } = config;
  const tls = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  const settings = { ...smtpListen, ...sharing, tls, proxies, maxBytes, perAddress, stopMs: STOP_PATIENCE_MS };
  const listener = inboundMail({ ...context, htmlTexts, ownMailbox: config.mailFrom?.address }, settings, log);
  const port = await listener.start().catch((error) => {
    throw new ConfigError(
      `The service can't listen for mail at SMTP_LISTEN=${hostForPeople(smtpListen.host)}:${smtpListen.port}: ${error.message}.`,
    );
  });
  finishers.push(async () => {
    await listener.stop();
    await htmlTexts.stop();
  });
  return { address: `${hostForPeople(smtpListen.host)}:${port}`, domain: inboundDomain };
}

async function isEmpty({ parties }: Context): Promise<boolean> {
  return (await parties.startingWith('', '', 2)).length < 2;
}

/** The address is determined first, because most of the context needs it. */
async function addressOf(config: Config): Promise<{ port: number; address: string; publicUrl: string }> {
  const port = config.port === 0 ? await freePort(config) : config.port;
  const address = `http://${hostForPeople(config.host)}:${port}`;
  return { port, address, publicUrl: config.publicUrl ?? address };
}

function hostForPeople(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
