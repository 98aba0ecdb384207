import { invitationToken, personIdOf } from '../businesses.ts';
import { MemberApi } from '../member.ts';
import { signInWithCode } from '../people.ts';
import type { ExampleWorld } from './world.ts';

const LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export async function recordBusiness({ byOwner, byNobody, names, domains }: ExampleWorld): Promise<void> {
  await byOwner('GET /v1/business');
  await byOwner('PATCH /v1/business', undefined, { accepting_drops: true, receipts: 'full' });
  await byOwner('PATCH /v1/business/drop-page', undefined, { welcome: 'Write to us about orders.', accent: '#1f5fd0', logo: LOGO });
  await byOwner('GET /v1/business/drop-page');
  await byNobody('GET /v1/public/{handle}/drop-page', '/v1/public/acme/drop-page');
  await byNobody('GET /v1/public/{handle}/logo', '/v1/public/acme/logo');
  const { record } = await byOwner('POST /v1/domains', undefined, { domain: 'acme.example' });
  names.set(record.name, { txt: [record.value] });
  await byOwner('POST /v1/domains/{domain}/check', '/v1/domains/acme.example/check');
  await byOwner('GET /v1/domains');
  await byOwner('PATCH /v1/domains/{domain}', '/v1/domains/acme.example', { senders: 'members' });
  domains.serve('acme.example');
  domains.vouch('acme.example', { acme: ['JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs='] });
  await byOwner('POST /v1/domains/{domain}/keys/check', '/v1/domains/acme.example/keys/check');
  await byOwner('GET /v1/domains/{domain}/keys', '/v1/domains/acme.example/keys');
  await byOwner('DELETE /v1/domains/{domain}', '/v1/domains/acme.example');
}

export async function recordMembers({ byOwner, byNobody, recorder, service }: ExampleWorld): Promise<void> {
  const invite = (email: string) => byOwner('POST /v1/invitations', undefined, { email, role: 'admin', segment: 'sales' });
  const invited = await invite('ben@acme.example');
  await byOwner('GET /v1/invitations');
  await byOwner('DELETE /v1/invitations/{id}', `/v1/invitations/${invited.id}`);
  await invite('cleo@acme.example');
  const at = `/v1/account/invitations/${await invitationToken(service, 'cleo@acme.example')}`;
  await byNobody('GET /v1/account/invitations/{token}', at);
  const cleo = await signInWithCode(service, 'cleo@acme.example');
  await recorder.record('POST /v1/account/invitations/{token}', { person: cleo }, { path: at });
  await byOwner('GET /v1/members');
  const member = `/v1/members/${await personIdOf(new MemberApi(cleo, 'acme'))}`;
  await byOwner('PATCH /v1/members/{id}', member, { role: 'member' });
  await byOwner('DELETE /v1/members/{id}', member);
  const agent = await byOwner('POST /v1/agents', undefined, { name: 'Billing', segment: 'billing' });
  const key = await byOwner('POST /v1/agents/{id}/keys', `/v1/agents/${agent.id}/keys`, { scope: 'read_write' });
  await byOwner('GET /v1/agents/{id}/keys', `/v1/agents/${agent.id}/keys`);
  await byOwner('DELETE /v1/keys/{id}', `/v1/keys/${key.id}`);
  const signingKeys = `/v1/agents/${agent.id}/signing-keys`;
  const signingKey = await byOwner('POST /v1/agents/{id}/signing-keys', signingKeys, {
    public_key: 'JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=',
  });
  await byOwner('DELETE /v1/agents/{id}/signing-keys/{key_id}', `${signingKeys}/${signingKey.id}`);
}

/** Records how a program without a browser gets a key: its owner compares the code. */
export async function recordDeviceLogins({ byOwner, recorder, acme }: ExampleWorld): Promise<void> {
  const begin = () => recorder.record('POST /v1/device-logins', undefined, { body: { name: 'waybill on a laptop' } });
  const refused = `/v1/device-logins/${(await begin()).user_code}`;
  const asAnn = { person: acme.owner.browser };
  await recorder.record('GET /v1/device-logins/{code}', asAnn, { path: refused });
  await recorder.record('DELETE /v1/device-logins/{code}', asAnn, { path: refused });
  const { user_code, device_code } = await begin();
  await byOwner('POST /v1/device-logins/{code}', `/v1/device-logins/${user_code}`, { agent_id: acme.agentId, scope: 'read' });
  await recorder.record('POST /v1/device-logins/key', undefined, { body: { device_code } });
}

/** Records a person without a handle, who claims one in the end. */
export async function recordAccount({ byNobody, recorder, service }: ExampleWorld): Promise<void> {
  const person = await signInWithCode(service, 'dora@initech.example');
  await signInWithCode(service, 'dora@initech.example');
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  const ask = (route: string, path?: string, body?: unknown): Promise<any> =>
    recorder.record(route, { person }, { ...(path !== undefined && { path }), ...(body !== undefined && { body }) });
  await byNobody('GET /v1/sign-in');
  await ask('GET /v1/account');
  await ask('PATCH /v1/account', undefined, { name: 'Dora Example' });
  const { data: sessions } = await ask('GET /v1/account/sessions');
  const other = sessions.find(({ current }: { current: boolean }) => !current);
  await ask('DELETE /v1/account/sessions/{id}', `/v1/account/sessions/${other.id}`);
  await ask('DELETE /v1/account/sessions');
  await ask('GET /v1/drops/{handle}', '/v1/drops/globex');
  await ask('POST /v1/drops', undefined, { to: 'globex', subject: 'A question', note: 'Do you deliver on Sundays?' });
  const file = { filename: 'plan.pdf', content_type: 'application/pdf', size_bytes: 5 };
  const parted = await ask('POST /v1/drops/uploads', undefined, { ...file, parts: true });
  const at = `/v1/drops/uploads/${parted.upload_id}`;
  const { parts } = await ask('POST /v1/drops/uploads/{id}/parts', `${at}/parts`, { numbers: [1] });
  await fetch(parts[0].url, { method: 'PUT', headers: parts[0].headers, body: 'hello' });
  await ask('GET /v1/drops/uploads/{id}', at);
  await ask('POST /v1/drops/uploads/{id}/complete', `${at}/complete`);
  await ask('POST /v1/drops/uploads', undefined, file);
  await ask('GET /v1/businesses/availability', '/v1/businesses/availability?handle=initech');
  await ask('POST /v1/businesses', undefined, { handle: 'initech', display_name: 'Initech' });
}
