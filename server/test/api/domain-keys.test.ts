import type { SigningKey } from '@waybill/client';
import { LEAF, leafOfStatement, policyOf, verifyBundle, verifyProof } from '@waybill/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical-json.ts';
import { DOMAIN_KEY_CHANGES_MAX, DOMAIN_KEY_CHANGES_PER_DAY_MAX, DOMAIN_KEY_DOMAINS_MAX } from '../../src/contract/limits.ts';
import { claimedBy } from '../support/businesses.ts';
import { verified } from '../support/domain-records.ts';
import { type KeyDomains, startKeyDomains } from '../support/key-domains.ts';
import type { MemberApi } from '../support/member.ts';
import { until } from '../support/process.ts';
import { untilLogged } from '../support/proofs.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { newSigningKey, signedWrite } from '../support/signing.ts';
import { randomKey, vouching } from '../support/vouching.ts';

/** Domains that vouch for the signing keys of a business. The hostile files are in domain-key-files.test.ts, the daily checks in domain-key-checks.test.ts. */
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

const { keysOf, fetched, registered, domainOf, statementsOf, runChore, aDayLater } = vouching(() => ({ service, ada, agentId }));

describe('the keys that a domain vouches for', () => {
  test('are fetched when the business asks, logged when they change, and shown with its signing keys', async () => {
    const domain = 'shop.keys.test';
    await domains.claim(ada, domain);
    const [first, second] = [await registered(), await registered()];
    expect(await keysOf(domain)).toEqual({
      domain,
      url: `https://${domain}/.well-known/waybill-keys.json`,
      keys: [],
      since: null,
      checked_at: null,
      missing_since: null,
      problem: null,
    });
    expect(await domainOf(first)).toBeNull();

    domains.vouch(domain, { acme: [first, first], globex: [await randomKey()] });
    const bound = await fetched(domain);
    expect(bound).toMatchObject({ domain, keys: [first], since: expect.any(String), missing_since: null, problem: null });
    expect(await keysOf(domain)).toEqual(bound);
    expect(await domainOf(first)).toEqual({ name: domain, since: bound.since });
    expect(await domainOf(second)).toBeNull();
    const [statement] = await statementsOf(domain);
    const party = { kind: 'handle', handle: 'acme', display_name: (await ada.get('/business')).body.display_name };
    expect(statement.text).toBe(canonicalJson({ at: bound.since, domain, keys: [first], party, state: 'bound' }));
    const leaf = leafOfStatement(LEAF.domain, statement.text);
    expect(await service.sql('SELECT id FROM log_batches WHERE leaves = $1', [Buffer.from(leaf)])).toEqual([{ id: statement.log_batch }]);

    // The same again is no news, even in another order.
    domains.vouch(domain, { acme: [second, first] });
    const both = await fetched(domain);
    expect(both.keys).toEqual([first, second].toSorted());
    domains.vouch(domain, { acme: [first, second] });
    expect(await fetched(domain)).toEqual({ ...both, checked_at: expect.any(String) });
    expect(await statementsOf(domain)).toHaveLength(2);
    expect([await domainOf(first), await domainOf(second)]).toEqual([bound, both].map(({ since }) => ({ name: domain, since })));

    // A key that was away counts from its return.
    domains.vouch(domain, { acme: [second] });
    await fetched(domain);
    expect(await domainOf(first)).toBeNull();
    domains.vouch(domain, { acme: [second, first] });
    const again = await fetched(domain);
    expect([await domainOf(first), await domainOf(second)]).toEqual([again, both].map(({ since }) => ({ name: domain, since })));

    // The domain takes it back.
    domains.vouch(domain, { globex: [first] });
    expect(await fetched(domain)).toMatchObject({ keys: [], since: null, problem: 'The file names no key for acme.' });
    expect(await domainOf(first)).toBeNull();
    expect((await statementsOf(domain)).at(-1)).toMatchObject({ state: 'gone', keys: [], domain });
  });

  test('are those of the domain that has vouched for longest, if several do', async () => {
    const key = await registered();
    for (const domain of ['old.keys.test', 'new.keys.test']) {
      await domains.claim(ada, domain);
      domains.vouch(domain, { acme: [key] });
      await fetched(domain);
    }
    expect((await domainOf(key)).name).toBe('old.keys.test');
    domains.vouch('old.keys.test', { acme: [] });
    await fetched('old.keys.test');
    expect((await domainOf(key)).name).toBe('new.keys.test');
  });

  test('can be there before the key is registered', async () => {
    const domain = 'early.keys.test';
    await domains.claim(ada, domain);
    const key = await randomKey();
    domains.vouch(domain, { acme: [key] });
    const { since } = await fetched(domain);
    const { body } = await ada.post(`/agents/${agentId}/signing-keys`, { public_key: key });
    expect(body.domain).toEqual({ name: domain, since });
  });

  test('are not fetched from a domain that is not one of the business', async () => {
    await verified(ada, domains.names, 'others.keys.test');
    const bob = await claimedBy(service, 'bob@globex.test', 'globex');
    await ada.post('/domains', { domain: 'pending.keys.test' });
    for (const [by, domain] of [
      [bob, 'others.keys.test'],
      [ada, 'pending.keys.test'],
      [ada, 'unknown.keys.test'],
      [ada, 'no%20domain'],
    ] as const) {
      expectRefusal(await by.post(`/domains/${domain}/keys/check`), 'not_found');
      expectRefusal(await by.get(`/domains/${domain}/keys`), 'not_found');
    }
    for (const domain of ['others', 'pending', 'unknown']) expect(domains.fetches(`${domain}.keys.test`)).toBe(0);
  });

  test('are fetched once, however often the business asks at once', async () => {
    const domain = 'often.keys.test';
    await domains.claim(ada, domain);
    domains.vouch(domain, { acme: [await randomKey()] });
    const responses = await Promise.all(Array.from({ length: 8 }, () => ada.post(`/domains/${domain}/keys/check`)));
    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array(7).fill(429)]);
    const refused = responses.find(({ status }) => status === 429);
    expect([refused?.body.error.code, Number(refused?.headers.get('retry-after')) > 0]).toEqual(['rate_limited', true]);
    expect(domains.fetches(domain)).toBe(1);
    expect(await statementsOf(domain)).toHaveLength(1);
  });

  test('are those of the fetch that began last, in whatever order the responses come', async () => {
    const domain = 'late.keys.test';
    await domains.claim(ada, domain);
    const [older, newer] = [await randomKey(), await randomKey()];
    let release = () => {};
    domains.publish(domain, (response) => {
      release = () => void response.end(JSON.stringify({ handles: { acme: [older] } }));
    });
    const slow = fetched(domain);
    await until(() => domains.fetches(domain) === 1);
    expect((await keysOf(domain)).checked_at).toBeNull();
    domains.vouch(domain, { acme: [newer] });
    expect((await fetched(domain)).keys).toEqual([newer]);
    release();
    expect((await slow).keys).toEqual([newer]);
    expect(await statementsOf(domain)).toHaveLength(1);
  });

  test('can change only a few times a day; the end is always logged', async () => {
    const domain = 'restless.keys.test';
    await domains.claim(ada, domain);
    for (let i = 0; i < DOMAIN_KEY_CHANGES_PER_DAY_MAX; i++) {
      domains.vouch(domain, { acme: [await randomKey()] });
      expect((await fetched(domain)).problem).toBeNull();
    }
    const { keys } = await keysOf(domain);
    const next = await randomKey();
    domains.vouch(domain, { acme: [...keys, next] });
    expect(await fetched(domain)).toMatchObject({ keys, problem: expect.stringContaining('10 times in 24 hours') });
    // What was taken back holds no longer.
    domains.vouch(domain, { acme: [next] });
    expect(await fetched(domain)).toMatchObject({
      keys: [],
      since: null,
      problem: expect.stringContaining('vouches for no key meanwhile'),
    });
    expect((await statementsOf(domain)).at(-1)).toMatchObject({ state: 'gone' });
    expect(await fetched(domain)).toMatchObject({ keys: [], problem: expect.stringContaining('10 times in 24 hours') });
    expect(await statementsOf(domain)).toHaveLength(DOMAIN_KEY_CHANGES_PER_DAY_MAX + 1);
    await service.sql("UPDATE domain_key_statements SET at = at - interval '1 day' WHERE domain = $1", [domain]);
    expect(await fetched(domain)).toMatchObject({ keys: [next], problem: null });
  });

  test('can change only so often in all; the end is always logged', async () => {
    const domain = 'worn.keys.test';
    await domains.claim(ada, domain);
    const [first, second] = [await registered(), await randomKey()];
    domains.vouch(domain, { acme: [first] });
    await fetched(domain);
    for (const [table, column] of [
      ['domain_key_statements', 'number'],
      ['domain_key_spans', 'from_number'],
      ['domain_key_files', 'holds'],
    ])
      await service.sql(`UPDATE ${table} SET ${column} = $2 WHERE domain = $1`, [domain, DOMAIN_KEY_CHANGES_MAX]);
    expect((await domainOf(first)).name).toBe(domain);
    domains.vouch(domain, { acme: [first, second] });
    expect(await fetched(domain)).toMatchObject({ keys: [first], problem: expect.stringContaining('changed 1,000 times') });
    domains.vouch(domain, { acme: [] });
    expect((await fetched(domain)).keys).toEqual([]);
    expect(await domainOf(first)).toBeNull();
  });

  test('are fetched from so many domains of a business only', async () => {
    const cy = await claimedBy(service, 'cy@hooli.test', 'hooli');
    await domains.claim(cy, 'first.keys.test');
    await domains.claim(cy, 'last.keys.test');
    await fetched('first.keys.test', cy);
    await service.sql(
      `INSERT INTO domain_key_files (party_id, domain, asked_at, checked_at)
       SELECT p.id, 'full-' || n || '.keys.test', now(), now() FROM parties p, generate_series(2, $1::int) n WHERE p.handle = 'hooli'`,
      [DOMAIN_KEY_DOMAINS_MAX],
    );
    expectRefusal(await cy.post('/domains/last.keys.test/keys/check'), 'conflict');
    expect(domains.fetches('last.keys.test')).toBe(0);
    await fetched('first.keys.test', cy);
  });
});

describe('a proof of what was signed', () => {
  const signed = async (business: TestBusiness, key: SigningKey) =>
    (await signedWrite(business, key, '/messages', { to: business.handle })).body;
  const vouchingFor = async ({ api }: TestBusiness, { id }: { id: string }) => {
    const { text, body } = await untilLogged(() => api.get(`/messages/${id}/proof`));
    const { vkey } = (await service.anonymous.request('GET', '/.well-known/waybill.json')).body.log;
    expect((await verifyBundle(text, { vkeys: [vkey] })).verdict).toBe('verified');
    const { domain } = body.signature;
    if (!domain) return undefined;
    await verifyProof(domain.proof, leafOfStatement(LEAF.domain, domain.statement), policyOf(vkey));
    return JSON.parse(domain.statement);
  };

  test('has the statement of the domain that held at the time, whatever came later', async () => {
    const business = await service.business('signer');
    const key = await newSigningKey(service, business);
    const domain = 'proof.keys.test';
    const unvouched = await signed(business, key);
    expect(await vouchingFor(business, unvouched)).toBeUndefined();

    await service.sql('INSERT INTO verified_domains (party_id, domain) SELECT id, $1 FROM parties WHERE handle = $2', [domain, 'signer']);
    domains.serve(domain);
    const file = "SELECT id, $1, now(), now() - interval '2 days' FROM parties WHERE handle = $2";
    await service.sql(`INSERT INTO domain_key_files (party_id, domain, asked_at, checked_at) ${file}`, [domain, 'signer']);
    domains.vouch(domain, { signer: [key.publicKey] });
    await runChore();
    const [first] = await statementsOf(domain);
    expect(first).toMatchObject({ state: 'bound', keys: [key.publicKey], party: { kind: 'handle', handle: 'signer' } });
    // A domain that vouches for the key now is shown for what was signed before.
    await expect.poll(() => vouchingFor(business, unvouched)).toMatchObject({ at: first.at, domain });
    await service.sql("UPDATE domain_key_statements SET at = at - interval '1 hour' WHERE domain = $1", [domain]);
    const vouched = await signed(business, key);

    domains.vouch(domain, { signer: [key.publicKey, await randomKey()] });
    await aDayLater(domain);
    domains.vouch(domain, {});
    await aDayLater(domain);
    expect((await statementsOf(domain)).map(({ state }) => state)).toEqual(['bound', 'bound', 'gone']);
    expect(await vouchingFor(business, vouched)).toMatchObject({ at: first.at, domain, keys: [key.publicKey] });
    const { body } = await business.api.get(`/messages/${vouched.id}/signature`);
    expect(body.key.domain).toMatchObject({ name: domain });
  });
});
