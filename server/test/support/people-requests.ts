import { newSigningKeyPair } from '@waybill/client';
import type { ApiResponse } from './api.ts';
import type { Browser } from './browser.ts';
import { invitationToken } from './businesses.ts';
import type { MemberApi } from './member.ts';
import { goodRequestsOfParts } from './parts-requests.ts';
import { signInWithCode } from './people.ts';
import type { TestService } from './service.ts';

/** Makes names unique. */
let made = 0;

const LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A valid request for every route for people. `owner` owns a business that she has claimed. */
export function goodRequestsOfPeople(service: TestService, owner: MemberApi): Record<string, () => Promise<ApiResponse>> {
  const person = owner.browser;
  const invite = (email = `guest-${++made}@corp.example`) => owner.post('/invitations', { email, role: 'member' });
  const invited = async (): Promise<{ guest: Browser; token: string }> => {
    const email = `guest-${++made}@corp.example`;
    await invite(email);
    return { guest: await signInWithCode(service, email), token: await invitationToken(service, email) };
  };
  const joined = async (): Promise<string> => {
    const { guest, token } = await invited();
    await guest.request('POST', `/v1/account/invitations/${token}`);
    return (await guest.get('/v1/account')).body.id;
  };
  const agent = async () => (await owner.post('/agents', { name: 'Orders' })).body.id as string;
  const signingKey = async (agentId: string) =>
    owner.post(`/agents/${agentId}/signing-keys`, { public_key: (await newSigningKeyPair()).publicKey });
  const login = async (): Promise<{ device_code: string; user_code: string }> =>
    (await person.post('/v1/device-logins', { name: 'waybill' })).body;
  const domain = async () => (await owner.post('/domains', { domain: `works-${++made}.test` })).body.domain as string;
  const verifiedDomain = async () => {
    const name = await domain();
    await service.sql('INSERT INTO verified_domains (party_id, domain) SELECT party_id, domain FROM domain_requests WHERE domain = $1', [
      name,
    ]);
    return name;
  };
  return {
    'POST /v1/drops': () => person.post('/v1/drops', { to: 'acme', note: 'hello' }),
    'GET /v1/drops/:handle': () => person.get('/v1/drops/acme'),
    'POST /v1/drops/uploads': () => person.post('/v1/drops/uploads', { filename: 'a.txt', content_type: 'text/plain', size_bytes: 5 }),
    ...goodRequestsOfParts('/v1/drops/uploads', {
      get: (path) => person.get(path),
      post: (path, body) => (body ? person.post(path, body) : person.request('POST', path)),
    }),
    'POST /v1/businesses': () => person.post('/v1/businesses', { handle: `claimed-${++made}`, display_name: 'Claimed' }),
    'GET /v1/businesses/availability': () => person.get('/v1/businesses/availability?handle=free'),
    'GET /v1/business': () => owner.get('/business'),
    'GET /v1/business/drop-page': () => owner.get('/business/drop-page'),
    'PATCH /v1/business/drop-page': () => owner.patch('/business/drop-page', { welcome: 'Hello', accent: '#1f5fd0', logo: LOGO }),
    'GET /v1/public/:handle/logo': async () => {
      await owner.patch('/business/drop-page', { logo: LOGO });
      return person.get(`/v1/public/${owner.handle}/logo`);
    },
    'PATCH /v1/business': () => owner.patch('/business', { display_name: 'Renamed', accepting_drops: true }),
    'PUT /v1/views/:id/digest': async () => {
      const { body } = await owner.post('/views', { name: `View ${++made}`, filter: {} });
      const response = await owner.request('PUT', `/views/${body.id}/digest`, { frequency: 'daily' });
      await owner.delete(`/views/${body.id}`);
      return response;
    },
    'GET /v1/members': () => owner.get('/members'),
    'PATCH /v1/members/:id': async () => owner.patch(`/members/${await joined()}`, { role: 'admin', segment: `sales-${++made}` }),
    'DELETE /v1/members/:id': async () => owner.delete(`/members/${await joined()}`),
    'GET /v1/invitations': async () => {
      await invite();
      return owner.get('/invitations');
    },
    'POST /v1/invitations': () => invite(),
    'DELETE /v1/invitations/:id': async () => owner.delete(`/invitations/${(await invite()).body.id}`),
    'GET /v1/account/invitations/:token': async () => {
      const { guest, token } = await invited();
      return guest.get(`/v1/account/invitations/${token}`);
    },
    'POST /v1/account/invitations/:token': async () => {
      const { guest, token } = await invited();
      return guest.request('POST', `/v1/account/invitations/${token}`);
    },
    'POST /v1/agents/:id/signing-keys': async () => signingKey(await agent()),
    'DELETE /v1/agents/:id/signing-keys/:key_id': async () => {
      const agentId = await agent();
      return owner.delete(`/agents/${agentId}/signing-keys/${(await signingKey(agentId)).body.id}`);
    },
    'POST /v1/device-logins': () => person.post('/v1/device-logins', { name: 'waybill on a laptop' }),
    'POST /v1/device-logins/key': async () => {
      const { device_code, user_code } = await login();
      await owner.post(`/device-logins/${user_code}`, { agent_id: await agent(), scope: 'read' });
      return person.post('/v1/device-logins/key', { device_code });
    },
    'GET /v1/device-logins/:code': async () => person.get(`/v1/device-logins/${(await login()).user_code}`),
    'POST /v1/device-logins/:code': async () =>
      owner.post(`/device-logins/${(await login()).user_code}`, { agent_id: await agent(), scope: 'read_write' }),
    'DELETE /v1/device-logins/:code': async () => person.request('DELETE', `/v1/device-logins/${(await login()).user_code}`),
    'POST /v1/agents': () => owner.post('/agents', { name: 'Orders', description: null }),
    'GET /v1/agents/:id/keys': async () => {
      const id = await agent();
      await owner.post(`/agents/${id}/keys`, { scope: 'read' });
      return owner.get(`/agents/${id}/keys`);
    },
    'POST /v1/agents/:id/keys': async () => owner.post(`/agents/${await agent()}/keys`, { scope: 'read_write' }),
    'DELETE /v1/keys/:id': async () => {
      const { id } = (await owner.post(`/agents/${await agent()}/keys`, { scope: 'read' })).body;
      return owner.delete(`/keys/${id}`);
    },
    'GET /v1/domains': async () => {
      await domain();
      return owner.get('/domains');
    },
    'POST /v1/domains': () => owner.post('/domains', { domain: `works-${++made}.test` }),
    'POST /v1/domains/:domain/check': async () => owner.post(`/domains/${await domain()}/check`),
    'PATCH /v1/domains/:domain': async () => owner.patch(`/domains/${await verifiedDomain()}`, { senders: 'members' }),
    'GET /v1/domains/:domain/keys': async () => owner.get(`/domains/${await verifiedDomain()}/keys`),
    'POST /v1/domains/:domain/keys/check': async () => owner.post(`/domains/${await verifiedDomain()}/keys/check`),
    'DELETE /v1/domains/:domain': async () => owner.delete(`/domains/${await domain()}`),
  };
}
