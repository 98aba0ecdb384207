import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  EVENT_STREAMS_FEW,
  EVENT_STREAMS_KEPT_BACK,
  EVENT_STREAMS_MAX,
  EVENT_STREAMS_PER_BUSINESS_MAX,
  EVENT_STREAMS_PER_NETWORK_MAX,
  EVENT_STREAMS_PER_PERSON_MAX,
} from '../../src/contract/limits.ts';
import { claimedBy, joinedBy, personIdOf, tryClaim } from '../support/businesses.ts';
import { type Listening, listen } from '../support/event-stream.ts';
import { MemberApi } from '../support/member.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
const listening: Listening[] = [];

beforeAll(async () => {
  service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const { leave } of listening.splice(0)) leave();
  await expect.poll(streamsOpen, { timeout: 60_000 }).toBe(0);
});

async function streamsOpen(): Promise<number> {
  const { text } = await service.anonymous.request('GET', '/metrics');
  return Number(/^waybill_event_streams (\d+)$/m.exec(text)?.[1]);
}

async function keep(opening: Promise<Listening>): Promise<Listening> {
  const stream = await opening;
  listening.push(stream);
  return stream;
}

const listenFrom = (address: string, { secret }: TestBusiness) =>
  keep(listen(service.url, { authorization: `Bearer ${secret}`, 'x-forwarded-for': address }));
const listenAs = ({ browser, handle }: MemberApi, url = service.url) =>
  keep(listen(url, { cookie: browser.cookieHeader(), 'waybill-business': handle }));

/** Returns how many of these streams were opened. The others were refused with 429 and a Retry-After. */
async function openedOf(times: number, open: () => Promise<Listening>): Promise<number> {
  const streams = await Promise.all(Array.from({ length: times }, open));
  const refused = streams.filter(({ status }) => status !== 200);
  for (const { status, headers } of refused) {
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  return times - refused.length;
}

describe('places for streams', () => {
  test('are twenty for a business, wherever its keys are', async () => {
    const acme = await service.business('acme');
    let n = 0;
    expect(await openedOf(EVENT_STREAMS_PER_BUSINESS_MAX + 5, () => listenFrom(`192.0.2.${++n}`, acme))).toBe(
      EVENT_STREAMS_PER_BUSINESS_MAX,
    );
    listening[0]?.leave();
    await expect.poll(async () => (await listenFrom('192.0.2.1', acme)).status, { timeout: 60_000 }).toBe(200);
  });

  test('are forty for a person, whatever number of businesses that person has', async () => {
    const first = await claimedBy(service, 'pia@shares.test', 'pia-0');
    const businesses = [first];
    for (const handle of ['pia-1', 'pia-2']) {
      expect((await tryClaim(first.browser, handle)).status).toBe(201);
      businesses.push(new MemberApi(first.browser, handle));
    }
    let opened = 0;
    for (const business of businesses) opened += await openedOf(EVENT_STREAMS_PER_BUSINESS_MAX, () => listenAs(business));
    expect(opened).toBe(EVENT_STREAMS_PER_PERSON_MAX);
  });

  test('run out for a network that has many businesses, then for everybody who has many, and never for those who have few', async () => {
    const perNetwork = EVENT_STREAMS_PER_NETWORK_MAX / EVENT_STREAMS_PER_BUSINESS_MAX;
    const networks = (EVENT_STREAMS_MAX - EVENT_STREAMS_KEPT_BACK) / EVENT_STREAMS_PER_NETWORK_MAX;
    for (let network = 0; network < networks; network++)
      for (let n = 0; n < perNetwork; n++) {
        const business = await service.business(`many-${network}-${n}`);
        let address = 0;
        const open = () => listenFrom(`2001:db8:${network + 1}::${(++address).toString(16)}`, business);
        expect(await openedOf(EVENT_STREAMS_PER_BUSINESS_MAX, open)).toBe(EVENT_STREAMS_PER_BUSINESS_MAX);
      }
    expect(await streamsOpen()).toBe(EVENT_STREAMS_MAX - EVENT_STREAMS_KEPT_BACK);
    const another = await service.business('another');
    expect(await openedOf(1, () => listenFrom('2001:db8:1::ffff', another))).toBe(0);
    expect(await openedOf(EVENT_STREAMS_FEW + 3, () => listenFrom('198.51.100.1', another))).toBe(EVENT_STREAMS_FEW);
    const owner = await claimedBy(service, 'olga@shares.test', 'olgas');
    expect((await listenAs(owner)).status).toBe(200);
  });
});

/** Waits for the end of the stream. The limit is far more than the second that it takes, because the machine may be busy. */
const expectEnd = (stream: Listening) => expect.poll(stream.isOver, { timeout: 60_000 }).toBe(true);

describe.each(['the same process', 'another process'])('a stream in %s', (where) => {
  const name = where.split(' ')[0] as string;
  let sibling: Awaited<ReturnType<TestService['sibling']>>;
  beforeAll(async () => {
    sibling = await service.sibling();
  });
  afterAll(() => sibling.stop());
  const url = () => (name === 'another' ? sibling.url : service.url);

  test('ends when its key is revoked; those of other keys go on', async () => {
    const owner = await claimedBy(service, `${name}@keys.test`, `keys-${name}`);
    const agent = (await owner.post('/agents', { name: 'Reader' })).body;
    const mint = async () => (await owner.post(`/agents/${agent.id}/keys`, { scope: 'read' })).body;
    const [revoked, other] = [await mint(), await mint()];
    const open = (secret: string) => keep(listen(url(), { authorization: `Bearer ${secret}` }));
    const [ending, lasting] = [await open(revoked.secret ?? revoked.key), await open(other.secret ?? other.key)];
    expect([ending.status, lasting.status]).toEqual([200, 200]);
    expect((await owner.request('DELETE', `/keys/${revoked.id}`)).status).toBe(204);
    await expectEnd(ending);
    expect(lasting.isOver()).toBe(false);
  });

  test('ends when its member is removed, and when its session is over', async () => {
    const owner = await claimedBy(service, `owner@${name}.test`, `members-${name}`);
    const removed = await joinedBy(service, owner, `removed@${name}.test`, 'member');
    const leaving = await joinedBy(service, owner, `leaving@${name}.test`, 'member');
    const streams = {
      owner: await listenAs(owner, url()),
      removed: await listenAs(removed, url()),
      leaving: await listenAs(leaving, url()),
    };
    expect(Object.values(streams).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await owner.request('DELETE', `/members/${await personIdOf(removed)}`)).status).toBe(204);
    await expectEnd(streams.removed);
    expect(streams.leaving.isOver()).toBe(false);
    expect((await leaving.browser.post('/auth/sign-out', {})).status).toBe(200);
    await expectEnd(streams.leaving);
    expect(streams.owner.isOver()).toBe(false);
  });
});
