import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newUuid } from '../../../src/contract/ids.ts';
import { dataFolderOf } from '../process.ts';
import type { TestService } from '../service.ts';
import { manyAttempts, partyIdOf, runJob, type Works } from './job-runs.ts';

const ROWS = 50_000;
const MAILS = 2_000;
const FILES = 3_000;
const WEBHOOKS = 1_000;
const MAIL = `{"to":"somebody@corp.example","subject":"${'x'.repeat(200)}","text":"${'漢'.repeat(5_000)}","html":"${'漢'.repeat(5_000)}"}`;

/** Chores that remove what is over, when there is much of it. */
export const LARGEST_CLEAN_UPS: Works = {
  'purge-sign-ins': async ({ service }) => {
    const over = `now() - interval '1 year'`;
    const rows = `generate_series(1, ${ROWS}) n ON CONFLICT DO NOTHING`;
    await service.sql(`INSERT INTO sign_in_counts SELECT sha256(n::text::bytea), ${over}, 1 FROM ${rows}`);
    await service.sql(`INSERT INTO known_sign_ins SELECT sha256(n::text::bytea), ${over} FROM ${rows}`);
    await service.sql(`INSERT INTO verifications (id, identifier, value, expires_at) SELECT n, n, n, ${over} FROM ${rows}`);
    await runJob(service, 'purge-sign-ins');
  },
  'purge-idempotency-keys': async ({ service, owner }) => {
    await service.sql(
      `INSERT INTO idempotency_keys (party_id, key, message_id, expires_at)
       SELECT $1, repeat('x', 200) || n, gen_random_uuid(), now() - interval '1 day' FROM generate_series(1, ${ROWS}) n`,
      [await partyIdOf(service, owner.handle)],
    );
    await runJob(service, 'purge-idempotency-keys');
  },
  'purge-mails': async ({ service }) => {
    await service.sql(
      `INSERT INTO kept_mails (id, kept_at, mail) SELECT gen_random_uuid(), now() - interval '1 year', $1 FROM generate_series(1, ${MAILS})`,
      [MAIL],
    );
    await queueMails(service, `attempts = max_attempts`);
    await runJob(service, 'purge-mails');
  },
  // The mails are then sent.
  'take-over-mails': async ({ service }) => {
    await queueMails(service, `locked_at = now() - interval '1 day', locked_by = 'dead', run_at = now()`);
    await runJob(service, 'take-over-mails');
  },
  'remove-unused-files': async ({ service, owner }) => {
    await service.sql(
      `INSERT INTO uploads (party_id, id, filename, content_type, size_bytes, expires_at)
       SELECT $1, gen_random_uuid(), repeat('漢', 4096), 'text/plain', 5, now() - interval '2 days' FROM generate_series(1, ${FILES})`,
      [await partyIdOf(service, owner.handle)],
    );
    await leaveFiles(service);
    await runJob(service, 'remove-unused-files');
  },
  'forget-webhook': async (world) => {
    const { service, owner } = world;
    const webhookId = newUuid();
    await manyAttempts(world, { webhookId, count: ROWS, status: 'failed', dueAt: 'now()' });
    await runJob(service, 'forget-webhook', { partyId: await partyIdOf(service, owner.handle), webhookId });
  },
  'purge-delivery-log': async (world) => {
    const { service, owner } = world;
    await manyAttempts(world, { webhookId: newUuid(), count: ROWS, status: 'failed', dueAt: 'now()', ageDays: 60 });
    await service.sql(
      `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, status, due_at, created_at)
       SELECT $1, gen_random_uuid(), new_uuid(now()), gen_random_uuid(), 'message.received', 1, 'failed', now(), now()
         FROM generate_series(1, ${WEBHOOKS})`,
      [await partyIdOf(service, owner.handle)],
    );
    await runJob(service, 'purge-delivery-log');
  },
};

/** Queues mails that nobody takes before they are changed. */
async function queueMails({ sql }: TestService, change: string): Promise<void> {
  await sql(
    `SELECT graphile_worker.add_job('send-mail', json_build_object('id', gen_random_uuid(), 'mail', $1::json), run_at => now() + interval '1 year')
       FROM generate_series(1, ${MAILS})`,
    [MAIL],
  );
  await sql(
    `UPDATE graphile_worker._private_jobs SET ${change}
      WHERE run_at > now() + interval '300 days' AND task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'send-mail')`,
  );
}

/** Writes files that the database knows nothing of, as if long ago. */
async function leaveFiles({ databaseUrl }: TestService): Promise<void> {
  const longAgo = new Date(Date.now() - 10 * 24 * 3_600_000);
  for (let i = 0; i < FILES; i++) {
    const id = newUuid();
    const folder = path.join(dataFolderOf(databaseUrl), 'files/objects', id.slice(-2));
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, id), 'left');
    await utimes(path.join(folder, id), longAgo, longAgo);
  }
}
