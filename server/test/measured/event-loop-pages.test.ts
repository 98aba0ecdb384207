import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, forAgents, forOperators, forSigningIn, forVerifiers, keptMails, linkedFromMails } from '../../src/app.ts';
import { apiDocument } from '../../src/modules/documentation/api-document.ts';
import { OBJECTS } from '../../src/modules/documentation/fields.ts';
import { HOME, library, REFERENCE } from '../../src/modules/documentation/library.ts';
import { areasOf } from '../../src/modules/documentation/operations.ts';
import { documentation } from '../../src/modules/documentation/routes.ts';
import { Pages } from '../../src/modules/web/pages.ts';
import { agreedTexts, pageRoutes } from '../../src/modules/web/routes.ts';
import { claimedBy } from '../support/businesses.ts';
import { type Full, fill } from '../support/largest/business.ts';
import { HOLD_MAX_MS, HoldMeter, served } from '../support/largest/hold.ts';
import { type MeteredService, startMetered } from '../support/largest/metered-service.ts';
import { largestOfOthers } from '../support/largest/other-requests.ts';
import { largestCalls, mcp, toolsAndResources } from '../support/largest/tool-calls.ts';
import { anyPages, type TestBusiness } from '../support/service.ts';

/** The largest pages, documentation and agents' tools must not make others wait. */
let metered: MeteredService;
let meter: HoldMeter;
let acme: TestBusiness;
let full: Full;
let requests: ReturnType<typeof largestOfOthers>;

beforeAll(async () => {
  metered = await startMetered({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  const { service } = metered;
  meter = new HoldMeter(metered.process);
  acme = await service.business('acme', { claimed: true });
  full = await fill(service, acme);
  await service.sql(`UPDATE parties SET has_agent_card = true WHERE handle = 'globex'`);
  const owner = await claimedBy(service, 'olga@corp.example', 'olgas');
  requests = largestOfOthers(service, owner, anyPages() ?? '', full.withFiles.receipt_url.split('/r/')[1]);
  await meter.calibrate();
});
afterAll(() => metered.stop());

const nameOf = ([method, path]: readonly [string, string, ...unknown[]]) => `${method} ${path}`;
const pages = () => new Pages(anyPages() ?? '', undefined);
const others = () =>
  [
    ...forSigningIn,
    ...forVerifiers,
    ...forOperators,
    ...linkedFromMails,
    ...keptMails,
    ...agreedTexts,
    ...pageRoutes(pages()),
    ...forAgents.slice(1),
  ].map(nameOf);

/** Every page of the documentation, each as HTML and as Markdown. */
function documents(): string[] {
  const pages = [
    ...library().keys(),
    REFERENCE,
    OBJECTS,
    ...areasOf(apiDocument(api)).flatMap(({ endpoints }) => endpoints.map(({ address }) => address)),
  ];
  return [...new Set(pages)].flatMap((address) => [address, `${address}.md`]);
}

test('every route has a case', () => {
  expect(Object.keys(requests).sort()).toEqual(others().sort());
  expect(forAgents[0] && nameOf(forAgents[0])).toBe('POST /mcp');
  const ofDocumentation = ['/openapi.json', HOME, REFERENCE, '/docs/:name', '/docs/reference/:operation', '/docs/search.json', '/llms.txt'];
  const asMarkdown = ['/docs.md', '/docs/:name.md', '/docs/reference/:operation.md'];
  expect(
    documentation(api, pages())
      .routes.map(([, path]) => path)
      .sort(),
  ).toEqual([...ofDocumentation, ...asMarkdown].sort());
});

test('pages and what is beside the API do not hold the event loop', async () => {
  for (const [name, request] of Object.entries(requests)) await meter.measure(name, () => served(request));
  meter.expectShort();
});

test('every tool and resource has calls, which succeed and do not hold the event loop', async () => {
  const calls = await largestCalls(metered.service, acme, full);
  expect(Object.keys(calls).sort()).toEqual((await toolsAndResources(full.globex.api)).sort());
  for (const [name, asks] of Object.entries(calls))
    for (const [i, ask] of asks.entries()) await meter.measure(asks.length === 1 ? name : `${name} (${i + 1})`, ask);
  for (const list of ['tools/list', 'resources/templates/list']) await meter.measure(list, () => served(() => mcp(full.globex.api, list)));
  meter.expectShort();
});

/** Work that is done once in a process can't be repeated there. So further processes do it, until each work was short once. */
test('the first request for a page of the documentation, or of an agent, does not hold the event loop either', async () => {
  let left = ['/openapi.json', '/llms.txt', ...documents(), '/docs/search.json', 'POST /mcp'];
  for (let processes = 0; left.length > 0 && processes < 8; processes++) {
    const fresh = await metered.another();
    // The start itself may not be over yet.
    for (let i = 0; i < 5; i++) await fresh.anonymous.request('GET', '/readyz');
    const holds = new Map<string, number>();
    for (const path of left) {
      await fresh.process.ask('begin');
      await served(() => (path === 'POST /mcp' ? mcp(full.globex.api.at(fresh.url), 'tools/list') : fresh.anonymous.request('GET', path)));
      holds.set(path, (await fresh.process.ask('end')).longestMs);
    }
    await meter.calibrate();
    left = left.filter((path) => (holds.get(path) ?? 0) / meter.slower > HOLD_MAX_MS);
    if (process.env['SHOW_COST']) console.log(left.map((path) => `!! first ${path}: ${holds.get(path)?.toFixed(1)} ms`).join('\n'));
    await fresh.process.stop();
  }
  expect(left).toEqual([]);
});
