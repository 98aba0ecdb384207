import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

const begin = async (name: string) => (await world.service.anonymous.write('POST', '/device-logins', { name })).body;
const ask = (login: { device_code: string }) =>
  world.service.anonymous.write('POST', '/device-logins/key', { device_code: login.device_code });

test('a program is given a key, or refused one, by a person who types its code', async () => {
  const { page, open, api, expectAccessible } = await world.member('ann@acme-device.test', 'acme-device');
  const enter = async (code: string) => {
    await page.getByRole('textbox', { name: 'Code' }).fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  const login = await begin('waybill on laptop');
  await open('/device');
  await enter('abc');
  await page.getByText('Enter the 8 letters that the program shows.').waitFor();
  await expectAccessible();
  await enter(login.user_code.toLowerCase());
  await page.getByText('waybill on laptop').waitFor();
  await page.getByText(login.user_code).waitFor();
  expect(await page.getByRole('radio', { name: 'Read only' }).isChecked()).toBe(true);
  await expectAccessible();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { level: 1, name: 'Connected' }).waitFor();
  expect((await ask(login)).body).toMatchObject({ handle: 'acme-device', scope: 'read' });
  expect((await api.get('/agents')).body.data).toMatchObject([{ name: 'Command line' }]);

  // Now at the address that the program opens, with an agent to choose.
  await api.post('/agents', { name: 'Till' });
  const second = await begin('other');
  expect(second.verification_url).toBe(`${world.service.url}/device`);
  await open('/device');
  await enter(second.user_code);
  await page.getByRole('combobox', { name: 'Agent' }).selectOption('Till');
  await page.getByRole('radio', { name: 'Read and write' }).check();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { level: 1, name: 'Connected' }).waitFor();
  const { body } = await ask(second);
  expect(body.scope).toBe('read_write');
  expect((await api.get(`/agents/${body.agent_id}`)).body.name).toBe('Till');

  const third = await begin('a stranger');
  // A link that a stranger sends leads to no decision.
  await open(`/device?code=${third.user_code}`);
  expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe('');
  expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0);
  await enter(third.user_code);
  await page.getByRole('button', { name: 'Refuse' }).click();
  await page.getByRole('heading', { level: 1, name: 'Refused' }).waitFor();
  expect((await ask(third)).status).toBe(404);
  await open('/device');
  await enter(third.user_code);
  await page.getByText('There is no such login.').waitFor();
  await expectAccessible();
});
