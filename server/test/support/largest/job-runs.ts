import { parseId } from '../../../src/contract/ids.ts';
import { personIdOf } from '../businesses.ts';
import type { MemberApi } from '../member.ts';
import { until } from '../process.ts';
import type { TestBusiness, TestService } from '../service.ts';

/** What the jobs are about. The owner's business has webhooks at the hook, and acme writes to it. */
export interface JobWorld {
  service: TestService;
  acme: TestBusiness;
  owner: MemberApi;
  hook: string;
}

export type Works = Record<string, (world: JobWorld) => Promise<unknown>>;

/** Queues a job, and waits for its end. One that fails is queued again, and so ends the wait only by the time limit of the test. */
export async function runJob({ sql }: TestService, name: string, payload: object = {}): Promise<void> {
  const [job] = await sql<{ id: string }>('SELECT id FROM graphile_worker.add_job($1, $2::json)', [name, JSON.stringify(payload)]);
  await until(async () => {
    const [row] = await sql<{ last_error: string | null }>('SELECT last_error FROM graphile_worker.jobs WHERE id = $1', [job?.id]);
    if (row?.last_error) throw new Error(`${name} failed: ${row.last_error}`);
    return row === undefined;
  });
}

/** The same for a job that is done in parts, each of which queues the next one. */
export async function runInParts(service: TestService, name: string): Promise<void> {
  await runJob(service, name);
  await until(async () => (await service.sql('SELECT FROM graphile_worker.jobs WHERE task_identifier = $1', [name])).length === 0);
}

export async function partyIdOf({ sql }: TestService, handle: string): Promise<string> {
  const [row] = await sql<{ id: string }>('SELECT id FROM parties WHERE handle = $1', [handle]);
  if (row === undefined) throw new Error(`there is no ${handle}`);
  return row.id;
}

/** The ids in the payload of a job about the owner as a member of the business. */
export async function memberOf({ service, owner }: JobWorld): Promise<{ party_id: string; person_id: string | undefined }> {
  return { party_id: await partyIdOf(service, owner.handle), person_id: parseId('usr', await personIdOf(owner)) };
}

/** Parties with handles and the longest names. */
export async function manyParties({ sql }: TestService, count: number): Promise<void> {
  await sql(
    `INSERT INTO parties (handle, display_name, folded_name)
     SELECT 'many-' || n, repeat('ﷺ ', 49) || n, repeat('x', 100) || n FROM generate_series(1, $1::int) n ON CONFLICT DO NOTHING`,
    [count],
  );
}

/** Members of the owner's business with that role, as many as it can have. */
export async function manyMembers({ service, owner }: JobWorld, role: 'admin' | 'member', count: number): Promise<void> {
  await service.sql(
    `WITH new AS (INSERT INTO people (id, email, email_verified, name)
                  SELECT gen_random_uuid(), repeat('x', 60) || n || '@' || repeat('y', 60) || '.example', true, repeat('漢', 100)
                    FROM generate_series(1, $3::int) n ON CONFLICT (email) DO UPDATE SET name = excluded.name RETURNING id)
     INSERT INTO members (party_id, person_id, role) SELECT $1, id, $2::member_role FROM new
     ON CONFLICT (party_id, person_id) DO UPDATE SET role = excluded.role`,
    [await partyIdOf(service, owner.handle), role, count],
  );
}

interface Attempts {
  webhookId: string;
  count: number;
  status: 'failed' | 'pending';
  /** SQL. */
  dueAt: string;
  ageDays?: number;
}

export async function manyAttempts({ service, owner }: JobWorld, { webhookId, count, status, dueAt, ageDays = 0 }: Attempts) {
  await service.sql(
    `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, status, due_at, created_at)
     SELECT $1, $2, new_uuid(now() - make_interval(days => $5)), gen_random_uuid(), 'message.received', 1, $4::attempt_status, ${dueAt}, now()
       FROM generate_series(1, $3::int)`,
    [await partyIdOf(service, owner.handle), webhookId, count, status, ageDays],
  );
}

let paused = 0;

/** A webhook that nothing is posted to: its id in the API, and in the database. No two webhooks of a business may have the same URL. */
export async function pausedWebhook({ owner, hook }: JobWorld, more: object = {}): Promise<{ id: string; uuid: string }> {
  const { status, body, text } = await owner.post('/webhooks', { url: `${hook}/${++paused}`, ...more });
  const uuid = parseId('wh', body?.id ?? '');
  if (status !== 201 || uuid === undefined) throw new Error(text);
  await owner.patch(`/webhooks/${body.id}`, { active: false });
  return { id: body.id, uuid };
}
