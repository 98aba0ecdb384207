import path from 'node:path';
import { GB } from './contract/limits.ts';
import type { S3Settings } from './platform/objects/s3-store.ts';

/** Every setting, read once from the environment, checked, and frozen. Nothing else reads process.env. */
export interface Config {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | undefined;
  publicUrl: string | undefined;
  inboundDomain: string | undefined;
  trustedProxies: string[];
  logLevel: string;
  rateLimitPerMinute: number;
  rateLimitBurst: number;
  publicRateLimitPerMinute: number;
  monthlyMessageLimit: number;
  newAccountDays: number;
  newAccountDailyMessageLimit: number;
  dailyUploadLimitBytes: number;
  webhookPrivateHosts: string[];
  webhookRetryDelaysS: number[];
  /** Undefined: files are kept in the data folder. */
  s3: S3Settings | undefined;
}

export class ConfigError extends Error {}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

export function readConfig(env: NodeJS.ProcessEnv = process.env): Readonly<Config> {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const refuse = (name: string, wanted: string): never => {
    throw new ConfigError(
      `The setting ${name} must be ${wanted}, but is ${env[name] === undefined ? 'missing' : JSON.stringify(env[name])}.`,
    );
  };
  const whole = (name: string, fallback: number, max = Number.MAX_SAFE_INTEGER): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    return /^\d+$/.test(value) && Number(value) <= max ? Number(value) : refuse(name, `a whole number from 0 to ${max}`);
  };
  const list = (name: string): string[] =>
    (text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  const url = (name: string, protocols: string[]): string | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    if (!parsed || !protocols.includes(parsed.protocol)) return refuse(name, `a URL that begins with ${protocols.join('// or ')}//`);
    return value.replace(/\/+$/, '');
  };

  return Object.freeze({
    port: whole('PORT', 3000, 65_535),
    host: text('HOST') ?? '127.0.0.1',
    dataDir: path.resolve(text('DATA_DIR') ?? path.resolve(import.meta.dirname, '../../data')),
    databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:']),
    publicUrl: url('PUBLIC_URL', ['http:', 'https:']),
    inboundDomain: domain(text('INBOUND_DOMAIN'), () => refuse('INBOUND_DOMAIN', 'a domain name such as in.example.com')),
    trustedProxies: list('TRUSTED_PROXIES'),
    logLevel: oneOf(text('LOG_LEVEL') ?? 'info', LOG_LEVELS, () => refuse('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`)),
    rateLimitPerMinute: whole('RATE_LIMIT_PER_MINUTE', 6_000),
    rateLimitBurst: Math.max(1, whole('RATE_LIMIT_BURST', 1_000)),
    publicRateLimitPerMinute: whole('PUBLIC_RATE_LIMIT_PER_MINUTE', 600),
    monthlyMessageLimit: whole('MONTHLY_MESSAGE_LIMIT', 100_000),
    newAccountDays: whole('NEW_ACCOUNT_DAYS', 7, 3_650),
    newAccountDailyMessageLimit: whole('NEW_ACCOUNT_DAILY_MESSAGE_LIMIT', 100),
    dailyUploadLimitBytes: whole('DAILY_UPLOAD_LIMIT_BYTES', 50 * GB),
    webhookPrivateHosts: list('WEBHOOK_PRIVATE_HOSTS').map((host) => host.toLowerCase()),
    webhookRetryDelaysS: delays(text('WEBHOOK_RETRY_DELAYS_S') ?? '60,300,1800,7200,43200', () =>
      refuse('WEBHOOK_RETRY_DELAYS_S', 'whole seconds parted by commas, such as 60,300,1800,7200,43200'),
    ),
    s3: readS3(),
  });

  /** All of it or none: half a bucket would lose files. */
  function readS3(): S3Settings | undefined {
    const bucket = text('S3_BUCKET');
    const endpoint = url('S3_ENDPOINT', ['http:', 'https:']);
    const [accessKeyId, secretAccessKey] = [text('S3_ACCESS_KEY_ID'), text('S3_SECRET_ACCESS_KEY')];
    if (bucket === undefined)
      return endpoint === undefined && accessKeyId === undefined ? undefined : refuse('S3_BUCKET', 'set along with the other S3 settings');
    if (accessKeyId === undefined) return refuse('S3_ACCESS_KEY_ID', 'set along with S3_BUCKET');
    if (secretAccessKey === undefined) return refuse('S3_SECRET_ACCESS_KEY', 'set along with S3_BUCKET');
    const forcePathStyle =
      oneOf(text('S3_FORCE_PATH_STYLE') ?? 'false', ['true', 'false'], () => refuse('S3_FORCE_PATH_STYLE', 'true or false')) === 'true';
    return { bucket, endpoint, region: text('S3_REGION') ?? 'us-east-1', accessKeyId, secretAccessKey, forcePathStyle };
  }
}

function domain(value: string | undefined, refuse: () => never): string | undefined {
  if (value === undefined) return undefined;
  return /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(value) ? value.toLowerCase() : refuse();
}

function oneOf(value: string, allowed: string[], refuse: () => never): string {
  return allowed.includes(value) ? value : refuse();
}

function delays(value: string, refuse: () => never): number[] {
  const parts = value.split(',').map((part) => part.trim());
  return parts.every((part) => /^\d{1,9}$/.test(part)) ? parts.map(Number) : refuse();
}
