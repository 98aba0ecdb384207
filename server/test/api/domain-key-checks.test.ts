import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimedBy } from '../support/businesses.ts';
import { type KeyDomains, startKeyDomains } from '../support/key-domains.ts';
import type { MemberApi } from '../support/member.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { randomKey, vouching } from '../support/vouching.ts';

/** The service looks each day what the domains of businesses vouch for. */
let service: TestService;
let domains: KeyDomains;
let ada: MemberApi;
let agentId: string;

beforeAll(async () => {
  domains = await startKeyDomains();
  service = await startTestService(domains.settings);
  ada = await claimedBy(service, 'ada@acme.test', 'acme');
  agentId = (await ada.post('/agents', { name: 'Orders' })).body.id;
});
afterAll(async () => {
  await service.stop();
  await domains.stop();
});

const { keysOf, fetched, registered, domainOf, statementsOf, turnBack, runChore, aDayLater } = vouching(() => ({ service, ada, agentId }));

test('the file is fetched again, once', async () => {
  const domain = 'daily.keys.test';
  await domains.claim(ada, domain);
  const [first, second] = [await randomKey(), await randomKey()];
  domains.vouch(domain, { acme: [first] });
  await fetched(domain);
  domains.vouch(domain, { acme: [second] });
  await turnBack(domain, 'checked_at', 22);
  await runChore();
  expect(domains.fetches(domain)).toBe(1);
  await aDayLater(domain);
  expect(domains.fetches(domain)).toBe(2);
  expect((await keysOf(domain)).keys).toEqual([second]);
});

test('a file that is missing is noted; after 7 days the domain no longer vouches, and is not asked again', async () => {
  const domain = 'missing.keys.test';
  await domains.claim(ada, domain);
  const key = await registered();
  domains.vouch(domain, { acme: [key] });
  const { since } = await fetched(domain);
  domains.publish(domain, undefined);
  await aDayLater(domain);
  const missing = await keysOf(domain);
  expect(missing).toMatchObject({ keys: [key], since, missing_since: expect.any(String), problem: 'The address responded with 404.' });
  expect(await domainOf(key)).toEqual({ name: domain, since });
  await turnBack(domain, 'missing_since', 7 * 24 - 1);
  await aDayLater(domain);
  expect((await keysOf(domain)).keys).toEqual([key]);
  await turnBack(domain, 'missing_since', 1);
  await aDayLater(domain);
  expect(await keysOf(domain)).toMatchObject({ keys: [], since: null, checked_at: null, missing_since: null });
  expect(await domainOf(key)).toBeNull();
  expect((await statementsOf(domain)).map(({ state }) => state)).toEqual(['bound', 'gone']);
  const before = domains.fetches(domain);
  await runChore();
  expect(domains.fetches(domain)).toBe(before);
  // The business can begin again.
  domains.vouch(domain, { acme: [key] });
  expect((await fetched(domain)).keys).toEqual([key]);
  expect((await statementsOf(domain)).map(({ state }) => state)).toEqual(['bound', 'gone', 'bound']);
});

test('a file that is back in time counts as never missing', async () => {
  const domain = 'back.keys.test';
  await domains.claim(ada, domain);
  const key = await randomKey();
  domains.vouch(domain, { acme: [key] });
  const { since } = await fetched(domain);
  domains.publish(domain, '{"handles":');
  expect(await fetched(domain)).toMatchObject({
    keys: [key],
    missing_since: expect.any(String),
    problem: 'The file is not JSON in UTF-8.',
  });
  await turnBack(domain, 'missing_since', 6 * 24);
  domains.vouch(domain, { acme: [key] });
  await aDayLater(domain);
  expect(await keysOf(domain)).toMatchObject({ keys: [key], since, missing_since: null, problem: null });
});

test('a domain that the business has lost no longer vouches: at once for those who read, and in the log', async () => {
  const domain = 'lost.keys.test';
  await domains.claim(ada, domain);
  const key = await registered();
  domains.vouch(domain, { acme: [key] });
  await fetched(domain);
  expect((await domainOf(key)).name).toBe(domain);
  expect((await ada.delete(`/domains/${domain}`)).status).toBe(204);
  expect(await domainOf(key)).toBeNull();
  expectRefusal(await ada.get(`/domains/${domain}/keys`), 'not_found');
  const before = domains.fetches(domain);
  await runChore();
  expect((await statementsOf(domain)).map(({ state }) => state)).toEqual(['bound', 'gone']);
  await runChore();
  expect(await statementsOf(domain)).toHaveLength(2);
  expect(domains.fetches(domain)).toBe(before);
  expect(await service.sql('SELECT FROM domain_key_files WHERE domain = $1', [domain])).toEqual([]);
});

test('all files are checked, and none that can’t be noted is checked again and again', async () => {
  const domain = 'stuck.keys.test';
  await domains.claim(ada, domain);
  const key = await randomKey();
  domains.vouch(domain, { acme: [key] });
  // The statement about the key can't be stored.
  const ofAcme = (select: string) => `SELECT ${select} FROM parties p, generate_series(1, 45) n WHERE p.handle = 'acme'`;
  await service.sql(`INSERT INTO domain_key_spans (party_id, key, domain, from_number) ${ofAcme('p.id, $1, $2, 1')} LIMIT 1`, [
    key,
    domain,
  ]);
  await service.sql(
    `INSERT INTO domain_key_files (party_id, domain, asked_at, checked_at) ${ofAcme("p.id, 'gone-' || n || '.keys.test', now(), now()")}
     UNION ALL (${ofAcme("p.id, 'silent-' || n || '.keys.test', now(), '-infinity'")})
     UNION ALL (${ofAcme("p.id, $1, now(), '-infinity'")} LIMIT 1)`,
    [domain],
  );
  await service.sql(`INSERT INTO verified_domains (party_id, domain) ${ofAcme("p.id, 'silent-' || n || '.keys.test'")}`);
  await runChore();
  const left = `SELECT count(*)::int AS files, count(problem)::int AS problems, max(now() - checked_at) < interval '1 minute' AS are_checked
                  FROM domain_key_files WHERE domain LIKE $1`;
  expect(await service.sql(left, ['gone-%'])).toMatchObject([{ files: 0 }]);
  expect(await service.sql(left, ['silent-%'])).toEqual([{ files: 45, problems: 45, are_checked: true }]);
  expect(await service.sql(left, ['stuck%'])).toEqual([{ files: 1, problems: 0, are_checked: true }]);
  expect(domains.fetches(domain)).toBe(1);
  await service.sql("DELETE FROM domain_key_files WHERE domain LIKE 'silent-%' OR domain LIKE 'stuck%'");
});

test('one fetch that hangs does not keep the others from being made', async () => {
  const [names, key] = [['hung.keys.test', 'next.keys.test'], await randomKey()];
  for (const domain of names) {
    await domains.claim(ada, domain);
    domains.vouch(domain, { acme: [key] });
    await fetched(domain);
  }
  domains.publish('hung.keys.test', () => {});
  for (const domain of names) await turnBack(domain, 'checked_at', 24);
  await runChore();
  const found = await Promise.all(names.map((domain) => keysOf(domain)));
  expect(found).toMatchObject([expect.any(String), null].map((missing_since) => ({ keys: [key], missing_since })));
});
