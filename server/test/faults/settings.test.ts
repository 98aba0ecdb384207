import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import { selfSigned } from '../support/certificates.ts';
import { CHECKOUT, runProgram, startProcess, temporaryFolder } from '../support/process.ts';

interface Setting {
  /** What it can’t do without. */
  along?: Record<string, string>;
  /** What it is called in the configuration. */
  key: keyof Config;
  /** A value that is taken, and what becomes of it. */
  given: string;
  becomes: Config[keyof Config];
  wrong: string[];
}

const notWhole = ['-1', '1.5', '1e3', '0x10', 'many', '9007199254740993'];

const pems = temporaryFolder();
const identity = selfSigned(['mail.example']);
writeFileSync(path.join(pems, 'cert.pem'), identity.cert);
writeFileSync(path.join(pems, 'key.pem'), identity.key);
writeFileSync(path.join(pems, 'other-cert.pem'), selfSigned(['mail.example']).cert);

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
const settings: Record<string, Setting> = {
  PORT: { key: 'port', given: '8080', becomes: 8080, wrong: [...notWhole, '65536'] },
  HOST: { key: 'host', given: '::', becomes: '::', wrong: ['two words', 'http://localhost', '127.0.0.1:80', '-x'] },
  // What is wrong with a folder shows only when it is opened; see below.
  DATA_DIR: { key: 'dataDir', given: '/srv/../srv/waybill', becomes: '/srv/waybill', wrong: [] },
  DATABASE_URL: {
    key: 'databaseUrl',
    given: 'postgresql://db/waybill',
    becomes: 'postgresql://db/waybill',
    wrong: ['db/waybill', 'mysql://db/waybill', 'postgres'],
  },
  DATABASE_DIRECT_URL: {
    key: 'databaseDirectUrl',
    given: 'postgresql://db/waybill',
    becomes: 'postgresql://db/waybill',
    wrong: ['db/waybill', 'mysql://db/waybill', 'postgres'],
  },
  PUBLIC_URL: {
    key: 'publicUrl',
    given: 'https://waybill.example/at/',
    becomes: 'https://waybill.example/at',
    wrong: ['waybill.example', 'ftp://waybill.example', 'https://'],
  },
  INBOUND_DOMAIN: {
    key: 'inboundDomain',
    given: 'In.Example.com',
    becomes: 'in.example.com',
    wrong: ['@example.com', 'in..example.com', 'in example.com', '-in.example.com', `${'a.'.repeat(127)}com`],
  },
  SMTP_LISTEN: {
    key: 'smtpListen',
    given: '[::1]:2525',
    becomes: { host: '::1', port: 2525 },
    wrong: ['mail', '25x', '65536', '0.0.0.0:', ':25', '::1:25', '[127.0.0.1]:25', 'smtp://0.0.0.0:25'],
  },
  SMTP_TLS_CERT: {
    along: { SMTP_TLS_KEY: path.join(pems, 'key.pem') },
    key: 'smtpTlsCert',
    given: path.join(pems, 'cert.pem'),
    becomes: identity.cert,
    wrong: ['/nonexistent/cert.pem', pems],
  },
  SMTP_TLS_KEY: { key: 'smtpTlsKey', given: path.join(pems, 'key.pem'), becomes: identity.key, wrong: ['/nonexistent/key.pem', pems] },
  SMTP_PROXIES: { key: 'smtpProxies', given: '10.0.0.1, ::1', becomes: ['10.0.0.1', '::1'], wrong: ['proxy', '10.0.0.0/8', '10.0.0.1,x'] },
  MAIL_MAX_MB: { key: 'mailMaxBytes', given: '2', becomes: 2_097_152, wrong: [...notWhole, '1025'] },
  CONSUMER_MAIL_DOMAINS: {
    key: 'consumerMailDomains',
    given: 'Example.org, mail.example',
    becomes: ['example.org', 'mail.example'],
    wrong: ['@example.org', 'example..org', 'two words'],
  },
  TRUSTED_PROXIES: {
    key: 'trustedProxies',
    given: '10.0.0.0/8, ::1',
    becomes: ['10.0.0.0/8', '::1'],
    wrong: ['proxy', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/8/8', '::1/129', '10.0.0.1,x'],
  },
  LOG_LEVEL: { key: 'logLevel', given: 'silent', becomes: 'silent', wrong: ['loud', 'INFO', '3'] },
  RATE_LIMIT_PER_MINUTE: { key: 'rateLimitPerMinute', given: '0', becomes: 0, wrong: notWhole },
  RATE_LIMIT_BURST: { key: 'rateLimitBurst', given: '5', becomes: 5, wrong: notWhole },
  RATE_LIMIT_PER_BUSINESS_PER_MINUTE: { key: 'businessRateLimitPerMinute', given: '0', becomes: 0, wrong: notWhole },
  PUBLIC_RATE_LIMIT_PER_MINUTE: { key: 'publicRateLimitPerMinute', given: '0', becomes: 0, wrong: notWhole },
  RESPONSE_BYTES_MAX_MB: { key: 'responseBytesMax', given: '32', becomes: 32 * 1_048_576, wrong: notWhole },
  COMPRESSION_PERCENT: { key: 'compressionPercent', given: '0', becomes: 0, wrong: [...notWhole, '101'] },
  MIN_BYTES_PER_S: { key: 'minBytesPerS', given: '0', becomes: 0, wrong: notWhole },
  SLOW_CLIENT_S: { key: 'slowClientS', given: '0', becomes: 1, wrong: [...notWhole, '86401'] },
  DOWNLOADS_PER_ADDRESS_MAX: { key: 'downloadsPerAddressMax', given: '0', becomes: 1, wrong: notWhole },
  METRICS_TOKEN: { key: 'metricsToken', given: ' secret ', becomes: 'secret', wrong: [] },
  MONTHLY_MESSAGE_LIMIT: { key: 'monthlyMessageLimit', given: '0', becomes: 0, wrong: notWhole },
  NEW_ACCOUNT_DAYS: { key: 'newAccountDays', given: '0', becomes: 0, wrong: [...notWhole, '3651'] },
  NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: { key: 'newAccountDailyMessageLimit', given: '0', becomes: 0, wrong: notWhole },
  DAILY_UPLOAD_LIMIT_BYTES: { key: 'dailyUploadLimitBytes', given: '0', becomes: 0, wrong: notWhole },
  DAILY_UPLOAD_LIMIT_PER_PERSON_BYTES: { key: 'dailyUploadLimitPerPersonBytes', given: '0', becomes: 0, wrong: notWhole },
  FREE_DISK_RESERVE_MB: { key: 'freeDiskReserveBytes', given: '2', becomes: 2_097_152, wrong: notWhole },
  WEBHOOK_PRIVATE_HOSTS: {
    key: 'webhookPrivateHosts',
    given: ' Localhost ,,10.1.2.3',
    becomes: ['localhost', '10.1.2.3'],
    wrong: ['http://localhost', 'a b', 'localhost:80'],
  },
  WEBHOOK_RETRY_DELAYS_S: {
    ...{ key: 'webhookRetryDelaysS', given: '1, 2,3', becomes: [1, 2, 3] },
    wrong: ['1,,2', '1;2', '1.5', '-1', 'soon', '1,2,', '1,1,1,1,1,1'],
  },
  WEBHOOK_LOG_DAYS: { key: 'webhookLogDays', given: '7', becomes: 7, wrong: [...notWhole, '3651'] },
  WEBHOOK_PAUSE_AFTER_DAYS: { key: 'webhookPauseAfterDays', given: '0', becomes: 0, wrong: [...notWhole, '3651'] },
  // What is wrong with them is below: the errors do not repeat a key.
  SECRETS_KEY: { key: 'secretsKey', given: SECRETS_KEY, becomes: Buffer.from(SECRETS_KEY, 'base64'), wrong: [] },
  SECRETS_OLD_KEYS: { key: 'secretsOldKeys', given: SECRETS_KEY, becomes: [Buffer.from(SECRETS_KEY, 'base64')], wrong: [] },
  DNS_SERVERS: {
    key: 'dnsServers',
    given: '10.0.0.2, 10.0.0.2:5353,::1,[::1]:5353',
    becomes: ['10.0.0.2', '10.0.0.2:5353', '::1', '[::1]:5353'],
    wrong: ['ns.example.com', '10.0.0.2:', '10.0.0.2:0', '10.0.0.2:65536', '[10.0.0.2]:53', '[::1]', '10.0.0:53'],
  },
  S3_BUCKET: {
    key: 's3Bucket',
    given: 'waybill',
    becomes: 'waybill',
    wrong: [],
    along: { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' },
  },
  S3_ENDPOINT: {
    key: 's3Endpoint',
    given: 'http://localhost:9000/',
    becomes: 'http://localhost:9000',
    wrong: ['localhost:9000', 's3://bucket'],
  },
  S3_REGION: { key: 's3Region', given: 'eu-west-1', becomes: 'eu-west-1', wrong: [] },
  S3_ACCESS_KEY_ID: { key: 's3AccessKeyId', given: 'id', becomes: 'id', wrong: [] },
  S3_SECRET_ACCESS_KEY: { key: 's3SecretAccessKey', given: 'secret', becomes: 'secret', wrong: [] },
  S3_FORCE_PATH_STYLE: { key: 's3ForcePathStyle', given: 'true', becomes: true, wrong: ['yes', '1', 'TRUE'] },
  GOOGLE_CLIENT_ID: { key: 'googleClientId', given: 'id', becomes: 'id', wrong: [], along: { GOOGLE_CLIENT_SECRET: 'secret' } },
  GOOGLE_CLIENT_SECRET: { key: 'googleClientSecret', given: 'secret', becomes: 'secret', wrong: [] },
  MICROSOFT_CLIENT_ID: { key: 'microsoftClientId', given: 'id', becomes: 'id', wrong: [], along: { MICROSOFT_CLIENT_SECRET: 'secret' } },
  MICROSOFT_CLIENT_SECRET: { key: 'microsoftClientSecret', given: 'secret', becomes: 'secret', wrong: [] },
  MICROSOFT_TENANT: {
    key: 'microsoftTenant',
    given: 'corp.example',
    becomes: 'corp.example',
    wrong: ['../x', 'two words', 'https://login.microsoftonline.com/x'],
  },
  OIDC_ISSUER: {
    key: 'oidcIssuer',
    given: 'https://login.example.com/',
    becomes: 'https://login.example.com',
    wrong: ['login.example.com', 'ftp://login.example.com'],
    along: { OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' },
  },
  OIDC_CLIENT_ID: { key: 'oidcClientId', given: 'id', becomes: 'id', wrong: [] },
  OIDC_CLIENT_SECRET: { key: 'oidcClientSecret', given: 'secret', becomes: 'secret', wrong: [] },
  OIDC_NAME: { key: 'oidcName', given: 'Corp login', becomes: 'Corp login', wrong: [] },
  SMTP_URL: {
    key: 'smtpUrl',
    given: 'smtps://waybill:p%40ss@mail.example.com:465',
    becomes: 'smtps://waybill:p%40ss@mail.example.com:465',
    wrong: [
      'mail.example.com',
      'http://mail.example.com',
      'smtp://',
      'smtp://a b',
      'smtp://mail.example.com/path',
      'smtp://mail.example.com?tls=no',
    ],
    along: { MAIL_FROM: 'no-reply@example.com' },
  },
  MAIL_FROM: {
    key: 'mailFrom',
    given: 'Acme Mail <No-Reply@Example.com>',
    becomes: { name: 'Acme Mail', address: 'no-reply@example.com' },
    wrong: [
      'Acme',
      'Acme <>',
      'no-reply@',
      'Acme <no-reply@example.com',
      'a@example.com, b@example.com',
      'A <a@example.com> <b@example.com>',
    ],
  },
};

const names = Object.keys(settings);
const defaults = readConfig({});

describe.each(Object.entries(settings))('%s', (name, { key, given, becomes, wrong, along = {} }) => {
  test('is taken', () => {
    expect(readConfig({ ...along, [name]: given })[key]).toEqual(becomes);
    expect(defaults[key]).not.toEqual(becomes);
  });

  test('changes nothing else, and nothing at all when it is empty', () => {
    expect(readConfig({ ...along, [name]: given })).toEqual({ ...readConfig(along), [key]: becomes });
    expect(readConfig({ [name]: '  ' })).toEqual(defaults);
  });

  test.each(wrong)('is named in one sentence when it is "%s"', (value) => {
    const sentence = messageOf(() => readConfig({ [name]: value }));
    expect(sentence).toMatch(new RegExp(`^The setting ${name} must be [^\\n]+, but is ${literal(JSON.stringify(value))}\\.$`));
  });
});

test.each([
  ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['S3_BUCKET', 'S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  ['MICROSOFT_CLIENT_ID', 'MICROSOFT_CLIENT_SECRET'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_SECRET', 'OIDC_CLIENT_ID'],
])('%s without %s is refused in one sentence', (given, missing, ...others) => {
  const env = Object.fromEntries([given, ...others].map((name) => [name, 'https://x.example']));
  expect(messageOf(() => readConfig(env))).toBe(`The setting ${missing} must be set along with ${given}, but is missing.`);
});

test('a mail server without MAIL_FROM is refused in one sentence', () => {
  const sentence = messageOf(() => readConfig({ SMTP_URL: 'smtp://localhost' }));
  expect(sentence).toBe('The setting MAIL_FROM must be set along with SMTP_URL, but is missing.');
});

test.each(['smtp://localhost', 'smtp://[::1]:2525', 'smtp://10.0.0.1?ignoreTLS=true', 'smtps://u:p@mail.example.com/'])(
  'SMTP_URL may be %s',
  (url) => {
    expect(readConfig({ SMTP_URL: url, MAIL_FROM: 'no-reply@example.com' }).smtpUrl).toBe(url);
  },
);

test('a sender without a name is called Waybill', () => {
  expect(readConfig({ MAIL_FROM: 'no-reply@example.com' }).mailFrom).toEqual({ name: 'Waybill', address: 'no-reply@example.com' });
});

test.each([
  ['SECRETS_KEY', 'c2hvcnQ=', 'a key of 32 bytes'],
  ['SECRETS_KEY', `${SECRETS_KEY},${SECRETS_KEY}`, 'a key of 32 bytes'],
  ['SECRETS_OLD_KEYS', Array(17).fill(SECRETS_KEY).join(), 'at most 16 keys, separated by commas, each of 32 bytes'],
])('%s is refused in one sentence that does not repeat it', (name, value, wanted) => {
  expect(messageOf(() => readConfig({ [name]: value }))).toBe(
    `The setting ${name} must be ${wanted} in base64, as openssl rand -base64 32 prints it.`,
  );
});

test('a certificate for mail without its key, or with another, is refused in one sentence', () => {
  const cert = path.join(pems, 'cert.pem');
  expect(messageOf(() => readConfig({ SMTP_TLS_CERT: cert }))).toBe(
    'The setting SMTP_TLS_KEY must be set along with SMTP_TLS_CERT, but is missing.',
  );
  for (const wrong of ['key.pem', 'other-cert.pem']) {
    const env = { SMTP_TLS_CERT: path.join(pems, wrong), SMTP_TLS_KEY: path.join(pems, 'key.pem') };
    expect(messageOf(() => readConfig(env))).toMatch(
      /^The setting SMTP_TLS_CERT must be a file with a certificate in PEM, to which the key in SMTP_TLS_KEY belongs, but is "[^"]+"\.$/,
    );
  }
});

test('a password in a wrong DATABASE_URL is not repeated', () => {
  const sentence = messageOf(() => readConfig({ DATABASE_URL: 'mysql://waybill:s3cret@db/waybill' }));
  expect(sentence).toContain('DATABASE_URL');
  expect(sentence).not.toContain('s3cret');
  expect(messageOf(() => readConfig({ SMTP_URL: 'smtp://waybill:s3cret@mail.example.com/path' }))).not.toContain('s3cret');
});

test('the table above has every setting that is read', () => {
  const read = new Set<string>();
  const recording = new Proxy({} as NodeJS.ProcessEnv, {
    get: (_env, name) => {
      read.add(String(name));
      return undefined;
    },
  });
  readConfig(recording);
  expect([...read].sort()).toEqual(names.toSorted());
  expect(names.map((name) => settings[name]?.key).toSorted()).toEqual(Object.keys(defaults).sort());
});

describe('.env.example', () => {
  const lines = readFileSync(path.join(CHECKOUT, '.env.example'), 'utf8').split('\n');
  const assignments = lines.flatMap((line, i) => {
    const [, name, value] = /^# ([A-Z][A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, value: value as string, comment: lines[i - 1] as string }];
  });

  test('lists each setting once, in the order in which it is read, with a sentence about it', () => {
    expect(assignments.map(({ name }) => name)).toEqual(names);
    for (const { comment } of assignments) expect(comment).toMatch(/^# [A-Z].*\.$/);
  });

  test('sets nothing by itself', () => {
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });

  test.each(assignments)('gives the default of $name', ({ name, value }) => {
    const fallback = defaults[settings[name]?.key as keyof Config];
    const isUnset = fallback === undefined || (Array.isArray(fallback) && fallback.length === 0);
    expect(value === '').toBe(isUnset);
    expect(readConfig({ [name]: value })).toEqual(defaults);
  });
});

describe('through the process', () => {
  test.each([
    ['PORT', 'http'],
    ['TRUSTED_PROXIES', 'proxy'],
    ['WEBHOOK_RETRY_DELAYS_S', 'soon'],
  ])('a wrong %s ends the start, and a command, with that sentence', async (name, value) => {
    const env = { DATA_DIR: path.join(temporaryFolder(), 'data'), [name]: value };
    for (const [program, args] of [
      ['main', []],
      ['cli', ['migrate']],
    ] as const) {
      const { code, stdout, stderr } = await runProgram(program, { env, args: [...args] });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^The setting ${name} must be [^\\n]+, but is "${value}"\\.\\n$`));
    }
  });

  test.each(['', '/below'])('a DATA_DIR that is a file%s is named in one sentence', async (below) => {
    const file = path.join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const { code, stderr } = await runProgram('main', { env: { DATA_DIR: `${file}${below}`, PORT: '0' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The setting DATA_DIR must be [^\n]+\n$/);
    expect(stderr).toContain(`${file}${below}`);
  });

  test('a relative DATA_DIR is taken from where the service is started', async () => {
    const folder = temporaryFolder();
    const service = await startProcess({ env: { DATA_DIR: path.relative(CHECKOUT, folder) } });
    expect(service.output()).toContain(`${folder}\n`);
    await service.stop();
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was refused';
}

function literal(text: string): string {
  return text.replace(/[^\w\s]/g, '\\$&');
}
