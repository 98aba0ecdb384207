import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DOMAIN_KEY_FILE_MAX_BYTES, DOMAIN_KEYS_PER_HANDLE_MAX } from '../../src/contract/limits.ts';
import { claimedBy } from '../support/businesses.ts';
import { type KeyDomains, startKeyDomains } from '../support/key-domains.ts';
import type { MemberApi } from '../support/member.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** What servers of domains may do to the service that fetches their file. */
let service: TestService;
let domains: KeyDomains;
let ada: MemberApi;
let made = 0;

beforeAll(async () => {
  domains = await startKeyDomains();
  service = await startTestService(domains.settings);
  ada = await claimedBy(service, 'ada@acme.test', 'acme');
});
// The files of a business are limited in number.
afterEach(() => service.sql('DELETE FROM domain_key_files'));
afterAll(async () => {
  await service.stop();
  await domains.stop();
});

async function newDomain(): Promise<string> {
  const domain = `file-${++made}.keys.test`;
  await domains.claim(ada, domain);
  return domain;
}

const check = async (domain: string) => (await ada.post(`/domains/${domain}/keys/check`)).body;

/** The response to one file of a new domain, which leaves nothing in the log. */
async function checked(file: string | ((response: ServerResponse) => void)) {
  const domain = await newDomain();
  domains.publish(domain, file);
  const body = await check(domain);
  expect(body).toMatchObject({ domain, keys: [], since: null });
  expect(await service.sql('SELECT FROM domain_key_statements WHERE domain = $1', [domain])).toEqual([]);
  return body;
}

const key = (n: number) => Buffer.alloc(32, n).toString('base64');
const keys = (count: number) => Array.from({ length: count }, (_, i) => Buffer.from(String(i).padStart(32, 'k')).toString('base64'));
const ofAcme = (value: unknown) => JSON.stringify({ handles: { acme: value } });
const LIST = `"handles.acme" must be a list of at most ${DOMAIN_KEYS_PER_HANDLE_MAX} Ed25519 public keys, each of 32 bytes in base64.`;
const JSON_FAULT = 'The file is not JSON in UTF-8.';
const NO_HANDLES = 'The file has no object "handles".';

test.each<[what: string, file: string, problem: string]>([
  ['nothing', '', JSON_FAULT],
  ['no JSON', '<html>', JSON_FAULT],
  ['half of it', '{"handles":{"acme":[', JSON_FAULT],
  ['deep JSON', '['.repeat(DOMAIN_KEY_FILE_MAX_BYTES), JSON_FAULT],
  ['deep JSON that is valid', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, NO_HANDLES],
  ['deep keys', `{"handles":{"acme":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`, LIST],
  ['a list', '[]', NO_HANDLES],
  ['null', 'null', NO_HANDLES],
  ['handles that are a list', '{"handles":[]}', NO_HANDLES],
  ['keys without handles', JSON.stringify({ keys: [key(7)] }), NO_HANDLES],
  ['a text for the list', ofAcme(key(7)), LIST],
  ['an object for the list', ofAcme({ 0: key(7), length: 1 }), LIST],
  ['numbers', ofAcme([7]), LIST],
  ['null among keys', ofAcme([key(7), null]), LIST],
  ['a short key', ofAcme([Buffer.alloc(31).toString('base64')]), LIST],
  ['a key in another form', ofAcme([key(7).replace('=', '')]), LIST],
  ['a key of zeros, which any signature may fit', ofAcme([key(0)]), LIST],
  ['a key of small order', ofAcme([Buffer.from(`01${'00'.repeat(30)}80`, 'hex').toString('base64')]), LIST],
  ['a key with blanks', ofAcme([` ${key(7)}`]), LIST],
  ['too many keys', ofAcme(keys(DOMAIN_KEYS_PER_HANDLE_MAX + 1)), LIST],
  ['10,000 keys', ofAcme(keys(10_000)), 'The file has more than 65,536 bytes.'],
  ['other handles', JSON.stringify({ handles: { globex: [key(7)] } }), 'The file names no key for acme.'],
  ['handles by inheritance', `{"handles":{"__proto__":{"acme":["${key(7)}"]}}}`, 'The file names no key for acme.'],
  ['an empty list', ofAcme([]), 'The file names no key for acme.'],
])('%s is refused, with the reason', async (_, file, problem) => {
  expect((await checked(file)).problem).toBe(problem);
});

test('the largest file is taken: as many bytes and as many keys as there may be', async () => {
  const domain = await newDomain();
  const text = ofAcme(keys(DOMAIN_KEYS_PER_HANDLE_MAX));
  domains.publish(domain, text + ' '.repeat(DOMAIN_KEY_FILE_MAX_BYTES - text.length));
  expect(await check(domain)).toMatchObject({ keys: keys(DOMAIN_KEYS_PER_HANDLE_MAX).toSorted(), problem: null });
});

test('a file in thousands of chunks is taken', async () => {
  const domain = await newDomain();
  domains.publish(domain, (response) => {
    response.writeHead(200);
    for (const letter of ofAcme([key(7)]).padEnd(20_000)) response.write(letter);
    response.end();
  });
  expect(await check(domain)).toMatchObject({ keys: [key(7)], problem: null });
});

test('a body without end is not read to its end', async () => {
  const { problem } = await checked((response) => {
    response.writeHead(200);
    const more = () => void (response.destroyed || response.write('x'.repeat(16_384), () => setImmediate(more)));
    more();
  });
  expect(problem).toBe('The file has more than 65,536 bytes.');
});

test('a server that says nothing, or stops in the middle, is given up in time', async () => {
  const [silent, stopped] = await Promise.all([checked(() => {}), checked((response) => void response.writeHead(200).write('{'))]);
  for (const { problem } of [silent, stopped]) expect(problem).toMatch(/no complete response within \d+ seconds/);
});

test('redirects are not followed, nor is another status taken', async () => {
  const target = await newDomain();
  domains.vouch(target, { acme: [key(7)] });
  const before = domains.fetches(target);
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `https://${target}/.well-known/waybill-keys.json`;
    const { problem } = await checked((response) => void response.writeHead(status, { location }).end());
    expect(problem).toBe(`The address responded with ${status}. Redirects are not followed: the domain itself must have the file.`);
  }
  for (const status of [201, 204, 206, 404, 500]) {
    const { problem } = await checked((response) => void response.writeHead(status).end());
    expect(problem).toBe(`The address responded with ${status}.`);
  }
  expect(domains.fetches(target)).toBe(before);
});

test('a broken response is told as such', async () => {
  const broken = await checked((response) => void response.socket?.end('what?\r\n\r\n'));
  expect(broken.problem).toMatch(/^The file could not be fetched: /);
  const reset = await checked((response) => void response.socket?.destroy());
  expect(reset.problem).toMatch(/^The file could not be fetched: /);
});

test('a domain at a private address is not asked', async () => {
  const domain = await newDomain();
  domains.names.set(domain, ['10.0.0.1']);
  expect((await check(domain)).problem).toMatch(/not public/);
  domains.names.set(domain, { error: 'NXDOMAIN' });
  await service.sql("UPDATE domain_key_files SET asked_at = now() - interval '1 hour' WHERE domain = $1", [domain]);
  expect((await check(domain)).problem).toMatch(/has no address/);
  expect(domains.fetches(domain)).toBe(0);
});

test('a certificate of another domain is not accepted', async () => {
  const domain = `deeper.file-${++made}.keys.test`;
  await domains.claim(ada, domain);
  domains.vouch(domain, { acme: [key(7)] });
  expect(await check(domain)).toMatchObject({ keys: [], problem: expect.stringContaining('certificate or TLS was not accepted') });
});

test('the names in a certificate are not stored in whatever length they have', async () => {
  const long = await startKeyDomains(`${'n'.repeat(3_000)}.keys.test`);
  onTestFinished(long.stop);
  const other = await startTestService(long.settings);
  onTestFinished(other.stop);
  const eve = await claimedBy(other, 'eve@acme.test', 'acme');
  await long.claim(eve, 'long.keys.test');
  const { problem } = (await eve.post('/domains/long.keys.test/keys/check')).body;
  expect(problem).toMatch(/certificate or TLS was not accepted.*nnn$/);
  expect(problem).toHaveLength(500);
});
