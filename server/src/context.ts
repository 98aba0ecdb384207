import path from 'node:path';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { bucketOf } from './bucket.ts';
import type { Config } from './config.ts';
import { Cursors } from './contract/cursors.ts';
import { WEBHOOK_PATIENCE_MS } from './contract/limits.ts';
import type { Quotas } from './contract/quotas.ts';
import { COMMITS, FOLLOWING } from './followers.ts';
import { providersOf } from './modules/accounts/providers.ts';
import { SignIn } from './modules/accounts/sign-in.ts';
import { acknowledgedMessage } from './modules/acknowledgements/acknowledgements.ts';
import { KeyRing } from './modules/agents/key-ring.ts';
import { HistoryGuard } from './modules/attestations/history-guard.ts';
import { Witnesses } from './modules/attestations/witnesses.ts';
import { Blocks } from './modules/blocks/blocks.ts';
import { Leases } from './modules/consumers/leases.ts';
import { DocumentTypes } from './modules/document-types/own-types.ts';
import { Exports } from './modules/export/export.ts';
import { Downloads } from './modules/files/downloads.ts';
import { Files } from './modules/files/files.ts';
import { PartedUploads } from './modules/files/parted-uploads.ts';
import { Following } from './modules/following/following.ts';
import { InboxSchemas } from './modules/inbox-schema/inbox-schema.ts';
import { TypeSchemas } from './modules/inbox-schema/type-schemas.ts';
import { Arrivals } from './modules/live/arrivals.ts';
import { Log } from './modules/log/log.ts';
import { LogKeys } from './modules/log/log-keys.ts';
import type { PublicationServices } from './modules/log/publication.ts';
import { keyFromCommand, keyFromFile, type SigningKey } from './modules/log/signing-key.ts';
import { Tiles } from './modules/log/tiles.ts';
import { KeptMailAccess } from './modules/mail/kept-mail-access.ts';
import { Mails } from './modules/mail/mails.ts';
import { codeMail } from './modules/mail/templates.ts';
import { Ledger } from './modules/messages/ledger.ts';
import { PartyDirectory } from './modules/parties/directory.ts';
import { LoggedWaits } from './modules/promises/logged-waits.ts';
import { Promises } from './modules/promises/promises.ts';
import { Renditions } from './modules/renditions/renditions.ts';
import { addCommentDocument } from './modules/search/comment-documents.ts';
import { Searches } from './modules/search/search.ts';
import { LoggedKeys } from './modules/signatures/logged-keys.ts';
import type { CommentFollower } from './modules/threads/comments.ts';
import { ThreadCounts } from './modules/threads/thread-counts.ts';
import { updatedThread } from './modules/threads/updated-thread.ts';
import type { BodyServices } from './modules/webhooks/bodies.ts';
import { WebhookStatistics } from './modules/webhooks/statistics.ts';
import { WebhookSecrets } from './modules/webhooks/webhook-secrets.ts';
import { CanonicalHasher } from './platform/json/canonical-hasher.ts';
import { SchemaChecker } from './platform/json/schema-checker/checker.ts';
import { ConsumerMail } from './platform/mail/consumer-mail.ts';
import { ownDownloadUrl } from './platform/objects/download-url.ts';
import type { Exclusively } from './platform/objects/folder-parts.ts';
import { FolderStore } from './platform/objects/folder-store.ts';
import type { ObjectStore } from './platform/objects/object-store.ts';
import { UrlSigner } from './platform/objects/url-signer.ts';
import { NameServers } from './platform/outbound/name-servers.ts';
import { Outbound } from './platform/outbound/outbound.ts';
import { Announcer } from './platform/postgres/announcer.ts';
import { ChangeFeed } from './platform/postgres/change-feed.ts';
import { type Clock, DatabaseClock } from './platform/postgres/database-clock.ts';
import type { Connection } from './platform/postgres/database-hosts.ts';
import type { Database } from './platform/postgres/postgres.ts';
import { TokenExchange } from './platform/postgres/token-exchange.ts';
import { Topics } from './platform/postgres/topics.ts';
import { SecretBox } from './platform/secrets/secret-box.ts';
import { sharedSecret } from './platform/secrets/secrets.ts';
import { createSecretsKey, readSecretsKey } from './platform/secrets/secrets-key-file.ts';

/**
 * The services of endpoints, chores and workers, built once. Only the composition root knows them all: each module states the services it needs as
 * its own type, and the compiler checks that the context has them.
 */
export interface Context {
  config: Config;
  database: Database;
  announcer: Announcer;
  parties: PartyDirectory;
  consumerMail: ConsumerMail;
  nameServers: NameServers;
  mails: Mails;
  keptMailAccess: KeptMailAccess;
  keys: KeyRing;
  signIn: SignIn;
  ledger: Ledger;
  following: Following;
  arrivals: Arrivals;
  leases: Leases;
  schemas: InboxSchemas;
  typeSchemas: TypeSchemas;
  documentTypes: DocumentTypes;
  hasher: CanonicalHasher;
  renditions: Renditions;
  files: Files;
  partedUploads: PartedUploads;
  downloads: Downloads;
  blocks: Blocks;
  threadCounts: ThreadCounts;
  searches: Searches;
  commentFollowers: readonly CommentFollower[];
  eventBodies: BodyServices['eventBodies'];
  exports: Exports;
  webhookStatistics: WebhookStatistics;
  webhookSecrets: WebhookSecrets;
  transparencyLog: Log;
  loggedKeys: LoggedKeys;
  publication: PublicationServices;
  witnesses: Witnesses | undefined;
  historyGuard: HistoryGuard | undefined;
  promises: Promises;
  loggedWaits: LoggedWaits;
  objects: ObjectStore;
  /** The store that the service itself serves. Undefined: files are in a bucket. */
  folder: FolderStore | undefined;
  signer: UrlSigner;
  /** The HTTP client for addresses that strangers have chosen. */
  outbound: Outbound;
  quotas: Quotas;
  cursors: Cursors;
  /** The time of the database. */
  now: Clock;
  metrics: Registry;
  tokens: TokenExchange;
  /** No slash at the end. */
  publicUrl: string;
  inboundDomain: string;
}

/** Builds the context and starts its listeners. `closers` gets the functions that stop them. */
export async function buildContext(
  config: Config,
  database: Database,
  connection: Connection,
  log: Logger,
  closers: (() => Promise<void>)[],
  { publicUrl }: { publicUrl: string },
): Promise<{ context: Context; feed: ChangeFeed }> {
  const feed = new ChangeFeed(connection, log);
  const parties = new PartyDirectory(database, feed);
  const cursors = new Cursors(await sharedSecret(database, 'cursors'));
  const keys = new KeyRing(database, feed);
  await feed.start();
  closers.push(
    () => feed.stop(),
    () => keys.stop(),
  );
  const { checker, hasher, renditions } = workersOf(closers);
  const { tokens, announcer, topics } = await startExchanges(database, connection, log, closers);
  const [quotas, metrics] = [quotasOf(config), new Registry()];
  const { now } = await startClock(database, closers);
  const signer = new UrlSigner(await sharedSecret(database, 'objects'), now);
  const mails = new Mails(await sharedSecret(database, 'unsubscribing'), publicUrl);
  const nameServers = new NameServers(config.dnsServers);
  const consumerMail = new ConsumerMail(config.consumerMailDomains);
  const objects = (await openBucket(config, now, log, closers)) ?? folderOf(config, database, signer, publicUrl);
  const files = new Files(database, objects, quotas, { now, urlOf: (id, terms) => ownDownloadUrl(signer, publicUrl, id, terms) });
  const secretBox = await secretBoxOf(config, database);
  const context: Context = {
    config,
    database,
    announcer,
    parties,
    consumerMail,
    nameServers,
    mails,
    keptMailAccess: new KeptMailAccess(await sharedSecret(database, 'kept-mails')),
    keys,
    signIn: await signInFor({ config, database, log, publicUrl, consumerMail, mails }),
    blocks: new Blocks(database, feed, parties),
    quotas,
    cursors,
    now,
    ledger: new Ledger(database, COMMITS, { announcer, topics }, files, quotas),
    following: new Following(database, FOLLOWING, log),
    arrivals: new Arrivals(database, metrics, log),
    leases: new Leases(database, topics, feed, metrics, log),
    ...schemasOf(database, feed, checker),
    hasher,
    renditions,
    files,
    ...readersOf(database, parties, cursors),
    ...REGISTERED,
    partedUploads: new PartedUploads(database, objects.parts, quotas),
    downloads: new Downloads(config.downloadsPerAddressMax),
    objects,
    folder: objects instanceof FolderStore ? objects : undefined,
    signer,
    webhookSecrets: new WebhookSecrets(secretBox),
    outbound: outboundOf(config, nameServers),
    ...logPartsOf(config, database, objects, secretBox, { log, now, metrics }),
    metrics,
    tokens,
    publicUrl,
    inboundDomain: config.inboundDomain ?? new URL(publicUrl).hostname,
  };
  return { context, feed };
}

/** The start fails if the bucket can't be used with these settings, but waits for a bucket that can't be reached. */
async function openBucket(config: Config, now: Clock, log: Logger, closers: (() => Promise<void>)[]): Promise<ObjectStore | undefined> {
  const bucket = await bucketOf(config, now);
  if (bucket === undefined) return undefined;
  closers.push(() => bucket.health.stop());
  await bucket.health.start(log);
  return bucket;
}

function folderOf(config: Config, database: Database, signer: UrlSigner, publicUrl: string): FolderStore {
  const exclusively: Exclusively = (name, work) => database.exclusively(name, work);
  return new FolderStore(path.join(config.dataDir, 'files'), signer, publicUrl, exclusively, config.freeDiskReserveBytes);
}

/** What computes in threads of its own. */
function workersOf(closers: (() => Promise<void>)[]) {
  const workers = { checker: new SchemaChecker(), hasher: new CanonicalHasher(), renditions: new Renditions() };
  closers.push(...Object.values(workers).map((one) => () => one.stop()));
  return workers;
}

async function startClock(database: Database, closers: (() => Promise<void>)[]): Promise<DatabaseClock> {
  const clock = new DatabaseClock(database);
  await clock.start();
  closers.push(async () => clock.stop());
  return clock;
}

async function startExchanges(database: Database, connection: Connection, log: Logger, closers: (() => Promise<void>)[]) {
  const tokens = new TokenExchange(database, connection, log);
  await tokens.start();
  closers.push(() => tokens.stop());
  const announcer = new Announcer(database);
  closers.push(() => announcer.stop());
  const topics = new Topics(announcer, connection, log);
  await topics.start();
  closers.push(() => topics.stop());
  return { tokens, announcer, topics };
}

/** A data folder has its own key. If another key is set, the folder's key still decrypts. */
export async function secretBoxOf({ databaseUrl, dataDir, secretsKey, secretsOldKeys }: Config, database: Database): Promise<SecretBox> {
  const usesFolder = databaseUrl === undefined && secretsKey === undefined;
  if (usesFolder && readSecretsKey(dataDir) === undefined) {
    // A new key must not replace one that is lost.
    await requireKeys(new SecretBox(undefined, secretsOldKeys), database);
    createSecretsKey(dataDir);
  }
  const inFolder = readSecretsKey(dataDir);
  const older = inFolder ? [...secretsOldKeys, inFolder] : secretsOldKeys;
  const box = new SecretBox(usesFolder ? inFolder : secretsKey, older);
  await requireKeys(box, database);
  return box;
}

async function requireKeys(box: SecretBox, database: Database): Promise<void> {
  await new WebhookSecrets(box).requireKeys(database);
  await new LogKeys(box, { operators: undefined, allowsPlaintext: false }).requireKeys(database);
}

function outboundOf(config: Config, nameServers: NameServers): Outbound {
  return new Outbound({
    privateHosts: config.webhookPrivateHosts,
    nameServers,
    patienceMs: WEBHOOK_PATIENCE_MS,
    proxy: config.outboundProxy,
    clientCert: config.outboundClientCert,
    clientKey: config.outboundClientKey,
  });
}

export function operatorsKeyOf({ logKey, logKeyCommand, logPublicKey }: Config): SigningKey | undefined {
  const fromFile = logKey && keyFromFile(logKey);
  return fromFile ?? (logKeyCommand !== undefined && logPublicKey ? keyFromCommand(logKeyCommand, logPublicKey) : undefined);
}

export function logKeysOf(config: Config, secretBox: SecretBox): LogKeys {
  return new LogKeys(secretBox, { operators: operatorsKeyOf(config), allowsPlaintext: config.allowsPlaintextLogKey });
}

function logPartsOf(
  config: Config,
  database: Database,
  objects: ObjectStore,
  secretBox: SecretBox,
  { log, now, metrics }: { log: Logger; now: Clock; metrics: Registry },
) {
  const tiles = new Tiles(database, objects.named);
  const keys = logKeysOf(config, secretBox);
  const transparencyLog = new Log(database, tiles, keys, objects.named);
  const witnesses = config.witnesses && new Witnesses(config.witnesses, database);
  const historyGuard = witnesses && new HistoryGuard(database, witnesses, log);
  const faultSeenBy = historyGuard && ((number: number) => historyGuard.faultOf(() => transparencyLog.readLog(number)));
  const publication = { database, objects: objects.named, tiles, keys, faultSeenBy, waitsForStandby: config.logWaitsForStandby };
  const promises = new Promises({ database, transparencyLog, keys, now, metrics }, log);
  const loggedWaits = new LoggedWaits(transparencyLog, metrics, log);
  return { transparencyLog, loggedKeys: new LoggedKeys(transparencyLog), publication, witnesses, historyGuard, promises, loggedWaits };
}

/** Registered here, because the modules threads and webhooks must not import those above them. */
const REGISTERED: Pick<Context, 'commentFollowers' | 'eventBodies'> = {
  commentFollowers: [addCommentDocument],
  eventBodies: {
    'thread.updated': updatedThread,
    'message.acknowledged': ({ database }, partyId, messageId) => acknowledgedMessage(database, partyId, messageId),
  },
};

/** Each of these reads much for one request, so it has turns or a concurrency limit. */
function readersOf(database: Database, parties: PartyDirectory, cursors: Cursors) {
  return {
    threadCounts: new ThreadCounts(database, parties),
    searches: new Searches(database, cursors),
    exports: new Exports(),
    webhookStatistics: new WebhookStatistics(database),
  };
}

type SignInNeeds = Pick<Context, 'config' | 'database' | 'consumerMail' | 'mails'> & { log: Logger; publicUrl: string };

async function signInFor({ config, database, log, publicUrl, consumerMail, mails }: SignInNeeds): Promise<SignIn> {
  return new SignIn({
    database,
    log,
    secret: await sharedSecret(database, 'sign-in'),
    publicUrl,
    providers: providersOf(config),
    isConsumer: (domain) => consumerMail.gives(domain),
    sendCode: (tx, to, mail) => mails.queueFirst(tx, { to, ...codeMail(mail) }),
  });
}

function quotasOf(config: Config): Quotas {
  return {
    monthlyMessages: config.monthlyMessageLimit,
    newAccountDailyMessages: config.newAccountDailyMessageLimit,
    newAccountDays: config.newAccountDays,
    dailyUploadBytes: config.dailyUploadLimitBytes,
    dailyUploadBytesPerPerson: config.dailyUploadLimitPerPersonBytes,
  };
}

function schemasOf(database: Database, feed: ChangeFeed, checker: SchemaChecker) {
  const schemas = new InboxSchemas(database, feed, checker);
  return { schemas, typeSchemas: new TypeSchemas(database, schemas), documentTypes: new DocumentTypes(database, schemas) };
}
