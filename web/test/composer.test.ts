import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Composer, LETTERS, openComposer } from './support/composer.ts';

let composer: Composer;
beforeAll(async () => {
  composer = await openComposer();
});
afterEach(() => composer.page.unrouteAll({ behavior: 'ignoreErrors' }));
afterAll(() => composer.world.stop());

interface Step {
  name: string;
  before?: () => Promise<unknown>;
  act: () => Promise<unknown>;
  /** The field that gets the text that is typed next. */
  field: () => Locator;
  /** Leaving would lose a file, so the page asks. */
  hasFile?: true;
}

const attachHeld = async () => {
  await composer.holdFiles();
  await composer.attach();
};
const addJson = async (text: string) => {
  await composer.button('Add JSON').click();
  await composer.page.keyboard.type(text);
};

const FORM: Step[] = [
  { name: 'Add JSON', act: () => composer.button('Add JSON').click(), field: () => composer.json() },
  {
    name: 'Remove, of JSON',
    before: () => composer.button('Add JSON').click(),
    act: () => composer.button('Remove').click(),
    field: () => composer.note(),
  },
  {
    name: 'Format, of JSON',
    before: () => addJson('{}'),
    act: () => composer.button('Format').click(),
    field: () => composer.json(),
  },
  {
    name: 'Show, of a fault in JSON',
    before: () => addJson('{"a": }'),
    act: () => composer.button('Show').click(),
    field: () => composer.json(),
  },
  { name: 'Attach files', act: () => composer.attach(), field: () => composer.note(), hasFile: true },
  {
    name: 'Attach files, cancelled',
    before: () => composer.cancelChoosers(),
    act: () => composer.button('Attach files').click(),
    field: () => composer.note(),
  },
  {
    name: 'Pause, of a file',
    before: attachHeld,
    act: () => composer.button('Pause terms.txt').click(),
    field: () => composer.note(),
    hasFile: true,
  },
  {
    name: 'Resume, of a file',
    before: async () => {
      await attachHeld();
      await composer.button('Pause terms.txt').click();
    },
    act: () => composer.button('Resume terms.txt').click(),
    field: () => composer.note(),
    hasFile: true,
  },
  {
    name: 'Retry, of a file',
    before: async () => {
      await composer.refuseFiles();
      await composer.attach();
    },
    act: () => composer.button('Retry terms.txt').click(),
    field: () => composer.note(),
    hasFile: true,
  },
  {
    name: 'Remove, of a file',
    before: () => composer.attach(),
    act: () => composer.button('Remove terms.txt').click(),
    field: () => composer.note(),
  },
  {
    name: 'Send, of unfinished JSON',
    before: () => addJson('{"a": '),
    act: () => composer.button('Send').click(),
    field: () => composer.json(),
  },
  {
    name: 'Send, before a file is uploaded',
    before: attachHeld,
    act: () => composer.button('Send').click(),
    field: () => composer.note(),
    hasFile: true,
  },
  {
    name: 'Send, refused',
    before: () => composer.refuseMessages('Not today.'),
    act: async () => {
      await composer.button('Send').click();
      await composer.page.getByText('Not today.').waitFor();
    },
    field: () => composer.note(),
  },
];

const REPLY: Step[] = [
  ...FORM,
  {
    name: 'Add type and subject',
    act: () => composer.button('Add type and subject').click(),
    field: () => composer.page.getByRole('textbox', { name: 'Type' }),
  },
  { name: 'Comment', act: () => composer.button('Comment').click(), field: () => composer.comment() },
  {
    name: 'Reply',
    before: () => composer.button('Comment').click(),
    act: () => composer.button('Reply').click(),
    field: () => composer.note(),
  },
  { name: 'Reply, of a message', act: () => composer.chooseIn('Message actions', 'Reply'), field: () => composer.note() },
  {
    name: 'Reply to newest instead',
    before: async () => {
      await composer.sent(composer.initech, { in_reply_to: composer.order.id, note: 'Once more' });
      await composer.arrived('Once more');
      await composer.chooseIn('Message actions', 'Reply');
    },
    act: () => composer.button('Reply to newest instead').click(),
    field: () => composer.note(),
  },
  {
    name: 'Reply, of the palette',
    act: async () => {
      await composer.page.keyboard.press('Control+k');
      await composer.page.getByRole('option', { name: /^Reply/ }).click();
    },
    field: () => composer.note(),
  },
];

describe('after each control of a reply, what is typed stands in its draft, and no thread changes', () => {
  test.each(REPLY)('$name', async ({ before, act, field, hasFile }) => {
    await composer.openOrder();
    const known = await composer.decisions();
    await composer.page.keyboard.press('r');
    await composer.page.keyboard.type('Dear all, ');
    await before?.();
    await act();
    await composer.page.keyboard.type(LETTERS);
    await expect.poll(() => composer.contentOf(field())).toContain(LETTERS);
    expect(new URL(composer.page.url()).pathname).toBe(`/threads/${composer.order.thread_id}`);
    expect(await composer.decisions()).toEqual(known);
    // A closed form still has the draft of this thread, and of no other.
    await composer.page.getByRole('heading', { level: 1 }).click();
    await composer.page.keyboard.press('Escape');
    await expect.poll(() => composer.contentOf(composer.note())).toContain('Dear all, ');
    await composer.page.keyboard.press('j');
    if (hasFile) await composer.button('Leave').click();
    await composer.title('Order of globex');
    expect(await composer.contentOf(composer.note())).toBe('');
  });
});

test('while a form is open, keys are no shortcuts wherever the focus is; closed, they are', async () => {
  await composer.openOrder();
  // In a short thread, the form covers no button.
  await composer.open(`/threads/${composer.older.thread_id}`);
  await composer.title('Order of globex');
  await expect.poll(async () => (await composer.decisions()).get(composer.older.thread_id)?.unread_count).toBe(0);
  const known = await composer.decisions();
  const isClosed = () => composer.button('Close (Esc)').waitFor({ state: 'detached' });
  for (const key of ['r', 'm']) {
    await composer.page.keyboard.press(key);
    await composer.page.keyboard.type('Half a letter');
    await composer.page.getByRole('heading', { level: 1 }).click();
    await composer.page.keyboard.type(LETTERS);
    expect(await composer.decisions()).toEqual(known);
    await composer.title('Order of globex');
    await composer.ann.expectAccessible();
    await composer.page.keyboard.press('Escape');
    await isClosed();
  }
  await composer.ann.expectAccessible();
  // An empty form closes when somebody clicks elsewhere, or leaves it by keyboard.
  await composer.page.keyboard.press('r');
  await composer.note().fill('');
  await composer.page.getByRole('heading', { level: 1 }).click();
  await isClosed();
  await composer.note().focus();
  await composer.page.keyboard.press('Shift+Tab');
  await composer.page.keyboard.press('Shift+Tab');
  await composer.page.keyboard.press('Shift+Tab');
  await composer.page.keyboard.press('Shift+Tab');
  await isClosed();
  await composer.page.keyboard.press('k');
  await composer.title('Order of initech');
});

const TEMPLATES: Step[] = [
  {
    name: 'Save as template',
    act: async () => {
      await composer.chooseIn('Templates', 'Save as template');
      await composer.page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Monthly');
      await composer.button('Save template').click();
    },
    field: () => composer.note(),
  },
  { name: 'a template', act: () => composer.chooseIn('Templates', 'Monthly'), field: () => composer.note() },
  {
    name: 'Delete this template',
    before: () => composer.page.getByRole('textbox', { name: 'Subject' }).fill('Monthly'),
    act: () => composer.chooseIn('Templates', 'Delete this template'),
    field: () => composer.note(),
  },
];

describe('after each control of a new message, what is typed stands in it, and no thread changes', () => {
  test.each([...FORM, ...TEMPLATES])('$name', async ({ before, act, field }) => {
    await composer.open('/compose?to=globex');
    const known = await composer.decisions();
    await composer.note().fill('Dear all, ');
    await before?.();
    await act();
    await composer.page.keyboard.type(LETTERS);
    await expect.poll(() => composer.contentOf(field())).toContain(LETTERS);
    expect(await composer.contentOf(composer.note())).toContain('Dear all, ');
    expect(new URL(composer.page.url()).pathname).toBe('/compose');
    expect(await composer.decisions()).toEqual(known);
  });

  test('and its draft is not addressed to somebody else; Escape leaves it, and asks about files', async () => {
    await composer.open('/compose?to=globex');
    await composer.note().fill('For globex');
    await composer.ann.open('/compose?to=initech');
    expect(await composer.contentOf(composer.note())).toBe('');
    await composer.ann.open('/compose?to=globex');
    expect(await composer.contentOf(composer.note())).toBe('For globex');
    await composer.open('/inbox');
    await composer.page.keyboard.type('cglobex');
    await expect.poll(() => composer.page.getByRole('combobox', { name: 'To' }).inputValue()).toBe('globex');
    await composer.note().fill('Dear all, ');
    await composer.attach();
    await composer.page.getByText('Uploaded').waitFor();
    await composer.page.keyboard.type(LETTERS);
    await composer.page.keyboard.press('Escape');
    await composer.page.getByRole('dialog', { name: 'Leave without the files?' }).waitFor();
    await composer.ann.expectAccessible();
    await composer.button('Leave').click();
    await composer.title('Inbox');
    await composer.page.keyboard.press('c');
    await expect.poll(() => composer.contentOf(composer.note())).toBe(`Dear all, ${LETTERS}`);
  });
});
