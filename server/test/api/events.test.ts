import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { EVENT_STREAM_MAX_MS } from '../../src/contract/limits.ts';
import { EventStream } from '../../src/modules/live/event-stream.ts';
import { claimedBy } from '../support/businesses.ts';
import { type Listening, listen } from '../support/event-stream.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { connectionWaitingIn, lockingWith, terminate } from '../support/sql-locks.ts';

/** The time at which a stop cuts off unfinished requests. */
const FORCE_MS = 25_000;
const FIRST = { inbox: true, outbox: true };
const RECEIVED = { inbox: true, outbox: false };
const SENT = { inbox: false, outbox: true };

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
const listening: Listening[] = [];

beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '1' });
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

/** After every test, no disconnected client may be left. */
afterEach(async () => {
  vi.restoreAllMocks();
  for (const { leave } of listening.splice(0)) leave();
  await expect.poll(streamsOpen, { timeout: 60_000 }).toBe(0);
});

async function listenAs({ secret }: { secret: string }, url = service.url): Promise<Listening> {
  const stream = await listen(url, { authorization: `Bearer ${secret}` });
  listening.push(stream);
  return stream;
}

const metrics = async () => (await service.anonymous.request('GET', '/metrics')).text;
const streamsOpen = async () => Number(/^waybill_event_streams (\d+)$/m.exec(await metrics())?.[1]);
const expectTold = (stream: Listening, events: object[]) => expect.poll(stream.events, { timeout: 60_000 }).toEqual(events);

describe('GET /v1/events', () => {
  test('tells sender and recipient at once, each of its own box, and nobody else', async () => {
    const stranger = await service.business('stranger');
    const [sender, recipient, other] = [await listenAs(acme), await listenAs(globex), await listenAs(stranger)];
    for (const stream of [sender, recipient, other]) await expectTold(stream, [FIRST]);
    expect(sender.status).toBe(200);
    expect(sender.text()).toMatch(/^retry: 2000\nevent: messages\ndata: /);
    expect(Object.fromEntries(sender.headers)).toMatchObject({
      ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      'x-request-id': expect.stringMatching(/^req_/),
    });

    await acme.api.send({ to: 'globex' });
    await expectTold(sender, [FIRST, SENT]);
    await expectTold(recipient, [FIRST, RECEIVED]);
    // Events come in order, so the stranger would have been notified by now.
    await stranger.api.send({ to: 'stranger' });
    await expectTold(other, [FIRST, { inbox: true, outbox: true }]);
    expect([sender.events().length, recipient.events().length]).toEqual([2, 2]);
  });

  test('is for read keys, and for members with their session; not for others', async () => {
    const owner = await claimedBy(service, 'olga@events.test', 'olgas');
    const reader = await listenAs({ secret: (await acme.withKey('read')).secret as string });
    const member = await listen(service.url, { cookie: owner.browser.cookieHeader(), 'waybill-business': 'olgas' });
    listening.push(member);
    await acme.api.send({ to: 'olgas' });
    await expectTold(reader, [FIRST, SENT]);
    await expectTold(member, [FIRST, RECEIVED]);
    expectRefusal(await owner.browser.get('/v1/events', { 'waybill-business': 'acme' }), 'forbidden');
    expectRefusal(await service.anonymous.get('/events'), 'unauthorized');
  });

  test('says nothing of a send that was refused', async () => {
    const fresh = await service.business('fresh', { claimed: true });
    expect((await fresh.api.send({ to: 'globex' })).status).toBe(201);
    const stream = await listenAs(fresh);
    expectRefusal(await fresh.api.send({ to: 'globex' }), 'quota_exceeded');
    await acme.api.send({ to: 'fresh' });
    await expectTold(stream, [FIRST, RECEIVED]);
  });

  test('tells of what another process has delivered, and ends at once when its own stops', async () => {
    const sibling = await service.sibling();
    const stream = await listenAs(globex, sibling.url);
    await acme.api.send({ to: 'globex' });
    await expectTold(stream, [FIRST, RECEIVED]);
    const stoppedAt = Date.now();
    await Promise.all([sibling.stop(), stream.ended]);
    expect(Date.now() - stoppedAt).toBeLessThan(FORCE_MS / 2);
  });

  test('says that it lives after 25 seconds of silence, and ends after five minutes', async () => {
    const stream = await listenAs(globex);
    await expectTold(stream, [FIRST]);
    const { now } = performance;
    let ahead = 24_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + ahead);
    await acme.api.send({ to: 'globex' });
    await expectTold(stream, [FIRST, RECEIVED]);
    expect(stream.comments()).toEqual([]);
    ahead += 25_000;
    await expect.poll(stream.comments, { timeout: 60_000 }).toEqual([': still here']);
    expect(stream.isOver()).toBe(false);
    ahead = EVENT_STREAM_MAX_MS;
    await stream.ended;
    expect(await streamsOpen()).toBe(0);
  });

  test('outlives a look at the database that failed, and misses nothing', async () => {
    const stream = await listenAs(globex);
    await expectTold(stream, [FIRST]);
    const lock = await lockingWith(service, 'LOCK TABLE ledgers IN ACCESS EXCLUSIVE MODE');
    const sending = acme.api.send({ to: 'globex' });
    await terminate(await connectionWaitingIn(service, 'head > w.seen'));
    await lock.rollBack();
    expect((await sending).status).toBe(201);
    await expectTold(stream, [FIRST, RECEIVED]);
  });

  test('responds to HEAD without opening a stream', async () => {
    const head = await acme.api.request('HEAD', '/v1/events');
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, 'text/event-stream', '']);
    expect(await streamsOpen()).toBe(0);
  });

  test('counts among the responses, but not among the response times', async () => {
    (await listenAs(acme)).leave();
    await expect.poll(streamsOpen, { timeout: 60_000 }).toBe(0);
    const counted = await metrics();
    const ofRoute = (name: string) => new RegExp(`^${name}\\{method="GET",route="/v1/events"(?:,status="(\\d+)")?\\} (\\d+)$`, 'gm');
    const responses = [...counted.matchAll(ofRoute('waybill_http_responses_total'))];
    const timed = [...counted.matchAll(ofRoute('waybill_http_request_duration_seconds_count'))];
    const refused = responses.filter(([, status]) => status !== '200').map(([, , count]) => Number(count));
    expect(responses.map(([, status]) => status)).toContain('200');
    expect(Number(timed[0]?.[2] ?? 0)).toBe(refused.reduce((sum, count) => sum + count, 0));
  });
});

test('what happens while a client does not read adds up to one event', async () => {
  const stream = new EventStream();
  for (let i = 0; i < 1_000; i++) stream.tell(i === 500 ? SENT : RECEIVED);
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const told = () => (text.match(/^data: .*$/gm) ?? []).map((line) => JSON.parse(line.slice('data: '.length)));
  const first = [FIRST, { changed: true }];
  await expect.poll(told).toEqual([...first, { inbox: true, outbox: true }]);
  stream.tell(RECEIVED);
  await expect.poll(told).toEqual([...first, { inbox: true, outbox: true }, RECEIVED]);
});
