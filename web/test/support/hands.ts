import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

export type Place = 'compose' | 'search' | 'inbox';

/** One way of working with pages: all that a person does goes through it. */
export interface Hands {
  /** Follows a link, presses a button, or turns a check box. */
  press(target: Locator): Promise<void>;
  /** Writes in a field, in place of what stands there. */
  write(field: Locator, text: string): Promise<void>;
  /** Chooses an item of a menu. */
  choose(button: Locator, item: string): Promise<void>;
  goTo(page: Page, place: Place): Promise<void>;
  send(page: Page): Promise<void>;
}

const LINKS: Record<Place, string> = { compose: 'New message', search: 'Search', inbox: 'Open' };
const SHORTCUTS: Record<Place, string> = { compose: 'c', search: '/', inbox: 'gi' };
/** More stops than any page of the walk has. */
const STOPS_MAX = 250;

const menuItem = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });
const sendButton = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });
const linkTo = (page: Page, place: Place) => page.locator('#navigation').getByRole('link', { name: new RegExp(`^${LINKS[place]}\\b`) });

export const mouse: Hands = {
  press: (target) => target.click(),
  write: (field, text) => field.fill(text),
  choose: async (button, item) => {
    await button.click();
    await menuItem(button.page(), item).click();
  },
  goTo: (page, place) => linkTo(page, place).click(),
  send: (page) => sendButton(page).click(),
};

export const touch: Hands = {
  press: (target) => target.tap(),
  write: async (field, text) => {
    await field.tap();
    await field.fill(text);
  },
  choose: async (button, item) => {
    await button.tap();
    await menuItem(button.page(), item).tap();
  },
  goTo: async (page, place) => {
    await page.getByRole('button', { name: 'Open menu' }).tap();
    await linkTo(page, place).tap();
  },
  send: (page) => sendButton(page).tap(),
};

export const keyboard: Hands = {
  press: async (target) => {
    await reach(target);
    await target.page().keyboard.press((await target.getAttribute('type')) === 'checkbox' ? 'Space' : 'Enter');
  },
  write: async (field, text) => {
    await reach(field);
    const { keyboard } = field.page();
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type(text);
  },
  choose: async (button, item) => {
    await keyboard.press(button);
    const wanted = menuItem(button.page(), item);
    await wanted.waitFor();
    for (let steps = 0; steps < STOPS_MAX && !(await hasFocus(wanted)); steps++) await button.page().keyboard.press('ArrowDown');
    await button.page().keyboard.press('Enter');
  },
  goTo: async (page, place) => {
    for (const key of SHORTCUTS[place]) await page.keyboard.press(key);
  },
  send: (page) => page.keyboard.press('ControlOrMeta+Enter'),
};

const hasFocus = (target: Locator): Promise<boolean> => target.evaluate((element) => element.matches(':focus'));

/** Goes to an element by Tab alone, and checks that nothing covers it. */
async function reach(target: Locator): Promise<void> {
  await target.waitFor();
  const { keyboard } = target.page();
  const isBehind = await target.evaluate((element) => {
    const { activeElement } = element.ownerDocument;
    return activeElement !== null && (element.compareDocumentPosition(activeElement) & 4) === 4;
  });
  for (let stops = 0; !(await hasFocus(target)); stops++) {
    expect(stops, `Tab leads to ${target}`).toBeLessThan(STOPS_MAX);
    await keyboard.press(isBehind ? 'Shift+Tab' : 'Tab');
  }
  await expect.poll(() => isUncovered(target), { message: `the focus is seen at ${target}` }).toBe(true);
}

/** Nothing lies on the middle of the element, such as a bar that stays in sight. */
function isUncovered(target: Locator): Promise<boolean> {
  return target.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const found = element.ownerDocument.elementFromPoint(left + width / 2, top + Math.min(height / 2, 20));
    return found !== null && (element.contains(found) || found.contains(element));
  });
}
