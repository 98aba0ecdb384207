import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInWithCode } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('a person signs in', async () => {
  const jane = await signInWithCode(service, 'jane@corp.example');
  const a = await jane.get('/v1/account');
  console.log(a.text, [...jane.cookies()]);
  expect(a.status).toBe(200);
  console.log((await jane.get('/v1/account/sessions')).text);
  console.log((await jane.post('/auth/sign-out', undefined)).text);
  console.log((await jane.get('/v1/account')).text);
});
