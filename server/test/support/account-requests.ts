import type { ApiResponse } from './api.ts';
import type { Browser } from './browser.ts';
import { signInWithCode } from './people.ts';
import type { TestService } from './service.ts';

export function goodRequestsOfAccount(
  service: Pick<TestService, 'sql' | 'url'>,
  person: Browser,
  email: string,
): Record<string, () => Promise<ApiResponse>> {
  return {
    'GET /v1/account': () => person.get('/v1/account'),
    'PATCH /v1/account': () => person.request('PATCH', '/v1/account', { body: { name: 'Jane' } }),
    'GET /v1/account/sessions': () => person.get('/v1/account/sessions'),
    'DELETE /v1/account/sessions': () => person.request('DELETE', '/v1/account/sessions'),
    'DELETE /v1/account/sessions/:id': async () => {
      await signInWithCode(service, email);
      const [, { id }] = (await person.get('/v1/account/sessions')).body.data;
      return person.request('DELETE', `/v1/account/sessions/${id}`);
    },
  };
}
