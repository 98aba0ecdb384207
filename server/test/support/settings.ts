import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatVkey, KEY_TYPE, parsePolicy, verifierKey } from '@waybill/proof';
import type { Config } from '../../src/config.ts';
import { selfSigned } from './certificates.ts';
import { temporaryFolder } from './process.ts';

interface Setting {
  /** Other settings that this one requires. */
  along?: Record<string, string>;
  key: keyof Config;
  /** A valid value, and its parsed form. */
  given: string;
  becomes: Config[keyof Config];
  wrong: string[];
}

const notWhole = ['-1', '1.5', '1e3', '0x10', 'many', '9007199254740993'];

export const pems = temporaryFolder();
const identity = selfSigned(['mail.example']);
writeFileSync(path.join(pems, 'cert.pem'), identity.cert);
writeFileSync(path.join(pems, 'key.pem'), identity.key);
writeFileSync(path.join(pems, 'other-cert.pem'), selfSigned(['mail.example']).cert);

const policy = `witness one ${formatVkey(verifierKey('witness.example', KEY_TYPE.cosignature, Buffer.alloc(32, 7)))} https://witness.example\nquorum one`;
const logKey = Buffer.from(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }));
writeFileSync(path.join(pems, 'log-key.pem'), logKey);

export const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
export const settings: Record<string, Setting> = {
  PORT: { key: 'port', given: '8080', becomes: 8080, wrong: [...notWhole, '65536'] },
  HOST: { key: 'host', given: '::', becomes: '::', wrong: ['two words', 'http://localhost', '127.0.0.1:80', '-x'] },
  // A wrong folder shows only when it is opened, which a test below does.
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
  DATABASE_START_S: { key: 'databaseStartS', given: '5', becomes: 5, wrong: [...notWhole, '3601'] },
  PUBLIC_URL: {
    key: 'publicUrl',
    given: 'https://waybill.example/at/',
    becomes: 'https://waybill.example/at',
    wrong: ['waybill.example', 'ftp://waybill.example', 'https://'],
  },
  SECURITY_CONTACT: {
    key: 'securityContacts',
    given: 'mailto:security@waybill.example, https://waybill.example/security',
    becomes: ['mailto:security@waybill.example', 'https://waybill.example/security'],
    wrong: ['security@waybill.example', 'mailto:security', 'http://waybill.example'],
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
  OUTBOUND_PROXY: {
    key: 'outboundProxy',
    given: 'https://waybill:p%40ss@[2001:db8::1]:3128',
    becomes: 'https://waybill:p%40ss@[2001:db8::1]:3128',
    wrong: ['proxy', 'proxy:3128', 'socks5://proxy', 'http://', 'http://proxy/path', 'http://proxy?x', 'http://proxy:0'],
  },
  OUTBOUND_CLIENT_CERT: {
    along: { OUTBOUND_CLIENT_KEY: path.join(pems, 'key.pem') },
    key: 'outboundClientCert',
    given: path.join(pems, 'cert.pem'),
    becomes: identity.cert,
    wrong: ['/nonexistent/cert.pem', pems],
  },
  OUTBOUND_CLIENT_KEY: {
    key: 'outboundClientKey',
    given: path.join(pems, 'key.pem'),
    becomes: identity.key,
    wrong: ['/nonexistent/key.pem', pems],
  },
  WEBHOOK_RETRY_DELAYS_S: {
    key: 'webhookRetryDelaysS',
    given: '1, 2,3',
    becomes: [1, 2, 3],
    wrong: ['1,,2', '1;2', '1.5', '-1', 'soon', '1,2,', '1,1,1,1,1,1'],
  },
  WEBHOOK_LOG_DAYS: { key: 'webhookLogDays', given: '7', becomes: 7, wrong: [...notWhole, '3651'] },
  WEBHOOK_PAUSE_AFTER_DAYS: { key: 'webhookPauseAfterDays', given: '0', becomes: 0, wrong: [...notWhole, '3651'] },
  // Wrong keys are tested below, because the errors do not repeat a key.
  SECRETS_KEY: { key: 'secretsKey', given: SECRETS_KEY, becomes: Buffer.from(SECRETS_KEY, 'base64'), wrong: [] },
  SECRETS_OLD_KEYS: { key: 'secretsOldKeys', given: SECRETS_KEY, becomes: [Buffer.from(SECRETS_KEY, 'base64')], wrong: [] },
  LOG_PUBLIC: { key: 'logPublic', given: 'false', becomes: false, wrong: ['yes', '0'] },
  LOG_WAIT_FOR_STANDBY: { key: 'logWaitsForStandby', given: 'true', becomes: true, wrong: ['yes', '1'] },
  LOG_KEY_FILE: {
    key: 'logKey',
    given: path.join(pems, 'log-key.pem'),
    becomes: logKey,
    wrong: [path.join(pems, 'none.pem'), path.join(pems, 'cert.pem'), path.join(pems, 'key.pem')],
  },
  LOG_KEY_COMMAND: {
    key: 'logKeyCommand',
    given: '/usr/bin/sign-log',
    becomes: '/usr/bin/sign-log',
    along: { LOG_PUBLIC_KEY: SECRETS_KEY },
    wrong: [],
  },
  LOG_PUBLIC_KEY: {
    key: 'logPublicKey',
    given: SECRETS_KEY,
    becomes: Buffer.alloc(32, 7),
    wrong: ['short', Buffer.alloc(33).toString('base64')],
  },
  LOG_KEY_PLAINTEXT: { key: 'allowsPlaintextLogKey', given: 'allow', becomes: true, wrong: ['true', 'yes', 'ALLOW'] },
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
  WITNESSES: {
    key: 'witnesses',
    given: policy,
    becomes: parsePolicy(policy),
    wrong: [
      '/nowhere/policy',
      'witness one',
      'quorum nobody',
      policy.replace(' https://witness.example', ''),
      policy.replace('https:', 'ftp:'),
    ],
  },
  TSA_URL: {
    key: 'tsaUrl',
    given: 'https://tsa.example/stamp/',
    becomes: 'https://tsa.example/stamp',
    wrong: ['tsa.example', 'ftp://tsa.example'],
  },
  TSA_CRL_URLS: {
    key: 'tsaCrlUrls',
    given: 'http://tsa.example/root.crl, https://tsa.example/signers.crl',
    becomes: ['http://tsa.example/root.crl', 'https://tsa.example/signers.crl'],
    wrong: ['tsa.example', 'ldap://tsa.example/root'],
  },
};
