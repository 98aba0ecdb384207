import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess, until } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { upload } from '../support/transfer.ts';

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
});
afterAll(() => service.stop());

/** A statement that records a sealed upload waits until the trigger is dropped. */
const HOLD = [
  'CREATE FUNCTION hold_sealing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN new; END $$',
  'CREATE TRIGGER hold_sealing BEFORE UPDATE ON uploads FOR EACH ROW WHEN (new.sealed_bytes IS NOT NULL) EXECUTE FUNCTION hold_sealing()',
];
const HELD = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";

test('after a kill while an upload is sealed, the next send takes over and is delivered', async () => {
  const settings = { DATABASE_URL: service.databaseUrl, PORT: String(await freePort()) };
  const killed = await startProcess({ env: settings });
  const id = await upload(new Api(killed.url, acme.secret), 'the bytes');
  for (const statement of HOLD) await service.sql(statement);
  const unheard = new Api(killed.url, acme.secret).send({ to: 'acme', files: [id] }).catch(() => undefined);
  await until(async () => (await service.sql(`SELECT 1 ${HELD}`)).length > 0);
  await killed.stop('SIGKILL');
  await unheard;
  // PostgreSQL does this itself as soon as it writes to a client that is gone.
  await service.sql(`SELECT pg_terminate_backend(pid) ${HELD}`);
  await service.sql('DROP FUNCTION hold_sealing CASCADE');

  const next = await startProcess({ env: settings });
  try {
    const sent = await new Api(next.url, acme.secret).send({ to: 'acme', files: [id] });
    expect([sent.status, sent.body.files?.[0].size_bytes], sent.text).toEqual([201, 9]);
    expect(next.output()).not.toContain('unavailable');
  } finally {
    await next.stop();
  }
});
