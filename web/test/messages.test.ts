import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

type Member = Awaited<ReturnType<World['member']>>;

let world: World;
let ann: Member;
let bob: Member;
let robot: TestBusiness;
beforeAll(async () => {
  world = await openWorld();
  [ann, bob, robot] = await Promise.all([
    world.member('ann@acme-works.test', 'acme-works'),
    world.member('bob@globex-works.test', 'globex-works'),
    world.service.business('robots'),
  ]);
});
afterAll(() => world.stop());

const copied = (page: Page): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');
const sent = async (request: unknown) => {
  const response = await robot.api.send(request);
  expect(response.status, response.text).toBe(201);
  return response.body as { id: string; thread_id: string };
};
const openThread = ({ open }: Visitor, { thread_id, id }: { thread_id: string; id: string }) => open(`/threads/${thread_id}#${id}`);

const JSON_TEXT =
  '{"order": 12345678901234567890123, "total": 1.0, "lines": [{"sku": "A-1"}, {"sku": "B-2"}], "ship": {"city": "Köln", "zip": "050667"}}';

test('one writes, the other sees it arrive, opens it and replies, and the first sees the reply', async () => {
  await bob.open('/inbox');
  await bob.page.getByText('No messages yet').waitFor();

  const { page } = ann;
  await ann.open('/compose');
  const to = page.getByRole('combobox', { name: 'To' });
  await to.fill('globex');
  await page.getByRole('option', { name: /globex-works/ }).waitFor();
  await ann.expectAccessible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => to.inputValue()).toBe('globex-works');
  await page.getByRole('textbox', { name: 'Type' }).fill('order');
  await page.getByRole('textbox', { name: 'Subject' }).fill('Order 4711');
  await page.getByRole('textbox', { name: 'Note' }).fill('Please confirm.\nBy Friday.');
  await page.getByRole('button', { name: 'Add JSON' }).click();
  const json = page.getByRole('textbox', { name: 'JSON' });
  await json.fill('{"order": 12\n "total"');
  await page.getByText('Line 2, column 2: Expected a comma or }.').waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Fix the JSON').waitFor();
  await json.fill(JSON_TEXT);
  await page.getByText('Valid JSON').waitFor();
  await page.getByLabel('Files to attach').setInputFiles({ name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('as agreed') });
  await page.getByText('Uploaded').waitFor();

  // After a reload, the text is still there, but the files are not.
  await page.reload();
  // Of a known type, so that its form opens.
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  await page.getByRole('textbox', { name: 'JSON' }).getByText('12345678901234567890123').waitFor();
  await page.getByLabel('Files to attach').setInputFiles({ name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('as agreed') });
  await page.getByText('Uploaded').waitFor();
  await page.getByRole('textbox', { name: 'Note' }).focus();
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'Sent' }).waitFor();
  await page.getByRole('button', { name: 'Copy receipt link' }).click();
  expect(await copied(page)).toContain('/r/rcpt_');
  await ann.expectAccessible();
  expect((await ann.api.get('/outbox')).body.data).toHaveLength(1);
  await page.getByRole('link', { name: 'Open thread' }).click();
  await page.getByRole('heading', { name: 'Order 4711', level: 1 }).waitFor();

  const row = bob.page.getByRole('link', { name: /Order 4711/ });
  await row.waitFor();
  await bob.page.keyboard.press('j');
  await row.and(bob.page.locator(':focus')).waitFor();
  await bob.page.keyboard.press('Enter');
  await bob.page.getByRole('tab', { name: 'JSON' }).click();
  const tree = bob.page.getByRole('tree', { name: 'JSON' });
  await tree.getByRole('treeitem', { name: '12345678901234567890123' }).waitFor();
  expect(await tree.getByRole('treeitem', { name: /total/ }).textContent()).toBe('total:1.0');
  await bob.page.getByRole('list', { name: 'Messages' }).getByText('Please confirm.').waitFor();
  await bob.expectAccessible();
  await bob.page.getByRole('button', { name: 'Copy JSON' }).click();
  expect(await copied(bob.page)).toBe(JSON_TEXT);

  await bob.page.getByRole('textbox', { name: 'Search JSON' }).fill('sku');
  // The search goes to the first match by itself.
  await bob.page.getByText('1 of 2').waitFor();
  await bob.page.keyboard.press('Enter');
  await bob.page.getByText('2 of 2').waitFor();
  await bob.page.getByRole('button', { name: 'Copy path' }).click();
  expect(await copied(bob.page)).toBe('/lines/1/sku');
  await tree.focus();
  await bob.page.keyboard.press('End');
  await bob.page.getByRole('button', { name: 'Copy value' }).click();
  expect(await copied(bob.page)).toBe('050667');
  await tree.focus();
  await bob.page.keyboard.press('ArrowLeft');
  await bob.page.keyboard.press('ArrowLeft');
  await tree.getByRole('treeitem', { name: /ship/, expanded: false }).waitFor();

  const download = bob.page.waitForEvent('download');
  await bob.page.getByRole('button', { name: 'Download terms.txt' }).click();
  expect((await download).suggestedFilename()).toBe('terms.txt');

  await bob.page.getByRole('heading', { level: 1 }).click();
  await bob.page.keyboard.press('r');
  await bob.page.keyboard.type('Confirmed.');
  await bob.page.getByRole('button', { name: 'Send' }).click();
  await bob.page.getByRole('list', { name: 'Messages' }).getByText('Confirmed.').waitFor();
  expect(await bob.page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('');
  await page.getByRole('list', { name: 'Messages' }).getByText('Confirmed.').waitFor();
  await bob.page.getByRole('heading', { level: 1 }).click();
  await bob.page.keyboard.press('u');
  await bob.page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

test('what the inbox schema does not like is shown at its place', async () => {
  const { page } = bob;
  const schema = { properties: { deep: { properties: { er: { items: { properties: { amount: { type: 'integer' } } } } } } } };
  expect((await bob.api.request('PUT', '/inbox/schema', { schema })).status).toBe(200);
  // With so many entries, only the first level is open at first.
  const er = Array.from({ length: 100 }, (_, at) => ({ amount: at === 70 ? 'many' : at }));
  await openThread(bob, await sent({ to: 'globex-works', json: { deep: { er } } }));
  await page.getByRole('figure', { name: 'JSON' }).getByText('Needs correction').waitFor();
  await page.getByRole('button', { name: '/deep/er/70/amount' }).click();
  const wrong = page.getByRole('treeitem', { name: /amount.*"many".*must be integer/, selected: true });
  await wrong.waitFor();
  await expect.poll(() => wrong.isVisible()).toBe(true);
  await bob.expectAccessible();
  await page.getByRole('button', { name: 'Collapse all' }).click();
  await page.getByText('1 error inside').waitFor();
  expect((await bob.api.request('PUT', '/inbox/schema', { schema: null })).status).toBe(200);
});

test('a message can be looked at as it came, its sender saved, and a person blocked', async () => {
  const { page } = ann;
  const message = (await bob.api.post('/messages', { to: 'acme-works', note: 'Buy now!' })).body;
  await openThread(ann, message);
  const menu = page.getByRole('button', { name: 'Message actions' });
  await menu.click();
  await ann.expectAccessible();
  await page.getByRole('menuitem', { name: 'View source' }).click();
  await page.getByRole('dialog').getByText(message.content_hash).waitFor();
  await ann.expectAccessible();
  await page.keyboard.press('Escape');
  await menu.click();
  await page.getByRole('menuitem', { name: 'Add to contacts' }).click();
  await page.getByText('Contact saved').waitFor();
  await menu.click();
  await page.getByRole('menuitem', { name: /^Block bob@/ }).click();
  await page.getByRole('dialog').getByText('will be refused').waitFor();
  await ann.expectAccessible();
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByText('Blocked').waitFor();
  expect((await bob.api.post('/messages', { to: 'acme-works', note: 'Again' })).body.error.code).toBe('sender_blocked');
  const { id } = (await ann.api.get('/blocks')).body.data[0];
  await ann.api.delete(`/blocks/${id}`);
});

test('order lines are a table, facts come first, and the same can be sent by a program', async () => {
  const { page } = bob;
  const lines = [
    { sku: 'A-1', quantity: 2, price: 10.5 },
    { sku: 'B-2\u202e', quantity: 1, price: 3 },
  ];
  const message = await sent({
    to: 'globex-works',
    type: 'order',
    json: { order_number: 'PO-1', currency: 'EUR', total: 24, lines, b: 1 },
  });
  await openThread(bob, message);
  const table = page.getByRole('region', { name: 'Table lines' });
  await table.getByRole('columnheader', { name: 'quantity' }).waitFor();
  await table.getByRole('cell', { name: 'B-2⟨U+202E⟩' }).waitFor();
  await page.getByText('24 EUR', { exact: true }).waitFor();
  // In the tree the array is folded, and says what it holds.
  await page.getByRole('treeitem', { name: /lines.*2 × \[/, expanded: false }).waitFor();
  await bob.expectAccessible();
  await page.getByRole('button', { name: 'Copy as a program' }).click();
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click();
  await page.getByText('Copied as curl').waitFor();
  expect(await copied(page)).toContain('"to":"globex-works","type":"order","json":{"order_number"');
  // Two messages in one thread are not landmarks of the same name.
  await sent({ in_reply_to: message.id, json: { confirmed: true } });
  await page.getByRole('treeitem', { name: /confirmed/ }).waitFor();
  await bob.expectAccessible();
});

test('an order of one line has its table, however wide, and its amounts go by their own names', async () => {
  const { page } = bob;
  const line = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`field_${at}`, at]));
  const json = { deposit: { amount: '500.00' }, tax: { amount: '380.00' }, payable: '2380.00', buyer: { name: 'Acme' }, lines: [line] };
  await openThread(bob, await sent({ to: 'globex-works', json }));
  const table = page.getByRole('region', { name: 'Table lines' });
  await table.getByRole('columnheader', { name: 'field_23' }).waitFor();
  await page.getByText('1 row, 24 of 30 columns').waitFor();
  const box = `document.querySelector('[aria-label="Table lines"]')`;
  expect(await page.evaluate<boolean>(`${box}.scrollWidth > ${box}.clientWidth`)).toBe(true);
  const facts = page.locator('dl[aria-label="At a glance"] > div');
  expect(await facts.allInnerTexts()).toEqual(['Payable\n2,380.00', 'Buyer\nAcme', 'Deposit amount\n500.00', 'Tax amount\n380.00']);
  await bob.expectAccessible();
});

test('of a thread with thousands of messages only those in sight are drawn', async () => {
  const { page } = ann;
  const first = await sent({ to: 'acme-works', subject: 'A long story', note: 'Chapter 0' });
  const chapter = (at: number) => sent({ in_reply_to: first.id, note: `Chapter ${at}` });
  for (let at = 1; at < 1_999; at += 54) await Promise.all(Array.from({ length: 54 }, (_, i) => chapter(at + i)));
  await chapter(1_999);
  await ann.open(`/threads/${first.thread_id}`);
  await page.getByText('2,000 messages').waitFor();
  const drawn = () => page.getByRole('list', { name: 'Messages' }).getByRole('listitem').count();
  expect(await drawn()).toBeLessThan(60);
  await page.getByRole('button', { name: 'Expand all 2,000' }).click();
  // The page grows while the heights of messages become known, as somebody scrolls.
  const isAtEnd = async () => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    return page.getByRole('list', { name: 'Messages' }).getByText('Chapter 1999', { exact: true }).isVisible();
  };
  await expect.poll(isAtEnd, { timeout: 120_000 }).toBe(true);
  expect(await drawn()).toBeLessThan(60);
  await page.getByRole('textbox', { name: 'Note' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Note' }).isVisible()).toBe(true);
});

test('a thread of another business of mine is one press away', async () => {
  expect((await bob.api.browser.post('/v1/businesses', { handle: 'globex-labs', display_name: 'Globex Labs' })).status).toBe(201);
  await openThread(bob, await sent({ to: 'globex-labs', subject: 'For the labs' }));
  await bob.page.getByText('belongs to another of your businesses').waitFor();
  await bob.expectAccessible();
  await bob.page.getByRole('button', { name: 'Switch to @globex-labs' }).click();
  await bob.page.getByRole('heading', { name: 'For the labs', level: 1 }).waitFor();
  await bob.open('/threads/thr_00000000000000000000000000');
  await bob.page.getByText('Thread not found').waitFor();
});

describe('whatever a stranger sends is shown, and never run', () => {
  const HOSTILE = '<script>window.ran = true</script><img src=x onerror="window.ran = true">\u202eevil\u202c "quoted" \u0000';

  test('in every place where it can stand', async () => {
    const { page } = ann;
    const note = HOSTILE.slice(0, -1);
    const message = await sent({
      to: 'acme-works',
      type: note.slice(0, 80),
      subject: note,
      note,
      json: { [note]: note, __proto__x: 1, list: [note] },
    });
    await ann.open('/inbox');
    await page.getByText('<script>').first().waitFor();
    await openThread(ann, message);
    await page.getByRole('heading', { level: 1, name: /<script>/ }).waitFor();
    await page.getByRole('tabpanel', { name: 'Document' }).getByText('<script>').first().waitFor();
    await ann.expectAccessible();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('tree').waitFor();
    await ann.expectAccessible();
    expect(await page.evaluate("'ran' in window")).toBe(false);
  });

  test('a megabyte of it stays smooth', async () => {
    const { page } = ann;
    const json = `[${Array.from({ length: 149_000 }, (_, at) => 100_000 + at)}]`;
    await openThread(ann, await sent(`{"to":"acme-works","json":${json}}`));
    await page.getByRole('tab', { name: 'JSON' }).click();
    const tree = page.getByRole('tree');
    await tree.getByRole('treeitem', { name: '100000' }).waitFor();
    await tree.focus();
    const begun = Date.now();
    await page.keyboard.press('End');
    await tree.getByRole('treeitem', { name: '248999' }).waitFor();
    await page.getByRole('textbox', { name: 'Search JSON' }).fill('177777');
    await page.getByText('1 of 1').waitFor();
    await tree.getByRole('treeitem', { name: '177777', selected: true }).waitFor();
    expect(Date.now() - begun).toBeLessThan(60_000);
    expect(await page.getByRole('treeitem').count()).toBeLessThan(100);
  });

  test('a thousand levels of it are opened', async () => {
    const { page } = ann;
    await openThread(ann, await sent(`{"to":"acme-works","json":${'[7,'.repeat(999)}["end"]${']'.repeat(999)}}`));
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('button', { name: 'Expand all' }).click();
    await page.getByRole('tree').focus();
    // A machine under load may not have shown all levels yet when the key is pressed.
    const last = async () => {
      await page.keyboard.press('End');
      return page.getByRole('treeitem', { name: '"end"', level: 1_001 }).isVisible();
    };
    await expect.poll(last).toBe(true);
  });
});
