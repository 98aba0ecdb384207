import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Policy } from '@waybill/proof';
import * as limits from './contract/limits.ts';
import { parseEmail } from './contract/mail-names.ts';
import { messageOf } from './contract/thrown.ts';
import { hasNoPassword, looksLikePolicy, parseWitnessPolicy } from './contract/witness-policy.ts';
import { eachHost } from './platform/postgres/database-hosts.ts';
import {
  isBoolean,
  isContact,
  isHost,
  isMailServer,
  isName,
  isNameServer,
  isNetwork,
  isProxy,
  isWebAddress,
} from './platform/processes/setting-forms.ts';
import { isEd25519Key } from './platform/secrets/ed25519.ts';
import { SECRETS_KEY_BYTES } from './platform/secrets/secret-box.ts';

/** Every setting, read once from the environment, checked, and frozen. Nothing else reads process.env. */
export interface Config {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | undefined;
  /** PostgreSQL itself, if DATABASE_URL leads to a pooler. */
  databaseDirectUrl: string | undefined;
  databaseStartS: number;
  publicUrl: string | undefined;
  securityContacts: string[];
  inboundDomain: string | undefined;
  /** Added to the built-in list of providers that give mailboxes to anybody. */
  consumerMailDomains: string[];
  /** Undefined: the service takes no mail and ignores the other settings about incoming mail. */
  smtpListen: { host: string; port: number } | undefined;
  /** PEM. Undefined: the listener offers no STARTTLS. */
  smtpTlsCert: string | undefined;
  smtpTlsKey: string | undefined;
  /** Proxies that begin each connection with a line of the PROXY protocol. */
  smtpProxies: string[];
  mailMaxBytes: number;
  trustedProxies: string[];
  logLevel: string;
  rateLimitPerMinute: number;
  rateLimitBurst: number;
  /** Undefined: a multiple of the rate of one key. */
  businessRateLimitPerMinute: number | undefined;
  publicRateLimitPerMinute: number;
  /** The total of large responses that clients have not read yet. */
  responseBytesMax: number;
  compressionPercent: number;
  minBytesPerS: number;
  slowClientS: number;
  downloadsPerAddressMax: number;
  /** Undefined: only this machine may read the metrics. */
  metricsToken: string | undefined;
  monthlyMessageLimit: number;
  newAccountDays: number;
  newAccountDailyMessageLimit: number;
  dailyUploadLimitBytes: number;
  dailyUploadLimitPerPersonBytes: number;
  freeDiskReserveBytes: number;
  webhookPrivateHosts: string[];
  outboundProxy: string | undefined;
  /** PEM, for receivers that ask for a client certificate. */
  outboundClientCert: string | undefined;
  outboundClientKey: string | undefined;
  webhookRetryDelaysS: number[];
  webhookLogDays: number;
  /** 0: no webhook is paused. */
  webhookPauseAfterDays: number;
  /** Undefined: the key in the data folder, if the database is there, too. Without either, secrets are not encrypted. */
  secretsKey: Buffer | undefined;
  /** Former keys, which only decrypt. */
  secretsOldKeys: Buffer[];
  logPublic: boolean;
  /** A standby of the database must have the state of a checkpoint before the checkpoint is published. */
  logWaitsForStandby: boolean;
  /** The contents of a file with an Ed25519 key. Undefined, and no command: the service has its own key. */
  logKey: Buffer | undefined;
  logKeyCommand: string | undefined;
  logPublicKey: Buffer | undefined;
  /** The service starts although a key of the log is in the database in clear text. */
  allowsPlaintextLogKey: boolean;
  dnsServers: string[];
  /** Undefined: files are stored in the data folder, and the other S3 settings are ignored. */
  s3Bucket: string | undefined;
  s3Endpoint: string | undefined;
  s3Region: string;
  s3AccessKeyId: string | undefined;
  s3SecretAccessKey: string | undefined;
  s3ForcePathStyle: boolean;
  googleClientId: string | undefined;
  googleClientSecret: string | undefined;
  microsoftClientId: string | undefined;
  microsoftClientSecret: string | undefined;
  microsoftTenant: string;
  oidcIssuer: string | undefined;
  oidcClientId: string | undefined;
  oidcClientSecret: string | undefined;
  oidcName: string;
  smtpUrl: string | undefined;
  mailFrom: { name: string; address: string } | undefined;
  /** The witnesses of the log, and how many are enough. Undefined: none. */
  witnesses: Policy | undefined;
  tsaUrl: string | undefined;
  /** Where the authority's lists of revoked certificates are, instead of the addresses in its certificates. */
  tsaCrlUrls: string[];
}

export class ConfigError extends Error {}

const SECRETS_OLD_KEYS_MAX = 16;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

function environment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

export function readConfig(env: NodeJS.ProcessEnv = environment()): Readonly<Config> {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const refuse = (name: string, wanted: string): never => {
    const shown = env[name] === undefined ? 'missing' : JSON.stringify(env[name].replace(/\/\/[^/]*@/, '//…@'));
    throw new ConfigError(`The setting ${name} must be ${wanted}, but is ${shown}.`);
  };
  const whole = (name: string, fallback: number, max = Number.MAX_SAFE_INTEGER): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    return /^\d+$/.test(value) && Number(value) <= max ? Number(value) : refuse(name, `a whole number from 0 to ${max}`);
  };
  const flag = (name: string, fallback: 'true' | 'false'): boolean =>
    check(text(name) ?? fallback, isBoolean, () => refuse(name, 'true or false')) === 'true';
  const list = (name: string, fits: (item: string) => boolean, wanted: string): string[] => {
    const items = (text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    return items.every(fits) ? items : refuse(name, `${wanted}, separated by commas`);
  };
  /** Accepts one server, or several separated by commas, of which one is the primary. */
  const database = (name: string): string | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const isUrl = (one: string) => URL.canParse(one) && ['postgres:', 'postgresql:'].includes(new URL(one).protocol);
    return eachHost(value).every(isUrl) ? value : refuse(name, 'a URL that begins with postgres:// or postgresql://');
  };
  const url = (name: string, protocols: string[]): string | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    if (!parsed || !protocols.includes(parsed.protocol)) return refuse(name, `a URL that begins with ${protocols.join('// or ')}//`);
    return value.replace(/\/+$/, '');
  };

  return Object.freeze({
    port: whole('PORT', 3000, 65_535),
    host: check(text('HOST') ?? '127.0.0.1', isHost, () => refuse('HOST', 'an IP address or a host name')),
    dataDir: path.resolve(text('DATA_DIR') ?? 'data'),
    databaseUrl: database('DATABASE_URL'),
    databaseDirectUrl: database('DATABASE_DIRECT_URL'),
    databaseStartS: whole('DATABASE_START_S', limits.DATABASE_START_S, 3_600),
    publicUrl: url('PUBLIC_URL', ['http:', 'https:']),
    securityContacts: list('SECURITY_CONTACT', isContact, 'URLs that begin with mailto: or https://'),
    inboundDomain: check(text('INBOUND_DOMAIN'), isName, () =>
      refuse('INBOUND_DOMAIN', 'a domain name such as in.example.com'),
    )?.toLowerCase(),
    smtpListen: smtpListen(),
    smtpTlsCert: certificate('SMTP_TLS_CERT', 'SMTP_TLS_KEY'),
    smtpTlsKey: pem('SMTP_TLS_KEY'),
    smtpProxies: list('SMTP_PROXIES', (item) => isIP(item) !== 0, 'IP addresses'),
    mailMaxBytes: Math.max(1, whole('MAIL_MAX_MB', limits.MAIL_MAX_MB, 1_024)) * limits.MB,
    trustedProxies: list('TRUSTED_PROXIES', isNetwork, 'IP addresses or networks such as 10.0.0.0/8'),
    logLevel: check(
      text('LOG_LEVEL') ?? 'info',
      (level) => LOG_LEVELS.includes(level),
      () => refuse('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`),
    ),
    rateLimitPerMinute: whole('RATE_LIMIT_PER_MINUTE', limits.RATE_LIMIT_PER_MINUTE),
    rateLimitBurst: Math.max(1, whole('RATE_LIMIT_BURST', limits.RATE_LIMIT_BURST)),
    businessRateLimitPerMinute:
      text('RATE_LIMIT_PER_BUSINESS_PER_MINUTE') === undefined ? undefined : whole('RATE_LIMIT_PER_BUSINESS_PER_MINUTE', 0),
    publicRateLimitPerMinute: whole('PUBLIC_RATE_LIMIT_PER_MINUTE', limits.PUBLIC_RATE_LIMIT_PER_MINUTE),
    responseBytesMax: Math.max(16, whole('RESPONSE_BYTES_MAX_MB', limits.RESPONSE_BYTES_MAX_MB)) * limits.MB,
    compressionPercent: whole('COMPRESSION_PERCENT', limits.COMPRESSION_PERCENT, 100),
    minBytesPerS: whole('MIN_BYTES_PER_S', limits.MIN_BYTES_PER_S),
    slowClientS: Math.max(1, whole('SLOW_CLIENT_S', limits.SLOW_CLIENT_S, 86_400)),
    downloadsPerAddressMax: Math.max(1, whole('DOWNLOADS_PER_ADDRESS_MAX', limits.DOWNLOADS_PER_ADDRESS_MAX)),
    metricsToken: text('METRICS_TOKEN'),
    monthlyMessageLimit: whole('MONTHLY_MESSAGE_LIMIT', limits.MONTHLY_MESSAGE_LIMIT),
    newAccountDays: whole('NEW_ACCOUNT_DAYS', limits.NEW_ACCOUNT_DAYS, 3_650),
    newAccountDailyMessageLimit: whole('NEW_ACCOUNT_DAILY_MESSAGE_LIMIT', limits.NEW_ACCOUNT_DAILY_MESSAGE_LIMIT),
    dailyUploadLimitBytes: whole('DAILY_UPLOAD_LIMIT_BYTES', limits.DAILY_UPLOAD_LIMIT_BYTES),
    dailyUploadLimitPerPersonBytes: whole('DAILY_UPLOAD_LIMIT_PER_PERSON_BYTES', limits.DAILY_UPLOAD_LIMIT_PER_PERSON_BYTES),
    freeDiskReserveBytes: whole('FREE_DISK_RESERVE_MB', limits.FREE_DISK_RESERVE_MB) * limits.MB,
    webhookPrivateHosts: list('WEBHOOK_PRIVATE_HOSTS', isHost, 'host names or IP addresses').map((host) => host.toLowerCase()),
    outboundProxy: check(text('OUTBOUND_PROXY'), isProxy, () =>
      refuse('OUTBOUND_PROXY', 'a URL such as http://proxy.example.com:3128 or https://user:password@proxy.example.com'),
    ),
    outboundClientCert: certificate('OUTBOUND_CLIENT_CERT', 'OUTBOUND_CLIENT_KEY'),
    outboundClientKey: pem('OUTBOUND_CLIENT_KEY'),
    webhookRetryDelaysS: delays(text('WEBHOOK_RETRY_DELAYS_S') ?? '60,300,1800,7200,43200', () =>
      refuse(
        'WEBHOOK_RETRY_DELAYS_S',
        `at most ${limits.WEBHOOK_RETRIES_MAX} delays in seconds, separated by commas, such as 60,300,1800,7200,43200`,
      ),
    ),
    consumerMailDomains: list('CONSUMER_MAIL_DOMAINS', isName, 'domains such as example.com').map((domain) => domain.toLowerCase()),
    webhookLogDays: whole('WEBHOOK_LOG_DAYS', limits.WEBHOOK_LOG_DAYS, 3_650),
    webhookPauseAfterDays: whole('WEBHOOK_PAUSE_AFTER_DAYS', limits.WEBHOOK_PAUSE_AFTER_DAYS, 3_650),
    secretsKey: secretsKeys('SECRETS_KEY', 1)[0],
    secretsOldKeys: secretsKeys('SECRETS_OLD_KEYS', SECRETS_OLD_KEYS_MAX),
    logPublic: flag('LOG_PUBLIC', 'true'),
    logWaitsForStandby: flag('LOG_WAIT_FOR_STANDBY', 'false'),
    logKey: logKey(),
    logKeyCommand: text('LOG_KEY_COMMAND'),
    logPublicKey: logPublicKey(),
    allowsPlaintextLogKey:
      check(
        text('LOG_KEY_PLAINTEXT') ?? 'refuse',
        (value) => value === 'refuse' || value === 'allow',
        () => refuse('LOG_KEY_PLAINTEXT', 'refuse or allow'),
      ) === 'allow',
    dnsServers: list('DNS_SERVERS', isNameServer, 'IP addresses such as 10.0.0.2, 10.0.0.2:5353 or [fd00::2]:5353'),
    s3Bucket: text('S3_BUCKET'),
    s3Endpoint: url('S3_ENDPOINT', ['http:', 'https:']),
    s3Region: text('S3_REGION') ?? 'us-east-1',
    s3AccessKeyId: along('S3_BUCKET', 'S3_ACCESS_KEY_ID'),
    s3SecretAccessKey: along('S3_BUCKET', 'S3_SECRET_ACCESS_KEY'),
    s3ForcePathStyle: flag('S3_FORCE_PATH_STYLE', 'false'),
    googleClientId: text('GOOGLE_CLIENT_ID'),
    googleClientSecret: along('GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'),
    microsoftClientId: text('MICROSOFT_CLIENT_ID'),
    microsoftClientSecret: along('MICROSOFT_CLIENT_ID', 'MICROSOFT_CLIENT_SECRET'),
    microsoftTenant: check(text('MICROSOFT_TENANT') ?? 'common', isName, () =>
      refuse('MICROSOFT_TENANT', 'common, organizations, consumers, or the id or domain of a tenant'),
    ),
    oidcIssuer: url('OIDC_ISSUER', ['https:', 'http:']),
    oidcClientId: along('OIDC_ISSUER', 'OIDC_CLIENT_ID'),
    oidcClientSecret: along('OIDC_ISSUER', 'OIDC_CLIENT_SECRET'),
    oidcName: text('OIDC_NAME') ?? 'Single sign-on',
    smtpUrl: check(text('SMTP_URL'), isMailServer, () =>
      refuse('SMTP_URL', 'a URL such as smtps://user:password@mail.example.com or smtp://mail.example.com:587'),
    ),
    mailFrom: sender(),
    witnesses: witnesses(),
    tsaUrl: check(url('TSA_URL', ['http:', 'https:']), hasNoPassword, () => refuse('TSA_URL', 'a URL without user name and password')),
    tsaCrlUrls: list('TSA_CRL_URLS', isWebAddress, 'URLs that begin with https:// or http://'),
  });

  function witnesses(): Policy | undefined {
    const value = text('WITNESSES');
    if (value === undefined) return undefined;
    const policy = looksLikePolicy(value) ? value : (pem('WITNESSES') ?? '');
    try {
      return parseWitnessPolicy(policy);
    } catch (error) {
      return refuse('WITNESSES', `a policy (c2sp.org/tlog-policy) or a file with one (${messageOf(error)})`);
    }
  }

  /** The error does not repeat the value, which is secret. */
  function secretsKeys(name: string, max: number): Buffer[] {
    const keys = list(name, () => true, '').map((item) => Buffer.from(item, 'base64'));
    if (keys.length <= max && keys.every(({ length }) => length === SECRETS_KEY_BYTES)) return keys;
    const wanted = max === 1 ? 'a key' : `at most ${max} keys, separated by commas, each`;
    throw new ConfigError(`The setting ${name} must be ${wanted} of 32 bytes in base64, as openssl rand -base64 32 prints it.`);
  }

  function logKey(): Buffer | undefined {
    const contents = bytesOf('LOG_KEY_FILE');
    if (contents === undefined || isEd25519Key(contents)) return contents;
    return refuse('LOG_KEY_FILE', 'a file with an Ed25519 private key, as openssl genpkey -algorithm ed25519 writes it');
  }

  function logPublicKey(): Buffer | undefined {
    const value = along('LOG_KEY_COMMAND', 'LOG_PUBLIC_KEY');
    const key = value === undefined ? undefined : Buffer.from(value, 'base64');
    return key === undefined || key.length === 32 ? key : refuse('LOG_PUBLIC_KEY', 'the 32 bytes of an Ed25519 public key in base64');
  }

  function sender(): Config['mailFrom'] {
    const value = text('MAIL_FROM');
    if (value === undefined) return text('SMTP_URL') === undefined ? undefined : refuse('MAIL_FROM', 'set along with SMTP_URL');
    const [, name = '', address = value] = /^([^<>"]*)<([^<>]+)>$/.exec(value) ?? [];
    const mailbox = parseEmail(address);
    if (mailbox === undefined || /\p{Cc}/u.test(name)) return refuse('MAIL_FROM', 'an address such as Waybill <no-reply@example.com>');
    return { name: name.trim() || 'Waybill', address: mailbox };
  }

  function smtpListen(): Config['smtpListen'] {
    const value = text('SMTP_LISTEN');
    if (value === undefined) return undefined;
    const [, ipv6, name, port] = /^(?:(?:\[(.+)\]|([^:]+)):)?(\d{1,5})$/.exec(value) ?? [];
    const host = ipv6 ?? name ?? text('HOST') ?? '127.0.0.1';
    const fits = (ipv6 === undefined ? isHost(host) : isIP(ipv6) === 6) && Number(port) <= 65_535;
    return fits ? { host, port: Number(port) } : refuse('SMTP_LISTEN', 'a port, or an address and a port, such as 0.0.0.0:25');
  }

  function bytesOf(name: string): Buffer | undefined {
    const file = text(name);
    try {
      return file === undefined ? undefined : readFileSync(file);
    } catch {
      return refuse(name, 'a file that can be read');
    }
  }

  function pem(name: string): string | undefined {
    return bytesOf(name)?.toString('utf8');
  }

  function certificate(name: string, keyName: string): string | undefined {
    const cert = pem(name);
    if (cert === undefined) return undefined;
    const key = pem(keyName) ?? refuse(keyName, `set along with ${name}`);
    try {
      createSecureContext({ cert, key });
      return cert;
    } catch {
      return refuse(name, `a file with a certificate in PEM, to which the key in ${keyName} belongs`);
    }
  }

  function along(other: string, name: string): string | undefined {
    return text(name) ?? (text(other) === undefined ? undefined : refuse(name, `set along with ${other}`));
  }
}

function check<T extends string | undefined>(value: T, fits: (text: string) => boolean, refuse: () => never): T {
  return value === undefined || fits(value) ? value : refuse();
}

function delays(value: string, refuse: () => never): number[] {
  const parts = value.split(',').map((part) => part.trim());
  return parts.length <= limits.WEBHOOK_RETRIES_MAX && parts.every((part) => /^\d{1,9}$/.test(part)) ? parts.map(Number) : refuse();
}
