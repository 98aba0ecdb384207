import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

test.each(['light', 'dark'] as const)('the documents are read from the first to the reference, %s, on a phone too', async (colorScheme) => {
  const viewport = colorScheme === 'light' ? { width: 1280, height: 800 } : { width: 390, height: 800 };
  const { page, open, expectAccessible } = await world.visitor({ colorScheme, viewport });
  await open('/docs');
  await expectAccessible();
  await page.getByRole('main').getByRole('link', { name: 'First message' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'First message' }).waitFor();
  // The examples name the very service that shows them.
  expect(await page.getByRole('main').innerText()).toContain(world.service.url);
  await expectAccessible();
  await open('/docs/receive-webhooks');
  await expectAccessible();
  await open('/docs/reference');
  await page.getByRole('heading', { name: /POST\s*\/v1\/messages(?!\/)/ }).waitFor();
  await open('/docs/no-such-page');
  await expectAccessible();
});

test('mails that are kept can be read', async () => {
  const { page, open, expectAccessible } = await world.person('reader@initech.test');
  await open('/dev/mail');
  await page.getByText('open the link that Waybill printed').waitFor();
  await expectAccessible();
  await open(world.service.keptMailsAt);
  await page.getByText('reader@initech.test').first().waitFor();
  await expectAccessible();
});
