import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { Cursors } from './contract/cursors.ts';
import type { Quotas } from './contract/quotas.ts';
import { endpointsFor } from './http/endpoint.ts';
import type { SignIn } from './modules/accounts/sign-in.ts';
import type { KeyRing } from './modules/agents/key-ring.ts';
import type { Blocks } from './modules/blocks/blocks.ts';
import type { Downloads } from './modules/files/downloads.ts';
import type { Files } from './modules/files/files.ts';
import type { PartedUploads } from './modules/files/parted-uploads.ts';
import type { InboxSchemas } from './modules/inbox-schema/inbox-schema.ts';
import type { KeptMailAccess } from './modules/mail/kept-mail-access.ts';
import type { Mails } from './modules/mail/mails.ts';
import type { Arrivals } from './modules/messages/arrivals.ts';
import type { Ledger } from './modules/messages/ledger.ts';
import type { PartyDirectory } from './modules/parties/directory.ts';
import type { WebhookStatistics } from './modules/webhooks/statistics.ts';
import type { CanonicalHasher } from './platform/canonical-hasher.ts';
import type { ConsumerMail } from './platform/consumer-mail.ts';
import type { NameServers } from './platform/name-servers.ts';
import type { FolderStore } from './platform/objects/folder-store.ts';
import type { ObjectStore } from './platform/objects/object-store.ts';
import type { UrlSigner } from './platform/objects/url-signer.ts';
import type { Outbound } from './platform/outbound.ts';
import type { Database } from './platform/postgres.ts';

/** What every endpoint is given; built once in service.ts. */
export interface Context {
  config: Config;
  database: Database;
  parties: PartyDirectory;
  consumerMail: ConsumerMail;
  nameServers: NameServers;
  mails: Mails;
  keptMailAccess: KeptMailAccess;
  keys: KeyRing;
  signIn: SignIn;
  ledger: Ledger;
  arrivals: Arrivals;
  schemas: InboxSchemas;
  hasher: CanonicalHasher;
  files: Files;
  partedUploads: PartedUploads;
  downloads: Downloads;
  blocks: Blocks;
  webhookStatistics: WebhookStatistics;
  objects: ObjectStore;
  /** Where the service takes and serves the bytes itself; undefined when a bucket does. */
  folder: FolderStore | undefined;
  /** For the URLs of uploads and downloads. */
  signer: UrlSigner;
  /** What goes to addresses that strangers chose. */
  outbound: Outbound;
  quotas: Quotas;
  cursors: Cursors;
  metrics: Registry;
  /** Without a slash at the end. Known only once the server listens, when the port is any free one. */
  publicUrl: string;
  inboundDomain: string;
}

export const { endpoint, memberEndpoint, personEndpoint, publicEndpoint } = endpointsFor<Context>();
