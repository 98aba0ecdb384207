import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import { CHECKOUT, runProgram, startProcess, temporaryFolder } from '../support/process.ts';
import { pems, SECRETS_KEY, settings } from '../support/settings.ts';

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

test.each(['SMTP_TLS', 'OUTBOUND_CLIENT'])('a certificate %s_CERT without its key, or with another, is refused in one sentence', (name) => {
  expect(messageOf(() => readConfig({ [`${name}_CERT`]: path.join(pems, 'cert.pem') }))).toBe(
    `The setting ${name}_KEY must be set along with ${name}_CERT, but is missing.`,
  );
  for (const wrong of ['key.pem', 'other-cert.pem']) {
    const env = { [`${name}_CERT`]: path.join(pems, wrong), [`${name}_KEY`]: path.join(pems, 'key.pem') };
    const sentence = messageOf(() => readConfig(env));
    expect(sentence).toContain(
      `The setting ${name}_CERT must be a file with a certificate in PEM, to which the key in ${name}_KEY belongs, but`,
    );
    expect(sentence).toMatch(/ but is "[^"]+"\.$/);
  }
});

test('a password in a wrong DATABASE_URL is not repeated', () => {
  const sentence = messageOf(() => readConfig({ DATABASE_URL: 'mysql://waybill:s3cret@db/waybill' }));
  expect(sentence).toContain('DATABASE_URL');
  expect(sentence).not.toContain('s3cret');
  expect(messageOf(() => readConfig({ SMTP_URL: 'smtp://waybill:s3cret@mail.example.com/path' }))).not.toContain('s3cret');
  expect(messageOf(() => readConfig({ OUTBOUND_PROXY: 'http://waybill:s3cret@proxy.example.com/path' }))).not.toContain('s3cret');
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
