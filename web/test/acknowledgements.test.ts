import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSigningKeyPair } from '../../packages/client/src/index.ts';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { untilIndexed } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
let globex: TestBusiness;
let ann: Awaited<ReturnType<World['member']>>;
beforeAll(async () => {
  world = await openWorld();
  globex = await world.service.business('globex');
  ann = await world.member('ann@acme-works.test', 'acme-works');
});
afterAll(() => world.stop());

test('a person accepts a message and rejects it later; the sender’s page shows what the recipient says, as it happens', async () => {
  const { page, open, expectAccessible, api } = ann;
  const received = (await globex.api.send({ to: 'acme-works', subject: 'Order 1', json: { item: 'A-1' } })).body;
  await untilIndexed(world.service);
  await open(`/threads/${received.thread_id}`);
  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  await page.getByRole('list', { name: 'Acknowledgements' }).getByText('Accepted').waitFor();
  await page.getByRole('button', { name: 'Mark as processed', exact: true }).waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByLabel('Reason').fill('Out of stock.');
  await expectAccessible();
  await page.getByRole('button', { name: 'Reject message' }).click();
  await page.getByRole('list', { name: 'Acknowledgements' }).getByText('Out of stock.').waitFor();
  await page.getByRole('button', { name: 'Mark as processed', exact: true }).waitFor({ state: 'detached' });
  const said = (await globex.api.get(`/messages/${received.id}/acknowledgements`)).body.data;
  expect(said).toMatchObject([{ status: 'accepted' }, { status: 'rejected', reason: 'Out of stock.' }]);

  const sent = (await api.post('/messages', { to: 'globex', subject: 'Order 2' })).body;
  await untilIndexed(world.service);
  await open(`/threads/${sent.thread_id}`);
  await page.getByRole('heading', { name: 'Order 2' }).waitFor();
  expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
  await globex.api.write('POST', `/messages/${sent.id}/acknowledge`, { status: 'processed', reason: 'Shipped.' });
  const list = page.getByRole('list', { name: 'Acknowledgements' });
  await list.getByText(/Processed by Agent of globex/).waitFor();
  await list.getByText('Shipped.').waitFor();
  await expectAccessible();
});

test('an admin adds a signing key to an agent, and revokes it', async () => {
  const { page, open, expectAccessible, api } = ann;
  const agentId = (await api.post('/agents', { name: 'Orders' })).body.id;
  const { publicKey } = await newSigningKeyPair();
  await open('/agents');
  await page.getByRole('button', { name: 'Add signing key to Orders' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Public key').fill('nonsense');
  await dialog.getByRole('button', { name: 'Add signing key' }).click();
  await dialog.getByText(/32 bytes of an Ed25519 public key/).waitFor();
  await expectAccessible();
  await dialog.getByLabel('Public key').fill(publicKey);
  await dialog.getByRole('button', { name: 'Add signing key' }).click();
  const keys = page.getByRole('list', { name: 'Signing keys of Orders' });
  await keys.getByText(publicKey).waitFor();
  await expectAccessible();
  await keys.getByRole('button', { name: /Revoke signing key/ }).click();
  await page.getByRole('button', { name: 'Revoke signing key', exact: true }).click();
  await keys.getByText(/revoked/).waitFor();
  const { data } = (await api.get(`/agents/${agentId}/signing-keys`)).body;
  expect(data).toEqual([expect.objectContaining({ public_key: publicKey, revoked_at: expect.any(String) })]);
});
