import { afterAll, beforeAll, expect, test } from 'vitest';
import { Operator } from '../../server/test/support/operator.ts';
import { openWorld, type World } from './support/visitor.ts';

const FILE = 'invoice_\u202efdp.exe';
const SHOWN_FILE = 'invoice_⟨U+202E⟩fdp.exe';
const SUBJECT = 'Order \u202e4711 \u2066now\u200b';
const SHOWN_SUBJECT = 'Order ⟨U+202E⟩4711 ⟨U+2066⟩now⟨U+200B⟩';
const SHOWN_TYPE = 'or⟨U+200F⟩der';
const FAMILY = '👨\u200d👩\u200d👧 علی\u200cرضا';

let world: World;
let jane: Awaited<ReturnType<World['member']>>;
// biome-ignore lint/suspicious/noExplicitAny: an envelope as it came
let sent: any;
beforeAll(async () => {
  world = await openWorld();
  jane = await world.member('jane@acme-works.test', 'acme');
  const globex = await world.service.business('globex');
  await world.service.sql(`UPDATE parties SET display_name = $1 WHERE handle = 'globex'`, [`${FAMILY} \u202dLtd`]);
  const operator = new Operator(world.service);
  await operator.verifyDomain('globex', 'globex-works.test');
  await operator.close();
  const form = new FormData();
  for (const [name, value] of Object.entries({ to: 'acme', subject: SUBJECT, type: 'or\u200fder', note: 'hello' })) form.set(name, value);
  form.set('file', new Blob(['MZ']), FILE);
  const response = await fetch(`${world.service.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${globex.secret}` },
    body: form,
  });
  sent = await response.json();
  expect(response.status, JSON.stringify(sent)).toBe(201);
  expect([sent.subject, sent.files[0].filename]).toEqual([SUBJECT, FILE]);
});
afterAll(() => world.stop());

/** Nothing on the page turns text around: every such character is shown as an escape. */
const expectNothingUnseen = async () => {
  const text = await jane.page.evaluate<string>(
    `document.title + document.body.innerText + [...document.querySelectorAll('[aria-label],[title]')].map((e) => e.getAttribute('aria-label') + e.title).join('')`,
  );
  expect(text).not.toMatch(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
};

test('the inbox shows what is unseen in subject, type and name, and keeps the joiners of emoji and scripts', async () => {
  const { page, open, expectAccessible } = jane;
  await open('/inbox');
  const row = page.getByRole('link', { name: SHOWN_SUBJECT });
  await row.waitFor();
  await row.getByText(SHOWN_TYPE).waitFor();
  await row.getByText(`${FAMILY} ⟨U+202D⟩Ltd`).waitFor();
  await expectNothingUnseen();
  await expectAccessible();
});

test('the thread does in its title, subject, files and labels, and says what is verified of agent and business', async () => {
  const { page, open, expectAccessible } = jane;
  await open(`/threads/${sent.thread_id}#${sent.id}`);
  await page.getByRole('heading', { level: 1, name: SHOWN_SUBJECT }).waitFor();
  await expect.poll(() => page.title()).toMatch(new RegExp(`${RegExp.escape(SHOWN_SUBJECT)} · Waybill$`));
  await page.getByRole('list', { name: 'Files' }).getByText(SHOWN_FILE).waitFor();
  await page.getByRole('button', { name: `Download ${SHOWN_FILE}` }).waitFor();
  await page.getByText('by API key').waitFor();
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByText('only its API key is verified').waitFor();
  await page.getByText('Domain verified: globex-works.test').waitFor();
  expect(await page.getByText('verified', { exact: true }).count()).toBe(0);
  await expectNothingUnseen();
  await expectAccessible();
});

test('the receipt does, for anybody who has the link', async () => {
  const { page, open, expectAccessible } = jane;
  await open(new URL(sent.receipt_url).pathname);
  await page.getByRole('heading', { level: 2, name: SHOWN_SUBJECT }).waitFor();
  await page.getByRole('list', { name: 'Delivered files' }).getByText(SHOWN_FILE).waitFor();
  await page.getByText('Only its API key is verified').waitFor();
  await page.getByText('Domain verified: globex-works.test').waitFor();
  await expectNothingUnseen();
  await expectAccessible();
});

test('and so do the contacts', async () => {
  const { page, open } = jane;
  await open('/contacts');
  await page.getByText(`${FAMILY} ⟨U+202D⟩Ltd`).waitFor();
  await page.getByText(SHOWN_TYPE).waitFor();
  await expectNothingUnseen();
});
