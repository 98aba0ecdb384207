import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSigningKeyPair } from '../../packages/client/src/index.ts';
import { type KeyDomains, startKeyDomains } from '../../server/test/support/key-domains.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
let domains: KeyDomains;
let ann: Awaited<ReturnType<World['member']>>;
beforeAll(async () => {
  domains = await startKeyDomains();
  world = await openWorld(domains.settings);
  ann = await world.member('ann@acme-works.test', 'acme-works');
});
afterAll(async () => {
  await world.stop();
  await domains.stop();
});

test('an admin has the service fetch the keys that a domain vouches for, and sees it at the keys of the agents', async () => {
  const { page, open, expectAccessible, api } = ann;
  const domain = 'ann.keys.test';
  await domains.claim(api, domain);
  const agentId = (await api.post('/agents', { name: 'Orders' })).body.id;
  const { publicKey } = await newSigningKeyPair();
  await api.post(`/agents/${agentId}/signing-keys`, { public_key: publicKey });

  await open('/domains');
  await page.getByText('Signing keys it vouches for').click();
  await page.getByText('No file fetched yet').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: `Fetch now: signing keys of ${domain}` }).click();
  await page.getByText('The address responded with 404.').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: `Fetch now: signing keys of ${domain}` }).click();
  await page.getByText('was fetched a moment ago').waitFor();

  domains.vouch(domain, { 'acme-works': [publicKey] });
  await world.service.sql("UPDATE domain_key_files SET asked_at = now() - interval '1 hour'");
  await page.getByRole('button', { name: `Fetch now: signing keys of ${domain}` }).click();
  await page
    .getByRole('list', { name: `Signing keys that ${domain} vouches for` })
    .getByText(publicKey)
    .waitFor();
  await expectAccessible();
  expect((await api.get(`/domains/${domain}/keys`)).body).toMatchObject({ keys: [publicKey], problem: null });

  await open('/agents');
  await page.getByText(`${domain} vouches for it`).waitFor();
  await expectAccessible();
});
