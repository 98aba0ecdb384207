import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCHEMA_CHECKS_AT_ONCE_MAX, SCHEMA_CHECKS_PER_PERSON_AT_ONCE_MAX } from '../../src/contract/limits.ts';
import type { Answered } from '../support/api.ts';
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
  const decent = await service.business('decent');
  let isOver = false;
  let slowOnes = 0;
  const flood = async ({ api }: TestBusiness) => {
    while (!isOver) for (const body of SLOW) slowOnes += (await api.write('POST', '/inbox/schema/check', body)).status === 200 ? 1 : 0;
  };
  const floods = hostile.flatMap((business) => [flood(business), flood(business)]);
  const statuses: number[] = [];
  try {
    for (let round = 0; round < 6; round++) {
      statuses.push((await decent.api.write('POST', '/inbox/schema/check', ORDER)).status);
      statuses.push((await decent.api.write('PUT', '/inbox/schema', { schema: ORDER.schema })).status);
    }
    // They go on meanwhile, one at a time.
    await expect.poll(() => slowOnes, { timeout: 30_000 }).toBeGreaterThan(0);
  } finally {
    isOver = true;
    await Promise.all(floods);
  }
  expect(statuses).toEqual(Array(12).fill(200));
  // Whoever was slow is slow among its like, and still served.
  expect((await hostile[0]?.api.write('POST', '/inbox/schema/check', ORDER))?.body.validation.status).toBe('passed');
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
  const answers: Answered[] = await Promise.all(asked);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(businesses.length * SCHEMA_CHECKS_AT_ONCE_MAX - SCHEMA_CHECKS_PER_PERSON_AT_ONCE_MAX);
  for (const answer of refused) expectRefusal(answer, 'rate_limited');
});
