import type { Page } from 'playwright-core';

/** Node's types have no clipboard. The function runs in the page. */
type WithClipboard = { clipboard: { readText(): Promise<string>; writeText(text: string): Promise<void> } };

export const pasted = (page: Page): Promise<string> => page.evaluate(() => (navigator as unknown as WithClipboard).clipboard.readText());

export const copy = (page: Page, text: string): Promise<void> =>
  page.evaluate((given) => (navigator as unknown as WithClipboard).clipboard.writeText(given), text);
