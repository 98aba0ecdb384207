import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCHEMA_CHECKS_AT_ONCE_MAX, SCHEMA_CHECKS_PER_PERSON_AT_ONCE_MAX } from '../../src/contract/limits.ts';
import type { ApiResponse } from '../support/api.ts';
import { claimedBy, tryClaim } from '../support/businesses.ts';
import { exponential, UNSTOPPABLE, UNSTOPPABLE_TEXT } from '../support/hostile-schemas.ts';
import { MemberApi } from '../support/member.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const HOSTILE = 20;
const SLOW = [
  `{"schema":${JSON.stringify(exponential(40))},"json":1}`,
  `{"schema":${JSON.stringify(UNSTOPPABLE)},"json":${UNSTOPPABLE_TEXT}}`,
];
const ORDER = { schema: { type: 'object', required: ['sku'] }, json: { sku: 'A-1' } };

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('twenty businesses that check slow schemas, without end, take no place of the others', async () => {
  const hostile = await Promise.all(Array.from({ length: HOSTILE }, (_, i) => service.business(`hostile-${i}`)));
  const [known, unknown] = [await service.business('known'), await service.business('unknown')];
  const check = ({ api }: TestBusiness, body: unknown = ORDER) => api.write('POST', '/inbox/schema/check', body);
  const put = ({ api }: TestBusiness) => api.write('PUT', '/inbox/schema', { schema: ORDER.schema });
  expect((await check(known)).status).toBe(200);
  let isOver = false;
  const responses: number[] = [];
  const flood = async (business: TestBusiness) => {
    while (!isOver) for (const body of SLOW) responses.push((await check(business, body)).status);
  };
  const floods = hostile.flatMap((business) => [flood(business), flood(business)]);
  const statuses: number[] = [];
  try {
    for (let round = 0; round < 4; round++) statuses.push((await check(known)).status, (await put(known)).status);
    // Some were served and some refused for lack of a slot: they wait for each other.
    await expect.poll(() => new Set(responses), { timeout: 60_000 }).toEqual(new Set([200, 503]));
    for (let round = 0; round < 2; round++) statuses.push((await check(unknown)).status, (await put(unknown)).status);
  } finally {
    isOver = true;
    await Promise.all(floods);
  }
  expect(statuses).toEqual(Array(12).fill(200));
});

test('a person has so many checks at once, whatever number of businesses that person has', async () => {
  const first = await claimedBy(service, 'pia@checks.test', 'pia-0');
  const businesses = [first];
  for (const handle of ['pia-1', 'pia-2']) {
    expect((await tryClaim(first.browser, handle)).status).toBe(201);
    businesses.push(new MemberApi(first.browser, handle));
  }
  const asked = businesses.flatMap((business) =>
    Array.from({ length: SCHEMA_CHECKS_AT_ONCE_MAX }, () => business.post('/inbox/schema/check', JSON.parse(SLOW[0] as string))),
  );
  const responses: ApiResponse[] = await Promise.all(asked);
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(businesses.length * SCHEMA_CHECKS_AT_ONCE_MAX - SCHEMA_CHECKS_PER_PERSON_AT_ONCE_MAX);
  for (const response of refused) expectRefusal(response, 'rate_limited');
});
