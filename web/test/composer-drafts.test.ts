import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Composer, LETTERS, openComposer, type Sent } from './support/composer.ts';

let composer: Composer;
beforeAll(async () => {
  composer = await openComposer();
});
afterAll(() => composer.world.stop());

describe('keys that come before their field', () => {
  /** Holds matching requests back until the returned function is called. */
  const hold = async (url: RegExp): Promise<() => Promise<void>> => {
    const waiting: Route[] = [];
    let isOver = false;
    await composer.page.route(url, (route) => (isOver ? route.continue() : void waiting.push(route)));
    return async () => {
      isOver = true;
      await Promise.all(waiting.map((route) => route.continue()));
      await composer.page.unroute(url);
    };
  };

  test('are the reply, though the thread is still loading', async () => {
    await composer.open('/inbox');
    const known = await composer.decisions();
    const release = await hold(/\/v1\/threads\/thr_\w+\?/);
    await composer.page.getByRole('link', { name: /Order of globex/ }).click();
    await composer.title('Thread');
    await composer.page.keyboard.type(`r${LETTERS}`);
    await release();
    await expect.poll(() => composer.contentOf(composer.note())).toBe(LETTERS);
    await composer.page.keyboard.type(' And on.');
    expect(await composer.contentOf(composer.note())).toBe(`${LETTERS} And on.`);
    const unread = known.get(composer.older.thread_id);
    if (!unread) throw new Error('the thread is not in the list');
    await expect.poll(() => composer.decisions()).toEqual(new Map(known).set(composer.older.thread_id, { ...unread, unread_count: 0 }));
  });

  test.each([
    ['the form', /\/assets\/composer-[^/]*\.js/, 'r', () => composer.note()],
    ['the form of comments', /\/assets\/comment-form-[^/]*\.js/, 'm', () => composer.comment()],
  ])('are its text, though the script of %s is still loading', async (_name, script, key, field) => {
    await composer.openOrder();
    const known = await composer.decisions();
    const release = await hold(script);
    await composer.page.keyboard.type(`${key}${LETTERS}`);
    await release();
    await expect.poll(() => composer.contentOf(field())).toBe(LETTERS);
    await composer.page.keyboard.type(' And on.');
    await expect.poll(() => composer.contentOf(field())).toBe(`${LETTERS} And on.`);
    expect(await composer.decisions()).toEqual(known);
  });

  test('of the palette stand in the reply whose script came meanwhile', async () => {
    await composer.openOrder();
    const release = await hold(/\/assets\/composer-[^/]*\.js/);
    await composer.page.keyboard.type('rDear all, ');
    await composer.page.keyboard.press('Control+k');
    await composer.page.getByRole('option', { name: /^Reply/ }).waitFor();
    await release();
    await composer.page.getByRole('form', { name: 'Reply' }).waitFor({ state: 'attached' });
    await composer.page.getByRole('option', { name: /^Reply/ }).click();
    await composer.page.keyboard.type(LETTERS);
    await expect.poll(() => composer.contentOf(composer.note())).toContain(LETTERS);
  });

  test('send the reply, though the script of the form is still loading', async () => {
    await composer.openOrder();
    const release = await hold(/\/assets\/composer-[^/]*\.js/);
    await composer.page.keyboard.type('rAs agreed');
    await composer.page.keyboard.press('Control+Enter');
    await composer.page.keyboard.type(', not this');
    await release();
    await composer.page.getByText('As agreed', { exact: true }).waitFor();
    await expect.poll(() => composer.contentOf(composer.note())).toBe('');
  });

  test('are the JSON, though its editor is still loading', async () => {
    await composer.openOrder();
    const release = await hold(/\/assets\/code-editor-[^/]*\.js/);
    await composer.page.keyboard.press('r');
    await composer.button('Add JSON').click();
    await composer.page.keyboard.type('{"shipped": ');
    await release();
    await composer.page.locator('.cm-editor').waitFor();
    await composer.page.keyboard.type('true}');
    await composer.page.getByText('Valid JSON').waitFor();
    expect(await composer.contentOf(composer.json())).toBe('{"shipped": true}');
  });

  test('are the reply to the next thread after this one is done', async () => {
    await composer.openOrder();
    const known = await composer.decisions();
    await composer.page.keyboard.type(`er${LETTERS}`);
    await composer.title('Order of globex');
    await expect.poll(() => composer.contentOf(composer.note())).toBe(LETTERS);
    const changed = { ...known.get(composer.order.thread_id), status: 'done' };
    await expect.poll(async () => (await composer.decisions()).get(composer.order.thread_id)).toEqual(changed);
    await composer.ann.api.patch(`/threads/${composer.order.thread_id}`, { status: 'open' });
    expect(await composer.decisions()).toEqual(known);
  });
});

describe('a draft stays in its thread', () => {
  const repliesTo = async ({ thread_id }: Sent): Promise<string[]> => {
    const { body } = await composer.ann.api.get(`/threads/${thread_id}`);
    return body.data.map((message: { note: string | null }) => message.note);
  };

  test('when the thread is done and another opens, and when that is undone', async () => {
    await composer.openOrder();
    await composer.page.keyboard.press('r');
    await composer.page.keyboard.type('For initech');
    await composer.page.getByRole('toolbar', { name: 'Thread' }).getByRole('button', { name: 'Done' }).click();
    await composer.title('Order of globex');
    await composer.page.keyboard.press('r');
    await composer.page.keyboard.type('For globex');
    await composer.button('Undo').click();
    await composer.page.getByRole('link', { name: /Order of initech/ }).click();
    await composer.title('Order of initech');
    expect(await composer.contentOf(composer.note())).toBe('For initech');
    await composer.page.goBack();
    await composer.title('Order of globex');
    expect(await composer.contentOf(composer.note())).toBe('For globex');
    await composer.note().focus();
    await composer.page.keyboard.press('Control+Enter');
    await expect.poll(() => repliesTo(composer.older)).toContain('For globex');
    expect(await repliesTo(composer.order)).not.toContain('For initech');
  });

  test('when it is sent and the thread is left before there is a response', async () => {
    await composer.openOrder();
    let respond: (() => Promise<void>) | undefined;
    await composer.page.route('**/v1/messages', (route) => {
      respond = () => route.continue();
    });
    await composer.page.keyboard.press('r');
    await composer.page.keyboard.type('Sent and left');
    await composer.page.keyboard.press('Control+Enter');
    await expect.poll(() => respond).toBeDefined();
    // Text that is typed after the send is the next draft.
    await composer.page.keyboard.type(', and more');
    await composer.page.keyboard.press('Escape');
    await composer.page.keyboard.press('j');
    await composer.title('Order of globex');
    await composer.page.keyboard.press('r');
    await composer.page.keyboard.type('Another one');
    await respond?.();
    await expect.poll(() => repliesTo(composer.order)).toContain('Sent and left');
    await composer.page.unroute('**/v1/messages');
    expect(await composer.contentOf(composer.note())).toBe('Another one');
    await composer.page.keyboard.press('Escape');
    await composer.page.keyboard.press('k');
    await composer.title('Order of initech');
    await expect.poll(() => composer.contentOf(composer.note())).toBe(', and more');
  });

  test('and is not lost when so much arrives that the thread is loaded further', async () => {
    const first = await composer.sent(composer.initech, { to: 'acme-works', subject: 'A long one' });
    await Promise.all(
      Array.from({ length: 98 }, (_, at) => composer.sent(composer.initech, { in_reply_to: first.id, note: `Part ${at}` })),
    );
    await composer.open(`/threads/${first.thread_id}`);
    await composer.page.getByText('99 messages').waitFor();
    await composer.page.keyboard.press('r');
    await composer.page.keyboard.type('Dear all, ');
    let goOn: (() => Promise<void>) | undefined;
    await composer.page.route(/\/v1\/threads\/thr_\w+\?.*cursor=/, (route) => {
      goOn = () => route.continue();
    });
    for (let at = 0; at < 3; at++) await composer.sent(composer.initech, { in_reply_to: first.id, note: `More ${at}` });
    await expect.poll(() => goOn).toBeDefined();
    await composer.page.keyboard.type(LETTERS);
    expect(await composer.contentOf(composer.note())).toBe(`Dear all, ${LETTERS}`);
    await goOn?.();
    await composer.page.getByText('102 messages').waitFor();
    expect(await composer.contentOf(composer.note())).toBe(`Dear all, ${LETTERS}`);
  });
});
