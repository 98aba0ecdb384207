import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

test('an inbox with messages', async () => {
  const { page, api, open, expectAccessible } = await world.member('ann@acme-works.test', 'acme-works');
  const globex = await world.service.business('globex');
  for (let i = 0; i < 30; i++)
    await globex.api.send({
      to: 'acme-works',
      type: i % 3 ? 'order' : 'invoice',
      subject: `Order ${i}`,
      note: 'Please confirm by Friday.',
      json: { i },
    });
  await open('/inbox');
  await page.getByText('Order 29').waitFor();
  await expectAccessible();
  await page.screenshot({ path: '/tmp/inbox.png' });
  const phone = await world.visitor({
    viewport: { width: 390, height: 800 },
    colorScheme: 'dark',
    storageState: await page.context().storageState(),
  });
  await phone.open('/inbox');
  await phone.page.getByText('Order 29').waitFor();
  await phone.expectAccessible();
  await phone.page.screenshot({ path: '/tmp/inbox-phone.png' });
  expect(api).toBeDefined();
});
