import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { buildApp } from './app.ts';
import { type Config, ConfigError } from './config.ts';
import type { Context } from './context.ts';
import { WEBHOOK_PATIENCE_MS } from './contract/limits.ts';
import { closerOf } from './http/closing.ts';
import { Cursors } from './http/cursor.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { accountChores } from './modules/accounts/chores.ts';
import { providersOf } from './modules/accounts/providers.ts';
import { SignIn } from './modules/accounts/sign-in.ts';
import { KeyRing } from './modules/agents/key-ring.ts';
import { Blocks } from './modules/blocks/blocks.ts';
import { domainChores } from './modules/domains/chores.ts';
import { fileChores } from './modules/files/chores.ts';
import { Downloads } from './modules/files/downloads.ts';
import { Files } from './modules/files/files.ts';
import { PartedUploads } from './modules/files/parted-uploads.ts';
import { InboxSchemas } from './modules/inbox-schema/inbox-schema.ts';
import { notifyOfAnswer } from './modules/mail/answer-notices.ts';
import { mailChores, sendMail } from './modules/mail/chores.ts';
import { MailDelivery } from './modules/mail/delivery.ts';
import { KeptMailAccess, keepsMails } from './modules/mail/kept-mail-access.ts';
import { Mails } from './modules/mail/mails.ts';
import { codeMail } from './modules/mail/templates.ts';
import { tellOfLostDomain } from './modules/members/lost-domain.ts';
import { Arrivals } from './modules/messages/arrivals.ts';
import { messageChores } from './modules/messages/chores.ts';
import { Ledger } from './modules/messages/ledger.ts';
import { partyChores } from './modules/parties/chores.ts';
import { PartyDirectory } from './modules/parties/directory.ts';
import { Pages } from './modules/web/pages.ts';
import { webhookChores } from './modules/webhooks/chores.ts';
import { Dispatcher } from './modules/webhooks/dispatcher.ts';
import { tellOfPausedWebhook } from './modules/webhooks/paused-notice.ts';
import { WebhookStatistics } from './modules/webhooks/statistics.ts';
import { openDatabase } from './open-database.ts';
import { CanonicalHasher } from './platform/canonical-hasher.ts';
import { ChangeFeed } from './platform/change-feed.ts';
import { ConsumerMail } from './platform/consumer-mail.ts';
import { HtmlTexts } from './platform/html-text/html-text.ts';
import { type Chore, type JobRunner, startJobs } from './platform/jobs.ts';
import { MAILS_AT_ONCE, Mailer } from './platform/mail/mailer.ts';
import { migrate } from './platform/migrate.ts';
import { NameServers } from './platform/name-servers.ts';
import { ownDownloadUrl } from './platform/objects/download-url.ts';
import type { Exclusively } from './platform/objects/folder-parts.ts';
import { FolderStore } from './platform/objects/folder-store.ts';
import type { S3Store } from './platform/objects/s3-store.ts';
import { UrlSigner } from './platform/objects/url-signer.ts';
import { Outbound } from './platform/outbound.ts';
import { Database } from './platform/postgres.ts';
import { SchemaChecker } from './platform/schema-checker/checker.ts';
import { sharedSecret } from './platform/secrets.ts';
import { builtPages } from './platform/web-build.ts';
import { createSamples, type Sample } from './samples.ts';

export type Role = 'api' | 'worker' | 'mail' | 'all';

export interface Service {
  /** Where people reach it. */
  publicUrl: string;
  /** Where it listens, which a proxy may stand in front of. */
  address: string;
  /** Where it takes mail, if it does. */
  mail: { address: string; domain: string } | undefined;
  /** Where mails can be read that are kept for want of a mail server. */
  keptMailsAt: string | undefined;
  /** The sample businesses with their keys, on the very first start with the embedded database. */
  samples: Sample[];
  stop(): Promise<void>;
}

const STOP_PATIENCE_MS = 25_000;
const CHORES_AT_ONCE = 2;

/** Starts what the role asks for; stops it in the opposite order, the database last. The pages are built unless a folder has them. */
export async function startService(
  config: Config,
  role: Role,
  log: Logger,
  tell: (sentence: string) => void = () => {},
  pagesFolder?: string,
): Promise<Service> {
  const hasWorker = role === 'worker' || role === 'all';
  const hasApi = role === 'api' || role === 'all';
  const opened = await openDatabase(config, 'service', log);
  const database = new Database(opened.connection, log);
  const closers: (() => Promise<void>)[] = [() => opened.close(), () => database.close()];
  const stop = async () => {
    // Whatever fails to close, the database is still stopped, last.
    for (const close of closers.splice(0).reverse()) await close().catch((error) => log.error(error, 'could not be closed'));
  };
  try {
    await migrate(database);
    const { context, feed, chores } = await buildContext(config, database, opened.connection, log, closers);
    if (hasWorker) {
      const jobs: JobRunner = await startJobs(database, chores, CHORES_AT_ONCE, log);
      closers.push(() => jobs.stop());
    }
    const app = buildApp(context, log, hasApi ? await openPages(config, pagesFolder ?? (await builtPages(tell))) : undefined);
    // All that has something under way is given the same time to finish it.
    const finishers = [closerOf(app, STOP_PATIENCE_MS), () => context.arrivals.stop()];
    closers.push(async () => {
      await Promise.all(finishers.map((finish) => finish()));
    });
    if (role !== 'worker') await context.schemas.keepReady();
    await app.listen({ port: config.port, host: config.host, backlog: 4096 });
    const { port } = app.server.address() as AddressInfo;
    const address = `http://${hostForPeople(config.host)}:${port}`;
    context.publicUrl = config.publicUrl ?? address;
    context.inboundDomain = config.inboundDomain ?? new URL(context.publicUrl).hostname;
    if (hasWorker) {
      const { outbound } = context;
      const dispatcher = new Dispatcher(
        context,
        { outbound, retryDelaysS: config.webhookRetryDelaysS, connection: opened.connection, feed },
        log,
      );
      finishers.push(() => dispatcher.stop());
      await dispatcher.start();
      const mailJobs = await startMailJobs(context, log);
      finishers.push(() => mailJobs.stop());
    }
    const mail = role === 'mail' || role === 'all' ? await startMail(context, log, finishers) : undefined;
    // Last of all, because a start that failed would have made keys that nobody was shown.
    const samples = config.databaseUrl === undefined && (await isEmpty(context)) ? await createSamples(database, context.parties) : [];
    const keptMailsAt = hasApi && keepsMails(config) ? context.keptMailAccess.linkAt(context.publicUrl) : undefined;
    return { publicUrl: context.publicUrl, address, mail, keptMailsAt, samples, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Apart from other chores: a code that somebody waits for does not wait for large files to be hashed. */
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

/** Where the settings ask for it. Only then is it loaded, for the memory it takes. */
async function startMail(context: Context, log: Logger, finishers: (() => Promise<void>)[]): Promise<Service['mail']> {
  const { config, inboundDomain } = context;
  if (config.smtpListen === undefined) return undefined;
  const { inboundMail } = await import('./modules/inbound-mail/inbound-mail.ts');
  const htmlTexts = new HtmlTexts();
  const perAddress = new RateLimiter(config.publicRateLimitPerMinute, config.publicRateLimitPerMinute, 'address');
  const { smtpListen, smtpTlsCert: cert, smtpTlsKey: key, smtpProxies: proxies, mailMaxBytes: maxBytes } = config;
  const tls = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  const settings = { ...smtpListen, tls, proxies, maxBytes, perAddress, stopMs: STOP_PATIENCE_MS };
  const listener = inboundMail({ ...context, htmlTexts, ownMailbox: config.mailFrom?.address }, settings, log);
  const port = await listener.start().catch((error) => {
    throw new ConfigError(`Mail can't be taken at SMTP_LISTEN=${hostForPeople(smtpListen.host)}:${smtpListen.port}: ${error.message}.`);
  });
  finishers.push(async () => {
    await listener.stop();
    await htmlTexts.stop();
  });
  return { address: `${hostForPeople(smtpListen.host)}:${port}`, domain: inboundDomain };
}

/** Whether nobody is there but the demo inbox. */
async function isEmpty({ parties }: Context): Promise<boolean> {
  return (await parties.startingWith('', '', 2)).length < 2;
}

async function buildContext(
  config: Config,
  database: Database,
  connection: ClientConfig,
  log: Logger,
  closers: (() => Promise<void>)[],
): Promise<{ context: Context; feed: ChangeFeed; chores: Chore[] }> {
  const feed = new ChangeFeed(connection, log);
  const parties = new PartyDirectory(database, feed);
  const keys = new KeyRing(database, feed);
  const blocks = new Blocks(database, feed, parties);
  const checker = new SchemaChecker();
  const hasher = new CanonicalHasher();
  const quotas = {
    monthlyMessages: config.monthlyMessageLimit,
    newAccountDailyMessages: config.newAccountDailyMessageLimit,
    newAccountDays: config.newAccountDays,
    dailyUploadBytes: config.dailyUploadLimitBytes,
    dailyUploadBytesPerPerson: config.dailyUploadLimitPerPersonBytes,
  };
  await feed.start();
  closers.push(
    () => feed.stop(),
    () => keys.stop(),
    () => checker.stop(),
    () => hasher.stop(),
  );
  const cursors = new Cursors(await sharedSecret(database, 'cursors'));
  const signer = new UrlSigner(await sharedSecret(database, 'objects'));
  const publicUrl = () => context.publicUrl;
  const mails = new Mails(await sharedSecret(database, 'unsubscribing'), publicUrl);
  const nameServers = new NameServers(config.dnsServers);
  const consumerMail = new ConsumerMail(config.consumerMailDomains);
  const signIn = new SignIn({
    database,
    log,
    secret: await sharedSecret(database, 'sign-in'),
    publicUrl,
    providers: providersOf(config),
    isConsumer: (domain) => consumerMail.gives(domain),
    sendCode: (tx, to, code, minutes) => mails.queueFirst(tx, { to, ...codeMail({ code, minutes }) }),
  });
  const exclusively: Exclusively = (name, work) => database.exclusively(name, work);
  const folder = path.join(config.dataDir, 'files');
  const objects = (await bucketOf(config)) ?? new FolderStore(folder, signer, publicUrl, exclusively, config.freeDiskReserveBytes);
  const metrics = new Registry();
  const context: Context = {
    config,
    database,
    parties,
    consumerMail,
    nameServers,
    mails,
    keptMailAccess: new KeptMailAccess(await sharedSecret(database, 'kept-mails')),
    keys,
    signIn,
    blocks,
    quotas,
    cursors,
    ledger: new Ledger(database, quotas),
    arrivals: new Arrivals(database, metrics, log),
    schemas: new InboxSchemas(database, feed, checker),
    hasher,
    files: new Files(database, objects, quotas, (id, terms) => ownDownloadUrl(signer, publicUrl(), id, terms)),
    webhookStatistics: new WebhookStatistics(database),
    partedUploads: new PartedUploads(database, objects.parts, quotas),
    downloads: new Downloads(config.downloadsPerAddressMax),
    objects,
    folder: objects instanceof FolderStore ? objects : undefined,
    signer,
    outbound: new Outbound({ privateHosts: config.webhookPrivateHosts, nameServers, patienceMs: WEBHOOK_PATIENCE_MS }),
    metrics,
    publicUrl: '',
    inboundDomain: '',
  };
  const chores = [
    ...accountChores,
    ...messageChores,
    ...domainChores(context, (tx, partyId, domain) => tellOfLostDomain(context, tx, partyId, domain)),
    ...fileChores(context.files, objects),
    ...webhookChores(config.webhookLogDays),
    tellOfPausedWebhook(context),
    ...mailChores,
    ...partyChores,
    notifyOfAnswer(context),
  ];
  return { context, feed, chores };
}

/** Built first, where that has never been done. */
async function openPages(config: Config, folder: string): Promise<Pages> {
  const bucket = await bucketOf(config);
  const anyObject = { filename: '', contentType: '', expiresAt: new Date(Date.now() + 60_000) };
  const filesAt = bucket && new URL(await bucket.downloadUrl('', anyObject)).origin;
  return new Pages(folder, filesAt);
}

/** The bucket that the settings name, if they do. Only then is the SDK loaded, for the memory it takes. */
export async function bucketOf({
  s3Bucket,
  s3Endpoint,
  s3Region,
  s3AccessKeyId,
  s3SecretAccessKey,
  s3ForcePathStyle,
}: Config): Promise<S3Store | undefined> {
  if (s3Bucket === undefined) return undefined;
  const { S3Store } = await import('./platform/objects/s3-store.ts');
  return new S3Store({
    bucket: s3Bucket,
    endpoint: s3Endpoint,
    region: s3Region,
    accessKeyId: s3AccessKeyId ?? '',
    secretAccessKey: s3SecretAccessKey ?? '',
    forcePathStyle: s3ForcePathStyle,
  });
}

function hostForPeople(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
