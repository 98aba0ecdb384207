import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimedBy } from '../support/businesses.ts';
import { check, requested, verified } from '../support/domain-records.ts';
import { MemberApi } from '../support/member.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { Operator } from '../support/operator.ts';
import { startTestService, type TestService } from '../support/service.ts';

const PATIENTLY = { timeout: 60_000 };

let service: TestService;
let names: NameServer;
let tailor: MemberApi;

beforeAll(async () => {
  names = await startNameServer();
  service = await startTestService({ DNS_SERVERS: names.address });
  tailor = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
});
afterAll(async () => {
  await service.stop();
  await names.stop();
});

const domainOf = async (domain: string, by = tailor) =>
  (await by.get('/domains')).body.data.find((row: { domain: string }) => row.domain === domain);
const verifiedOf = async (by: MemberApi): Promise<string[]> => (await by.get('/business')).body.verified_domains;
const removeRecords = (name: string) => names.set(name, { error: 'NXDOMAIN' });
const missingSince = async (domain: string) =>
  (await service.sql<{ missing_since: Date | null }>('SELECT missing_since FROM domain_requests WHERE domain = $1', [domain]))[0]
    ?.missing_since;

/** Moves the time of the last check, or of the first missing record, this many hours back. */
async function turnBack(domain: string, column: 'checked_at' | 'missing_since', hours: number): Promise<void> {
  await service.sql(`UPDATE domain_requests SET ${column} = now() - make_interval(hours => $2) WHERE domain = $1`, [domain, hours]);
}

async function recheck(): Promise<void> {
  await service.sql("SELECT FROM graphile_worker.add_job('recheck-domains')");
  const left = () => service.sql("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'recheck-domains'");
  await expect.poll(left, PATIENTLY).toEqual([]);
}

/** Runs the chore as if a day had passed. */
async function aDayLater(domain: string): Promise<void> {
  await turnBack(domain, 'checked_at', 24);
  await recheck();
}

test('it is on the schedule', async () => {
  const known = () => service.sql("SELECT identifier FROM graphile_worker._private_known_crontabs WHERE identifier = 'recheck-domains'");
  await expect.poll(known, PATIENTLY).toHaveLength(1);
});

test('a domain whose record stands is kept, and looked up once a day', async () => {
  const { name, value } = await verified(tailor, names, 'kept.test');
  await turnBack('kept.test', 'checked_at', 22);
  const before = await domainOf('kept.test');
  names.set(name, { txt: [value] });
  await recheck();
  expect(names.questionsAbout(name)).toEqual([]);
  expect(await domainOf('kept.test')).toEqual(before);
  await aDayLater('kept.test');
  expect(names.questionsAbout(name)).toEqual(['TXT']);
  const after = await domainOf('kept.test');
  expect(after).toEqual({ ...before, checked_at: expect.any(String) });
  expect(Date.parse(after.checked_at)).toBeGreaterThan(Date.parse(before.checked_at));
});

test('a domain whose record is gone is failing but still held, and well again when the record is back', async () => {
  const { name, value } = await verified(tailor, names, 'failing.test');
  removeRecords(name);
  await aDayLater('failing.test');
  expect(await domainOf('failing.test')).toMatchObject({ state: 'failing', missing_since: expect.any(String) });
  expect(await verifiedOf(tailor)).toContain('failing.test');
  await turnBack('failing.test', 'missing_since', 71);
  await aDayLater('failing.test');
  expect((await domainOf('failing.test')).state).toBe('failing');
  names.set(name, { txt: [value] });
  await aDayLater('failing.test');
  expect(await domainOf('failing.test')).toMatchObject({ state: 'verified', missing_since: null });
  // Earlier hours without the record are not added to later ones.
  removeRecords(name);
  await aDayLater('failing.test');
  expect((await domainOf('failing.test')).state).toBe('failing');
});

test('a domain without its record for three days is lost, in every process, and free for others', async () => {
  const weaver = await claimedBy(service, 'wim@weaver-works.test', 'weaver');
  const { name, value } = await verified(tailor, names, 'lost.test');
  const sibling = await service.sibling();
  const there = new MemberApi(tailor.browser.at(sibling.url), 'tailor');
  expect(await verifiedOf(there)).toContain('lost.test');
  removeRecords(name);
  await aDayLater('lost.test');
  await turnBack('lost.test', 'missing_since', 73);
  await aDayLater('lost.test');
  expect(await domainOf('lost.test')).toMatchObject({ state: 'pending', verified_at: null, missing_since: null, record: { value } });
  for (const api of [tailor, there]) expect(await verifiedOf(api)).not.toContain('lost.test');
  await sibling.stop();
  await verified(weaver, names, 'lost.test');
});

test('a domain that was lost is verified again with its old record, and has its three days again', async () => {
  const { name, value } = await verified(tailor, names, 'back.test');
  removeRecords(name);
  await aDayLater('back.test');
  await turnBack('back.test', 'missing_since', 73);
  await aDayLater('back.test');
  names.set(name, { txt: [value] });
  expect((await check(tailor, 'back.test')).body.state).toBe('verified');
  removeRecords(name);
  await aDayLater('back.test');
  expect((await domainOf('back.test')).state).toBe('failing');
});

test('name servers that do not respond cost no domain, and no place in line', async () => {
  const { name } = await verified(tailor, names, 'dark.test');
  removeRecords(name);
  await aDayLater('dark.test');
  await turnBack('dark.test', 'missing_since', 100);
  const since = await missingSince('dark.test');
  names.set(name, { error: 'SERVFAIL' });
  await aDayLater('dark.test');
  const { state, checked_at } = await domainOf('dark.test');
  expect(state).toBe('failing');
  expect(Date.now() - Date.parse(checked_at)).toBeLessThan(3_600_000);
  expect(await missingSince('dark.test')).toEqual(since);
  expect(await verifiedOf(tailor)).toContain('dark.test');
});

test('more domains than are looked up at a time are all looked up', async () => {
  const domains = Array.from({ length: 45 }, (_, i) => `many-${i}.test`);
  await service.sql(
    `INSERT INTO domain_requests (party_id, domain, token, checked_at)
     SELECT p.id, d, 'x', now() - interval '24 hours' FROM parties p, unnest($1::text[]) d WHERE p.handle = 'tailor'`,
    [domains],
  );
  await service.sql(
    "INSERT INTO verified_domains (party_id, domain) SELECT p.id, d FROM parties p, unnest($1::text[]) d WHERE p.handle = 'tailor'",
    [domains],
  );
  await recheck();
  for (const domain of domains) expect(names.questionsAbout(`_waybill.${domain}`), domain).toEqual(['TXT']);
});

test('what the operator vouches for, and what is only asked for, is not looked up', async () => {
  const operator = new Operator(service);
  const both = await verified(tailor, names, 'vouched.test');
  await operator.verifyDomain('tailor', 'vouched.test');
  await operator.close();
  const pending = await requested(tailor, 'pending.test');
  for (const { name } of [both, pending]) removeRecords(name);
  await aDayLater('vouched.test');
  await aDayLater('pending.test');
  for (const { name } of [both, pending]) expect(names.questionsAbout(name)).toEqual([]);
  expect((await domainOf('vouched.test')).state).toBe('verified');
});
