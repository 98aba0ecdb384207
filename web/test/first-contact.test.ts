import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimedBy } from '../../server/test/support/businesses.ts';
import { until } from '../../server/test/support/process.ts';
import { untilIndexed } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

test('the busiest partners are suggested first, however long they have been known', async () => {
  const { page, open, expectAccessible, api } = await world.member('ann@acme-works.test', 'acme-works');
  const busiest = await world.service.business('busy-mills');
  for (let at = 0; at < 4; at++) await busiest.api.send({ to: 'acme-works', subject: `Order ${at}` });
  for (let at = 0; at < 8; at++) await (await world.service.business(`later-${at}`)).api.send({ to: 'acme-works', subject: 'Hello' });
  await until(async () => (await api.get('/contacts?sort=activity&limit=20')).body.data.length === 9);
  await open('/compose');
  const to = page.getByRole('combobox', { name: 'To' });
  expect(await to.getAttribute('placeholder')).toBe('Business name or handle');
  await to.focus();
  const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await options.first().waitFor();
  expect(await options.first().innerText()).toMatch(/@busy-mills\s+4 messages/);
  await expectAccessible();
});

test('that a sender has no verified domain is said on first contact, and when its name changes', async () => {
  const { page, open, expectAccessible, api } = await world.member('bob@initech-works.test', 'initech-works');
  const hooli = await claimedBy(world.service, 'eve@hooli.test', 'hooli');
  const send = async (request: object) => (await hooli.post('/messages', request)).body;
  const notices = page.getByText(/no verified domain/i);
  const first = await send({ to: 'initech-works', subject: 'First one', note: 'Hello' });
  await api.post('/messages', { in_reply_to: first.id, note: 'Welcome' });
  await send({ in_reply_to: first.id, note: 'Thank you' });
  await untilIndexed(world.service);
  await open(`/threads/${first.thread_id}`);
  await page.getByText('First contact, no verified domain').waitFor();
  expect(await notices.count()).toBe(1);
  await expectAccessible();

  expect((await hooli.patch('/business', { display_name: 'H00li' })).status).toBe(200);
  expect((await send({ in_reply_to: first.id, note: 'Renamed' })).from.party.display_name).toBe('H00li');
  await page.getByText('New name, no verified domain').waitFor();

  const second = await send({ to: 'initech-works', subject: 'Second one', note: 'Hello again' });
  await untilIndexed(world.service);
  const asked = page.waitForResponse(/contacts\/by-party/);
  await open(`/threads/${second.thread_id}`);
  await asked;
  await page.getByText('Hello again').first().waitFor();
  expect(await notices.count()).toBe(0);
});
