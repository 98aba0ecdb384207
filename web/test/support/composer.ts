import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { TestBusiness } from '../../../server/test/support/service.ts';
import { threadsOf, untilIndexed } from '../../../server/test/support/threads.ts';
import { openWorld } from './visitor.ts';

export type Sent = { id: string; thread_id: string };
export type Composer = Awaited<ReturnType<typeof openComposer>>;

/** Every key that is a shortcut somewhere, alone and in sequences, as long as a type may be. */
export const LETTERS = 'jkxealUfurmc/? gi gm gu gd go ga gc gw e a brown fox jumps over the lazy dog.';
const STORE = /\/objects\//;
const FILE = { name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('as agreed') };

/** A member's page with two threads to write in, and what tests of the composer do there. */
export async function openComposer() {
  const world = await openWorld();
  const ann = await world.member('ann@acme-works.test', 'acme-works');
  const { page } = ann;
  const [globex, initech] = await Promise.all([world.service.business('globex'), world.service.business('initech')]);
  const older = await sent(globex, { to: 'acme-works', subject: 'Order of globex' });
  const order = await sent(initech, { to: 'acme-works', subject: 'Order of initech' });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const title = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  /** Reads the decisions that a mistaken shortcut would change. */
  const decisions = async () => {
    const rows = await threadsOf(ann.api);
    return new Map(rows.map(({ id, status, assignee, labels, unread_count }) => [id, { status, assignee, labels, unread_count }]));
  };
  /** Opens the page without the drafts of other tests. */
  const open = async (path: string) => {
    await ann.open('/usage');
    await page.evaluate('sessionStorage.clear()');
    await ann.open(path);
  };
  const openOrder = async () => {
    await sent(initech, { in_reply_to: order.id, note: 'On top of the list' });
    await untilIndexed(world.service);
    await open(`/threads/${order.thread_id}`);
    await title('Order of initech');
    await page.getByRole('link', { name: /Order of globex/ }).waitFor();
    // Opening marks the thread as read, which must have happened before the test begins.
    await expect.poll(async () => (await decisions()).get(order.thread_id)?.unread_count).toBe(0);
  };
  return {
    world,
    ann,
    page,
    initech,
    older,
    order,
    sent,
    decisions,
    open,
    openOrder,
    title,
    button,
    arrived: async (text: string) => {
      const message = page.getByRole('list', { name: 'Messages' }).getByText(text);
      // A long thread draws only the messages near the window, and the newest is the last.
      await expect
        .poll(async () => {
          await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
          return await message.isVisible();
        })
        .toBe(true);
    },
    note: () => page.getByRole('textbox', { name: 'Note' }),
    json: () => page.getByRole('textbox', { name: 'JSON' }),
    comment: () => page.getByRole('textbox', { name: 'Comment' }),
    /** Files are announced, and their bytes never arrive. */
    holdFiles: () => page.route(STORE, () => {}),
    refuseFiles: () => page.route(STORE, (route) => route.fulfill({ status: 403, contentType: 'text/xml', body: '<Error/>' })),
    refuseMessages: (message: string) =>
      page.route('**/v1/messages', (route) => route.fulfill({ status: 403, json: { error: { code: 'forbidden', message } } })),
    /** From now on, a chooser of files that opens is cancelled. */
    cancelChoosers: async () => {
      const chromium = await page.context().newCDPSession(page);
      await chromium.send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true });
    },
    attach: () => page.getByLabel('Files to attach').setInputFiles(FILE),
    /** Returns the text of a field, or of the editor. */
    contentOf: async (field: Locator): Promise<string> =>
      (await field.inputValue({ timeout: 5_000 }).catch(() => field.textContent({ timeout: 5_000 }))) ?? '',
    chooseIn: async (menu: string, item: string) => {
      await button(menu).first().click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    },
  };
}

async function sent({ api }: TestBusiness, request: object): Promise<Sent> {
  const response = await api.send(request);
  expect(response.status, response.text).toBe(201);
  return response.body;
}
