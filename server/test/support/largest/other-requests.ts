import { readdirSync } from 'node:fs';
import path from 'node:path';
import { SMALL_BODY_MAX_BYTES } from '../../../src/contract/limits.ts';
import { PAGES } from '../../../src/modules/web/routes.ts';
import type { ApiResponse } from '../api.ts';
import type { MemberApi } from '../member.ts';
import type { TestService } from '../service.ts';
import { han } from './texts.ts';

type Requests = Record<string, () => Promise<ApiResponse>>;

/** The deepest JSON of a small body, with as many keys. */
const DEEP = `{"response":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)},"email":"${'x'.repeat(300)}@corp.example"}`;
const LONG_PARAMETER = 'x'.repeat(500);

/** The worst request for every route outside of the API and the documentation. */
export function largestOfOthers(service: TestService, owner: MemberApi, pages: string, receipt: string): Requests {
  const person = owner.browser;
  const get = (at: string) => () => service.anonymous.request('GET', at);
  const postDeep = (at: string) => () =>
    person.request('POST', at, { body: Buffer.from(DEEP), headers: { 'content-type': 'application/json' } });
  const assets = readdirSync(path.join(pages, 'assets'));
  if (DEEP.length > SMALL_BODY_MAX_BYTES) throw new Error('the body is too large');
  return {
    'POST /auth/email-otp/send-verification-otp': () =>
      person.post('/auth/email-otp/send-verification-otp', { email: `${'x'.repeat(60)}@corp.example` }),
    'POST /auth/sign-in/email-otp': postDeep('/auth/sign-in/email-otp'),
    'POST /auth/sign-in/social': postDeep('/auth/sign-in/social'),
    'GET /auth/callback/:id': get(`/auth/callback/${LONG_PARAMETER}?state=${LONG_PARAMETER}`),
    'POST /auth/sign-out': () => person.at(service.url).post('/auth/sign-out', {}),
    'GET /auth/passkey/generate-authenticate-options': get('/auth/passkey/generate-authenticate-options'),
    'POST /auth/passkey/verify-authentication': postDeep('/auth/passkey/verify-authentication'),
    'GET /auth/passkey/generate-register-options': () => person.get('/auth/passkey/generate-register-options'),
    'POST /auth/passkey/verify-registration': postDeep('/auth/passkey/verify-registration'),
    'GET /auth/passkey/list-user-passkeys': () => person.get('/auth/passkey/list-user-passkeys'),
    'POST /auth/passkey/update-passkey': () => person.post('/auth/passkey/update-passkey', { id: LONG_PARAMETER, name: han(100) }),
    'POST /auth/passkey/delete-passkey': postDeep('/auth/passkey/delete-passkey'),
    'GET /.well-known/waybill.json': get('/.well-known/waybill.json'),
    'GET /log/checkpoint': get('/log/checkpoint'),
    'GET /log/tile/*': get('/log/tile/0/000.p/10'),
    'GET /log/:log/checkpoint': get('/log/2/checkpoint'),
    'GET /log/:log/tile/*': get('/log/2/tile/0/000'),
    'GET /.well-known/agent-card.json': get('/.well-known/agent-card.json?handle=globex'),
    'GET /@:handle/.well-known/agent-card.json': get('/@globex/.well-known/agent-card.json'),
    'GET /healthz': get('/healthz'),
    'GET /readyz': get('/readyz'),
    'GET /metrics': get('/metrics'),
    'GET /mail/unsubscribe/:token': get(`/mail/unsubscribe/${LONG_PARAMETER}`),
    'POST /mail/unsubscribe/:token': () => service.anonymous.request('POST', `/mail/unsubscribe/${LONG_PARAMETER}`),
    'GET /dev/mail': get(`/dev/mail${new URL(service.keptMailsAt).search}&format=json`),
    'GET /dev/mail/:id': get(`/dev/mail/${LONG_PARAMETER}`),
    'GET /dev/mail/:id/html': get(`/dev/mail/${LONG_PARAMETER}/html`),
    ...Object.fromEntries(PAGES.map((at) => [`GET ${at}`, get(at.replace(/:\w+/g, 'x'))])),
    'GET /robots.txt': get('/robots.txt'),
    'GET /.well-known/security.txt': get('/.well-known/security.txt'),
    'GET /pdf.html': get('/pdf.html'),
    'GET /verify.html': get('/verify.html'),
    'GET /@:handle': get('/@globex'),
    'GET /r/:token': get(`/r/${receipt}`),
    'GET /assets/:name': async () => {
      for (const name of assets.slice(1)) await service.anonymous.request('GET', `/assets/${name}`);
      return service.anonymous.request('GET', `/assets/${assets[0]}`);
    },
  };
}
