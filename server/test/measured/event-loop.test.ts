import { afterAll, beforeAll, expect, test } from 'vitest';
import { goodRequestsOfAccount } from '../support/account-requests.ts';
import type { ApiResponse } from '../support/api.ts';
import { claimedBy } from '../support/businesses.ts';
import { type KeyDomains, startKeyDomains } from '../support/key-domains.ts';
import { goodRequestsOfKeys } from '../support/key-requests.ts';
import { fill } from '../support/largest/business.ts';
import { HoldMeter, served } from '../support/largest/hold.ts';
import { largestKeyFiles } from '../support/largest/key-files.ts';
import { longListsOfKeys, longListsOfPeople } from '../support/largest/long-lists.ts';
import { type MeteredService, startMetered } from '../support/largest/metered-service.ts';
import { largestOfKeys, largestOfPeople } from '../support/largest/requests.ts';
import { goodRequestsOfPeople } from '../support/people-requests.ts';
import { trustInProcess } from '../support/receiver.ts';
import { rows } from '../support/table.ts';

/** Every endpoint of the API gets its largest and worst input, which must not make others wait, nor cost more than it is charged. */
let metered: MeteredService;
let meter: HoldMeter;
let domains: KeyDomains;
let good: Record<string, () => Promise<ApiResponse>>;
let largest: ReturnType<typeof largestOfKeys>;

beforeAll(async () => {
  domains = await startKeyDomains();
  metered = await startMetered({
    WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
    NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0',
    ...domains.settings,
    ...trustInProcess(),
  });
  const { service } = metered;
  meter = new HoldMeter(metered.process);
  const acme = await service.business('acme', { segment: 'orders', claimed: true });
  const full = await fill(service, acme);
  const owner = await claimedBy(service, 'olga@corp.example', 'olgas');
  good = {
    ...goodRequestsOfKeys(service, acme, full.ofLongThread),
    ...goodRequestsOfAccount(service, owner.browser, 'olga@corp.example'),
    ...goodRequestsOfPeople(service, owner),
  };
  largest = {
    ...largestOfKeys(service, acme, full),
    ...longListsOfKeys(service, acme, full),
    ...largestOfPeople(owner),
    ...longListsOfPeople(service, owner),
    ...largestKeyFiles(service, owner, domains),
  };
  await meter.calibrate();
});
afterAll(async () => {
  await metered.stop();
  await domains.stop();
});

/** No request of these routes is larger, or takes longer, than the one in other tests. */
const NEVER_LARGE = new Set([
  'GET /v1/public/:handle/drop-page',
  'GET /v1/public/:handle/logo',
  'GET /v1/receipts/:token/signature',
  'GET /v1/me',
  'GET /v1/messages/:id/acknowledgements',
  'POST /v1/messages/:id/redeliver',
  'POST /v1/threads/:id/read',
  'POST /v1/views',
  'PATCH /v1/views/:id',
  'DELETE /v1/views/:id',
  'PUT /v1/views/:id/digest',
  'POST /v1/notifications/read',
  'GET /v1/events',
  'GET /v1/uploads/:id',
  'POST /v1/uploads/:id/complete',
  'GET /v1/webhooks/:id',
  'PATCH /v1/webhooks/:id',
  'DELETE /v1/webhooks/:id',
  'POST /v1/webhooks/:id/rotate-secret',
  'POST /v1/webhooks/:id/recover',
  'GET /v1/webhooks/:id/recoveries',
  'GET /v1/webhooks/:id/recoveries/:recovery_id',
  'PATCH /v1/webhooks/:id/recoveries/:recovery_id',
  'POST /v1/webhooks/:id/test',
  'PUT /v1/consumers/:name',
  'DELETE /v1/consumers/:name',
  'POST /v1/consumers/:name/extend',
  'POST /v1/consumers/:name/seek',
  'POST /v1/consumers/:name/unpark',
  'POST /v1/blocks',
  'DELETE /v1/blocks/:id',
  'GET /v1/contacts/by-party',
  'GET /v1/contacts/:id',
  'PATCH /v1/contacts/:id',
  'PATCH /v1/inbox/schema',
  'PATCH /v1/inbox/schemas/:type',
  'DELETE /v1/inbox/schemas/:type',
  'DELETE /v1/document-types/:type',
  'GET /v1/agents/:id',
  'GET /v1/sign-in',
  'GET /v1/account',
  'GET /v1/account/sessions',
  'DELETE /v1/account/sessions',
  'DELETE /v1/account/sessions/:id',
  'GET /v1/drops/:handle',
  'GET /v1/drops/uploads/:id',
  'POST /v1/drops/uploads/:id/parts',
  'POST /v1/drops/uploads/:id/complete',
  'POST /v1/businesses',
  'GET /v1/businesses/availability',
  'GET /v1/business',
  'GET /v1/business/drop-page',
  'PATCH /v1/members/:id',
  'DELETE /v1/members/:id',
  'POST /v1/invitations',
  'DELETE /v1/invitations/:id',
  'GET /v1/account/invitations/:token',
  'POST /v1/account/invitations/:token',
  'POST /v1/device-logins/key',
  'GET /v1/device-logins/:code',
  'POST /v1/device-logins/:code',
  'DELETE /v1/device-logins/:code',
  'GET /v1/agents/:id/keys',
  'POST /v1/agents/:id/keys',
  'DELETE /v1/keys/:id',
  'GET /v1/agents/:id/signing-keys',
  'DELETE /v1/agents/:id/signing-keys/:key_id',
  'POST /v1/domains',
  'POST /v1/domains/:domain/check',
  'PATCH /v1/domains/:domain',
  'DELETE /v1/domains/:domain',
  'GET /v1/domains/:domain/keys',
  'PUT /objects/:id',
  'GET /objects/:id',
]);

test('every endpoint has a case', () => {
  const all = rows.map(({ method, path }) => `${method} ${path}`);
  expect([...Object.keys(largest), ...NEVER_LARGE].sort()).toEqual(all.sort());
});

const measured = rows.map(({ method, path }) => `${method} ${path}`);

/** Their responses are charged as they are sent, so no header can state the cost. server/test/api/rate-costs.test.ts reads it from what is left. */
const CHARGED_AS_SENT = new Set(['GET /v1/export']);

test.each(measured)('%s does not hold the event loop, and is charged what it costs', async (name) => {
  const asks = [largest[name] ?? good[name] ?? []].flat();
  expect(asks).not.toEqual([]);
  for (const [i, ask] of asks.entries()) {
    const one = asks.length === 1 ? name : `${name} (${i + 1})`;
    await (CHARGED_AS_SENT.has(name) ? meter.measure(one, () => served(ask)) : meter.measureCharged(one, () => served(ask)));
  }
  meter.expectShort();
});
