import { limitText } from '../../contract/limit-text.ts';
import { MB } from '../../contract/limits.ts';

/** The values of this document depend on the settings. */
const LIMITS_FILE = 'limits.md';

export interface LimitSettings {
  monthlyMessageLimit: number;
  newAccountDays: number;
  newAccountDailyMessageLimit: number;
  dailyUploadLimitBytes: number;
  dailyUploadLimitPerPersonBytes: number;
  freeDiskReserveBytes: number;
  downloadsPerAddressMax: number;
  rateLimitPerMinute: number;
  rateLimitBurst: number;
  businessRateLimitPerMinute: number | undefined;
  publicRateLimitPerMinute: number;
  responseBytesMax: number;
  compressionPercent: number;
  minBytesPerS: number;
  slowClientS: number;
  databaseStartS: number;
  mailMaxBytes: number;
  webhookPauseAfterDays: number;
  webhookRetryDelaysS: readonly number[];
  webhookLogDays: number;
}

/** Key: a setting that the document names. Value: its text in the document, or undefined for the default. */
function valuesOf(settings: LimitSettings): Record<string, string | undefined> {
  const perBusiness = settings.businessRateLimitPerMinute;
  const values = {
    MONTHLY_MESSAGE_LIMIT: settings.monthlyMessageLimit,
    NEW_ACCOUNT_DAYS: settings.newAccountDays,
    NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: settings.newAccountDailyMessageLimit,
    DAILY_UPLOAD_LIMIT_BYTES: settings.dailyUploadLimitBytes,
    DAILY_UPLOAD_LIMIT_PER_PERSON_BYTES: settings.dailyUploadLimitPerPersonBytes,
    FREE_DISK_RESERVE_MB: settings.freeDiskReserveBytes / MB,
    DOWNLOADS_PER_ADDRESS_MAX: settings.downloadsPerAddressMax,
    RATE_LIMIT_PER_MINUTE: settings.rateLimitPerMinute,
    RATE_LIMIT_BURST: settings.rateLimitBurst,
    PUBLIC_RATE_LIMIT_PER_MINUTE: settings.publicRateLimitPerMinute,
    RESPONSE_BYTES_MAX_MB: settings.responseBytesMax / MB,
    COMPRESSION_PERCENT: settings.compressionPercent,
    MIN_BYTES_PER_S: settings.minBytesPerS,
    SLOW_CLIENT_S: settings.slowClientS,
    DATABASE_START_S: settings.databaseStartS,
    MAIL_MAX_MB: settings.mailMaxBytes / MB,
    WEBHOOK_PAUSE_AFTER_DAYS: settings.webhookPauseAfterDays,
    WEBHOOK_LOG_DAYS: settings.webhookLogDays,
  };
  return {
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, limitText(name, value)])),
    RATE_LIMIT_PER_BUSINESS_PER_MINUTE: perBusiness === undefined ? undefined : `${limitText('', perBusiness)} a minute`,
    // The setting is a list. The limit is its length.
    WEBHOOK_RETRY_DELAYS_S: limitText('', settings.webhookRetryDelaysS.length),
  };
}

/** Replaces the defaults in the document by the values of this service. A default stays beside a value that differs. */
export function withLimitsInUse(file: string, markdown: string, settings: LimitSettings): string {
  if (file !== LIMITS_FILE) return markdown;
  const values = valuesOf(settings);
  return markdown
    .replace('the value is the default.', 'the value is that of this service.')
    .replaceAll(/ \| ([^|\n]+) \| `(\w+)` \|$/gm, (row, standard: string, name: string) => {
      const value = values[name];
      return value === undefined || value === standard ? row : ` | **${value}** (default: ${standard}) | \`${name}\` |`;
    });
}
