import { afterAll, beforeAll, expect, test } from 'vitest';
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
  await service.sql("UPDATE idempotency_keys SET created_at = created_at - interval '24 hours 1 second' WHERE key = 'old'");
  await service.sql("SELECT graphile_worker.add_job('purge-idempotency-keys')");
  await expect.poll(async () => service.sql('SELECT key FROM idempotency_keys')).toEqual([{ key: 'new' }]);
});
