import { afterAll, beforeAll, expect, test } from 'vitest';
import { invitationToken, joinedBy } from '../../server/test/support/businesses.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../../server/test/support/identity-provider.ts';
import { signInOn } from './support/sign-in.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
let idp: IdentityProvider;
beforeAll(async () => {
  const port = String(await freePort());
  // Passkeys need a name.
  const url = `http://localhost:${port}`;
  idp = await startIdentityProvider({ serviceUrl: url });
  world = await openWorld({ PORT: port, PUBLIC_URL: url, OIDC_NAME: 'Corp login', ...idp.env });
});
afterAll(async () => {
  await world.stop();
  await idp.stop();
});

test('somebody is invited, and joins with the mailbox that the invitation was sent to', async () => {
  const ann = await world.member('ann@acme-works.test', 'acme-works');
  await ann.open('/members');
  await ann.page.getByRole('list', { name: 'Members' }).getByText('ann@acme-works.test').waitFor();
  await ann.expectAccessible();

  await ann.page.getByRole('button', { name: 'Invite' }).click();
  await ann.page.getByLabel('Email').fill('ben@acme-works.test');
  await ann.page.getByRole('textbox', { name: 'Segment' }).fill('-sales-');
  await ann.page.getByRole('button', { name: 'Send invitation' }).click();
  await ann.page.getByText(/This .*1 to 31/).waitFor();
  await ann.expectAccessible();
  await ann.page.getByRole('textbox', { name: 'Segment' }).fill('sales');
  await ann.page.getByRole('button', { name: 'Send invitation' }).click();
  await ann.page.getByRole('list', { name: 'Invitations' }).getByText('ben@acme-works.test').waitFor();

  const ben = await world.visitor();
  await ben.open(`/invitations/${await invitationToken(world.service, 'ben@acme-works.test')}`);
  await signInOn(ben.page, world, 'ben@home.test');
  await ben.page.getByText('This invitation is for another email address').waitFor();
  await ben.expectAccessible();
  await ben.page.getByRole('button', { name: 'Switch account' }).click();
  await signInOn(ben.page, world, 'ben@acme-works.test');
  await ben.page.getByText('as a member').waitFor();
  await ben.expectAccessible();
  await ben.page.getByRole('button', { name: 'Accept invitation' }).click();
  await ben.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await ben.page.getByRole('link', { name: 'Members' }).click();
  await ben.page.getByText('@acme-works/sales').waitFor();
  expect(await ben.page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  await ben.expectAccessible();
  await ben.open('/invitations/none');
  await ben.page.getByRole('heading', { name: 'Invitation not valid' }).waitFor();
  await ben.expectAccessible();
});

test('members are given roles and addresses, and lose access when they are removed; an owner is always left', async () => {
  const ann = await world.member('ann@initech.test', 'initech');
  await joinedBy(world.service, ann.api, 'ben@initech.test', 'member', 'sales');
  const ben = await world.person('ben@initech.test');
  await ann.open('/members');
  await ann.page.getByRole('button', { name: 'Leave' }).click();
  await ann.page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await ann.page.getByRole('alert').getByText('A business needs an owner').waitFor();
  await ann.expectAccessible();
  await ann.page.getByRole('button', { name: 'Cancel' }).click();

  await ann.page.getByLabel('Role of ben').selectOption('admin');
  await ann.page.getByText('ben is now an admin').waitFor();
  await ann.page.getByRole('button', { name: 'Edit segment of ann' }).click();
  await ann.page.getByLabel('Segment of ann').fill('sales');
  await ann.page.getByLabel('Segment of ann').press('Enter');
  await ann.page.getByRole('alert').waitFor();
  await ann.page.getByLabel('Segment of ann').fill('Ceo');
  await ann.page.getByLabel('Segment of ann').press('Enter');
  await ann.page.getByText('@initech/ceo').waitFor();

  await ben.open('/members');
  await ben.page.getByRole('button', { name: 'Invite' }).waitFor();
  await ann.page.getByRole('button', { name: 'Remove ben' }).click();
  await ann.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await ann.page.getByText('ben removed').waitFor();
  await ann.page.getByText('ben@initech.test').waitFor({ state: 'detached' });
  await ben.page.getByRole('link', { name: 'Contacts' }).click();
  await ben.page.getByRole('heading', { name: 'Claim a handle' }).waitFor();
});

test('an account: its name, the browsers that are signed in, and a passkey', async () => {
  const [kim, elsewhere] = [await world.member('kim@globex.test', 'globex'), await world.visitor()];
  await elsewhere.open('/account');
  await signInOn(elsewhere.page, world, 'kim@globex.test');
  await elsewhere.page.getByRole('heading', { name: 'Account' }).waitFor();

  await kim.open('/account');
  await kim.page.getByLabel('Name').fill('Kim Kanda');
  await kim.page.getByRole('button', { name: 'Save' }).click();
  await kim.page.getByText('Name saved').waitFor();
  const sessions = kim.page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await sessions.filter({ hasText: 'Chrome on Linux' }).waitFor();
  await kim.expectAccessible();
  await kim.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await kim.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click();
  await kim.page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => sessions.count()).toBe(1);
  await elsewhere.page.getByRole('link', { name: 'Contacts' }).click();
  await elsewhere.page.getByRole('heading', { name: 'Sign in to Waybill' }).waitFor();

  const device = await kim.context.newCDPSession(kim.page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  });
  await kim.page.getByRole('button', { name: 'Add passkey' }).click();
  await kim.page.getByLabel('Name').last().fill('My laptop');
  await kim.expectAccessible();
  await kim.page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click();
  await kim.page.getByRole('list', { name: 'Passkeys' }).getByText('My laptop').waitFor();

  await kim.page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await kim.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await kim.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await kim.open('/account');
  await sessions.filter({ hasText: 'with the passkey My laptop' }).waitFor();
  const daily = kim.page.getByRole('radio', { name: 'Daily' });
  const saved = kim.page.waitForResponse((response) => response.request().method() === 'PATCH');
  await daily.check();
  expect((await saved).status()).toBe(200);
  await kim.page.reload();
  await expect.poll(() => daily.isChecked()).toBe(true);
  await kim.page.getByRole('button', { name: 'Rename My laptop' }).click();
  await kim.page.getByLabel('Name').last().fill('Old laptop');
  await kim.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await kim.page.getByRole('button', { name: 'Remove Old laptop' }).click();
  await kim.page.getByRole('button', { name: 'Remove passkey' }).click();
  await kim.page.getByText('No passkeys yet').waitFor();
  await kim.expectAccessible();
});

test('a provider signs somebody in, and says why when it does not', async () => {
  const lee = await world.visitor();
  idp.person = { sub: 'lee', email: 'lee@corp.example', email_verified: true, name: 'Lee' };
  await lee.open('/sign-in?next=/settings');
  await lee.page.getByRole('button', { name: 'Continue with Corp login' }).click();
  await lee.page.getByRole('heading', { name: 'Claim a handle' }).waitFor();
  await lee.page.getByText('Signed in as lee@corp.example').waitFor();
  await lee.page.getByRole('button', { name: 'Sign out' }).click();
  await lee.page.getByRole('heading', { name: 'Sign in to Waybill' }).waitFor();
  await lee.open('/auth/callback/oidc?error=access_denied&state=none');
  await lee.page.getByRole('alert').waitFor();
  await lee.expectAccessible();
});
