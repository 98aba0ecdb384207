import { afterAll, beforeAll, expect, test } from 'vitest';
import { askForCode, signInWithCode } from '../support/people.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
});
afterAll(() => service.stop());

test('idempotency keys past their window are forgotten by a chore, the others stay', async () => {
  for (const key of ['old', 'new']) await acme.api.send({ to: 'acme' }, { 'idempotency-key': key });
  await service.sql("UPDATE idempotency_keys SET expires_at = expires_at - interval '24 hours 1 second' WHERE key = 'old'");
  await service.sql("SELECT graphile_worker.add_job('purge-idempotency-keys')");
  await expect.poll(async () => service.sql('SELECT key FROM idempotency_keys')).toEqual([{ key: 'new' }]);
});

test('sessions, codes and counts that are over are forgotten by a chore, the others stay', async () => {
  const kept = await signInWithCode(service, 'kept@corp.example');
  await signInWithCode(service, 'over@corp.example');
  for (const email of ['kept@corp.example', 'over@corp.example']) await askForCode(kept, email);
  const counts = 'SELECT count(*)::integer AS counts FROM sign_in_counts';
  const [before] = await service.sql<{ counts: number }>(counts);
  await service.sql(
    "UPDATE sessions SET expires_at = now() - interval '1 second' WHERE person_id = (SELECT id FROM people WHERE email = 'over@corp.example')",
  );
  await service.sql("UPDATE verifications SET expires_at = now() - interval '1 second' WHERE identifier LIKE '%over@corp.example'");
  await service.sql(
    "UPDATE sign_in_counts SET window_start = now() - interval '3 days' WHERE subject = (SELECT subject FROM sign_in_counts ORDER BY subject LIMIT 1)",
  );
  await service.sql(
    "UPDATE known_sign_ins SET seen_at = now() - interval '181 days' WHERE subject = (SELECT subject FROM known_sign_ins ORDER BY subject LIMIT 1)",
  );
  await service.sql("SELECT graphile_worker.add_job('purge-sign-ins')");
  await expect.poll(() => service.sql(counts)).toEqual([{ counts: (before?.counts ?? 0) - 1 }]);
  expect(await service.sql('SELECT email FROM sessions JOIN people ON people.id = person_id')).toEqual([{ email: 'kept@corp.example' }]);
  expect(await service.sql('SELECT identifier FROM verifications')).toEqual([
    { identifier: expect.stringMatching(/^\S{43} sign-in-otp-kept@corp\.example$/) },
  ]);
  // Each person signed in once, in a separate browser in this network.
  expect(await service.sql('SELECT FROM known_sign_ins')).toHaveLength(3);
  expect((await kept.get('/v1/account')).status).toBe(200);
});
