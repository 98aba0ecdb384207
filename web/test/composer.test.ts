import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { threadsOf, untilIndexed } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

type Member = Awaited<ReturnType<World['member']>>;
type Sent = { id: string; thread_id: string };

/** Every key that is a shortcut somewhere, alone and in sequences, as long as a type may be. */
const LETTERS = 'jkxealUfurmc/? gi gm gu gd go ga gc gw e a brown fox jumps over the lazy dog.';
const FILE = { name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('as agreed') };

let world: World;
let ann: Member;
let page: Page;
let globex: TestBusiness;
let initech: TestBusiness;
let older: Sent;
let order: Sent;
beforeAll(async () => {
  world = await openWorld();
  ann = await world.member('ann@acme-works.test', 'acme-works');
  page = ann.page;
  [globex, initech] = await Promise.all([world.service.business('globex'), world.service.business('initech')]);
  older = await sent(globex, { to: 'acme-works', subject: 'Order of globex' });
  order = await sent(initech, { to: 'acme-works', subject: 'Order of initech' });
});
afterAll(() => world.stop());

async function sent({ api }: TestBusiness, request: object): Promise<Sent> {
  const response = await api.send(request);
  expect(response.status, response.text).toBe(201);
  return response.body;
}

/** Reads the decisions that a mistaken shortcut would change. */
async function decisions() {
  const rows = await threadsOf(ann.api);
  return new Map(rows.map(({ id, status, assignee, labels, unread_count }) => [id, { status, assignee, labels, unread_count }]));
}

/** Opens the page without the drafts of other tests. */
async function open(path: string): Promise<void> {
  await ann.open('/usage');
  await page.evaluate('sessionStorage.clear()');
  await ann.open(path);
}

async function openOrder(): Promise<void> {
  await sent(initech, { in_reply_to: order.id, note: 'On top of the list' });
  await untilIndexed(world.service);
  await open(`/threads/${order.thread_id}`);
  await title('Order of initech');
  await page.getByRole('link', { name: /Order of globex/ }).waitFor();
  // Opening marks the thread as read, which must have happened before the test begins.
  await expect.poll(async () => (await decisions()).get(order.thread_id)?.unread_count).toBe(0);
}

const title = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const arrived = (text: string) => page.getByRole('list', { name: 'Messages' }).getByText(text).waitFor();
const note = () => page.getByRole('textbox', { name: 'Note' });
const json = () => page.getByRole('textbox', { name: 'JSON' });
const comment = () => page.getByRole('textbox', { name: 'Comment' });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const attach = () => page.getByLabel('Files to attach').setInputFiles(FILE);
/** Returns the text of a field, or of the editor. */
const contentOf = async (field: Locator): Promise<string> =>
  (await field.inputValue({ timeout: 5_000 }).catch(() => field.textContent({ timeout: 5_000 }))) ?? '';
const chooseIn = async (menu: string, item: string) => {
  await button(menu).first().click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

interface Step {
  name: string;
  before?: () => Promise<unknown>;
  act: () => Promise<unknown>;
  /** The field that gets the text that is typed next. */
  field: () => Locator;
}

const FORM: Step[] = [
  { name: 'Add JSON', act: () => button('Add JSON').click(), field: json },
  { name: 'Remove, of JSON', before: () => button('Add JSON').click(), act: () => button('Remove').click(), field: note },
  {
    name: 'Format, of JSON',
    before: async () => {
      await button('Add JSON').click();
      await page.keyboard.type('{}');
    },
    act: () => button('Format').click(),
    field: json,
  },
  { name: 'Attach files', act: attach, field: note },
  { name: 'Remove, of a file', before: attach, act: () => button('Remove terms.txt').click(), field: note },
];

const REPLY: Step[] = [
  ...FORM,
  {
    name: 'Add type and subject',
    act: () => button('Add type and subject').click(),
    field: () => page.getByRole('textbox', { name: 'Type' }),
  },
  { name: 'Comment', act: () => button('Comment').click(), field: comment },
  { name: 'Reply', before: () => button('Comment').click(), act: () => button('Reply').click(), field: note },
  { name: 'Reply, of a message', act: () => chooseIn('Message actions', 'Reply'), field: note },
  {
    name: 'Reply to newest instead',
    before: async () => {
      await sent(initech, { in_reply_to: order.id, note: 'Once more' });
      await arrived('Once more');
      await chooseIn('Message actions', 'Reply');
    },
    act: () => button('Reply to newest instead').click(),
    field: note,
  },
  {
    name: 'Reply, of the palette',
    act: async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: /^Reply/ }).click();
    },
    field: note,
  },
];

describe('after each control of a reply, what is typed stands in its draft, and no thread changes', () => {
  test.each(REPLY)('$name', async ({ name, before, act, field }) => {
    await openOrder();
    const known = await decisions();
    await page.keyboard.press('r');
    await page.keyboard.type('Dear all, ');
    await before?.();
    await act();
    await page.keyboard.type(LETTERS);
    await expect.poll(() => contentOf(field())).toContain(LETTERS);
    expect(new URL(page.url()).pathname).toBe(`/threads/${order.thread_id}`);
    expect(await decisions()).toEqual(known);
    // A closed form still has the draft of this thread, and of no other.
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => contentOf(note())).toContain('Dear all, ');
    await page.keyboard.press('j');
    if (name === 'Attach files') await button('Leave').click();
    await title('Order of globex');
    expect(await contentOf(note())).toBe('');
  });
});

test('while a form is open, keys are no shortcuts wherever the focus is; closed, they are', async () => {
  await openOrder();
  // In a short thread, the form covers no button.
  await open(`/threads/${older.thread_id}`);
  await title('Order of globex');
  await expect.poll(async () => (await decisions()).get(older.thread_id)?.unread_count).toBe(0);
  const known = await decisions();
  const isClosed = () => button('Close (Esc)').waitFor({ state: 'detached' });
  for (const key of ['r', 'm']) {
    await page.keyboard.press(key);
    await page.keyboard.type('Half a letter');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.type(LETTERS);
    expect(await decisions()).toEqual(known);
    await title('Order of globex');
    await ann.expectAccessible();
    await page.keyboard.press('Escape');
    await isClosed();
  }
  await ann.expectAccessible();
  // An empty form closes when somebody clicks elsewhere, or leaves it by keyboard.
  await page.keyboard.press('r');
  await note().fill('');
  await page.getByRole('heading', { level: 1 }).click();
  await isClosed();
  await note().focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await isClosed();
  await page.keyboard.press('k');
  await title('Order of initech');
});

describe('keys that come before their field', () => {
  /** Holds matching requests back until the returned function is called. */
  const hold = async (url: RegExp): Promise<() => Promise<void>> => {
    const waiting: Route[] = [];
    let isOver = false;
    await page.route(url, (route) => (isOver ? route.continue() : void waiting.push(route)));
    return async () => {
      isOver = true;
      await Promise.all(waiting.map((route) => route.continue()));
      await page.unroute(url);
    };
  };

  test('are the reply, though the thread is still loading', async () => {
    await open('/inbox');
    const known = await decisions();
    const release = await hold(/\/v1\/threads\/thr_\w+\?/);
    await page.getByRole('link', { name: /Order of globex/ }).click();
    await title('Thread');
    await page.keyboard.type(`r${LETTERS}`);
    await release();
    await expect.poll(() => contentOf(note())).toBe(LETTERS);
    await page.keyboard.type(' And on.');
    expect(await contentOf(note())).toBe(`${LETTERS} And on.`);
    const unread = known.get(older.thread_id);
    if (!unread) throw new Error('the thread is not in the list');
    await expect.poll(decisions).toEqual(new Map(known).set(older.thread_id, { ...unread, unread_count: 0 }));
  });

  test.each([
    ['the form', /\/assets\/composer-[^/]*\.js/, 'r', note],
    ['the form of comments', /\/assets\/comment-form-[^/]*\.js/, 'm', comment],
  ])('are its text, though the script of %s is still loading', async (_name, script, key, field) => {
    await openOrder();
    const known = await decisions();
    const release = await hold(script);
    await page.keyboard.type(`${key}${LETTERS}`);
    await release();
    await expect.poll(() => contentOf(field())).toBe(LETTERS);
    await page.keyboard.type(' And on.');
    await expect.poll(() => contentOf(field())).toBe(`${LETTERS} And on.`);
    expect(await decisions()).toEqual(known);
  });

  test('of the palette stand in the reply whose script came meanwhile', async () => {
    await openOrder();
    const release = await hold(/\/assets\/composer-[^/]*\.js/);
    await page.keyboard.type('rDear all, ');
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Reply/ }).waitFor();
    await release();
    await page.getByRole('form', { name: 'Reply' }).waitFor({ state: 'attached' });
    await page.getByRole('option', { name: /^Reply/ }).click();
    await page.keyboard.type(LETTERS);
    await expect.poll(() => contentOf(note())).toContain(LETTERS);
  });

  test('send the reply, though the script of the form is still loading', async () => {
    await openOrder();
    const release = await hold(/\/assets\/composer-[^/]*\.js/);
    await page.keyboard.type('rAs agreed');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.type(', not this');
    await release();
    await page.getByText('As agreed', { exact: true }).waitFor();
    await expect.poll(() => contentOf(note())).toBe('');
  });

  test('are the JSON, though its editor is still loading', async () => {
    await openOrder();
    const release = await hold(/\/assets\/code-editor-[^/]*\.js/);
    await page.keyboard.press('r');
    await button('Add JSON').click();
    await page.keyboard.type('{"shipped": ');
    await release();
    await page.locator('.cm-editor').waitFor();
    await page.keyboard.type('true}');
    await page.getByText('Valid JSON').waitFor();
    expect(await contentOf(json())).toBe('{"shipped": true}');
  });

  test('are the reply to the next thread after this one is done', async () => {
    await openOrder();
    const known = await decisions();
    await page.keyboard.type(`er${LETTERS}`);
    await title('Order of globex');
    await expect.poll(() => contentOf(note())).toBe(LETTERS);
    const changed = { ...known.get(order.thread_id), status: 'done' };
    await expect.poll(async () => (await decisions()).get(order.thread_id)).toEqual(changed);
    await ann.api.patch(`/threads/${order.thread_id}`, { status: 'open' });
    expect(await decisions()).toEqual(known);
  });
});

describe('a draft stays in its thread', () => {
  const repliesTo = async ({ thread_id }: Sent): Promise<string[]> => {
    const { body } = await ann.api.get(`/threads/${thread_id}`);
    return body.data.map((message: { note: string | null }) => message.note);
  };

  test('when the thread is done and another opens, and when that is undone', async () => {
    await openOrder();
    await page.keyboard.press('r');
    await page.keyboard.type('For initech');
    await page.getByRole('toolbar', { name: 'Thread' }).getByRole('button', { name: 'Done' }).click();
    await title('Order of globex');
    await page.keyboard.press('r');
    await page.keyboard.type('For globex');
    await button('Undo').click();
    await page.getByRole('link', { name: /Order of initech/ }).click();
    await title('Order of initech');
    expect(await contentOf(note())).toBe('For initech');
    await page.goBack();
    await title('Order of globex');
    expect(await contentOf(note())).toBe('For globex');
    await note().focus();
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => repliesTo(older)).toContain('For globex');
    expect(await repliesTo(order)).not.toContain('For initech');
  });

  test('when it is sent and the thread is left before there is a response', async () => {
    await openOrder();
    let respond: (() => Promise<void>) | undefined;
    await page.route('**/v1/messages', (route) => {
      respond = () => route.continue();
    });
    await page.keyboard.press('r');
    await page.keyboard.type('Sent and left');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => respond).toBeDefined();
    // Text that is typed after the send is the next draft.
    await page.keyboard.type(', and more');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await title('Order of globex');
    await page.keyboard.press('r');
    await page.keyboard.type('Another one');
    await respond?.();
    await expect.poll(() => repliesTo(order)).toContain('Sent and left');
    await page.unroute('**/v1/messages');
    expect(await contentOf(note())).toBe('Another one');
    await page.keyboard.press('Escape');
    await page.keyboard.press('k');
    await title('Order of initech');
    await expect.poll(() => contentOf(note())).toBe(', and more');
  });

  test('and is not lost when so much arrives that the thread is loaded further', async () => {
    const first = await sent(initech, { to: 'acme-works', subject: 'A long one' });
    await Promise.all(Array.from({ length: 98 }, (_, at) => sent(initech, { in_reply_to: first.id, note: `Part ${at}` })));
    await open(`/threads/${first.thread_id}`);
    await page.getByText('99 messages').waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('Dear all, ');
    let goOn: (() => Promise<void>) | undefined;
    await page.route(/\/v1\/threads\/thr_\w+\?.*cursor=/, (route) => {
      goOn = () => route.continue();
    });
    for (let at = 0; at < 3; at++) await sent(initech, { in_reply_to: first.id, note: `More ${at}` });
    await expect.poll(() => goOn).toBeDefined();
    await page.keyboard.type(LETTERS);
    expect(await contentOf(note())).toBe(`Dear all, ${LETTERS}`);
    await goOn?.();
    await page.getByText('102 messages').waitFor();
    expect(await contentOf(note())).toBe(`Dear all, ${LETTERS}`);
  });
});

const TEMPLATES: Step[] = [
  {
    name: 'Save as template',
    act: async () => {
      await chooseIn('Templates', 'Save as template');
      await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Monthly');
      await button('Save template').click();
    },
    field: note,
  },
  { name: 'a template', act: () => chooseIn('Templates', 'Monthly'), field: note },
  {
    name: 'Delete this template',
    before: () => page.getByRole('textbox', { name: 'Subject' }).fill('Monthly'),
    act: () => chooseIn('Templates', 'Delete this template'),
    field: note,
  },
];

describe('after each control of a new message, what is typed stands in it, and no thread changes', () => {
  test.each([...FORM, ...TEMPLATES])('$name', async ({ before, act, field }) => {
    await open('/compose?to=globex');
    const known = await decisions();
    await note().fill('Dear all, ');
    await before?.();
    await act();
    console.log(
      'ACTIVE',
      await page.evaluate('document.activeElement.outerHTML.slice(0,120) + document.querySelectorAll("dialog").length'),
    );
    await page.keyboard.type(LETTERS);
    await expect.poll(() => contentOf(field())).toContain(LETTERS);
    expect(await contentOf(note())).toContain('Dear all, ');
    expect(new URL(page.url()).pathname).toBe('/compose');
    expect(await decisions()).toEqual(known);
  });

  test('and its draft is not addressed to somebody else; Escape leaves it, and asks about files', async () => {
    await open('/compose?to=globex');
    await note().fill('For globex');
    await ann.open('/compose?to=initech');
    expect(await contentOf(note())).toBe('');
    await ann.open('/compose?to=globex');
    expect(await contentOf(note())).toBe('For globex');
    await open('/inbox');
    await page.keyboard.type('cglobex');
    await expect.poll(() => page.getByRole('combobox', { name: 'To' }).inputValue()).toBe('globex');
    await note().fill('Dear all, ');
    await attach();
    await page.getByText('Uploaded').waitFor();
    await page.keyboard.type(LETTERS);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Leave without the files?' }).waitFor();
    await ann.expectAccessible();
    await button('Leave').click();
    await title('Inbox');
    await page.keyboard.press('c');
    await expect.poll(() => contentOf(note())).toBe(`Dear all, ${LETTERS}`);
  });
});
