import { parseId } from '../../../src/contract/ids.ts';
import {
  HASHED_AT_DELIVERY_MAX_BYTES,
  MEMBERS_PER_BUSINESS_MAX,
  NOTIFICATIONS_KEPT_MAX,
  SHARED_VIEWS_PER_BUSINESS_MAX,
  WEBHOOK_HEADERS_MAX,
} from '../../../src/contract/limits.ts';
import { copyMessage } from '../copied-messages.ts';
import { signInWithCode } from '../people.ts';
import { until } from '../process.ts';
import { untilIndexed } from '../threads.ts';
import { upload } from '../transfer.ts';
import { copies } from './business.ts';
import {
  type JobWorld,
  manyAttempts,
  manyMembers,
  manyParties,
  memberOf,
  partyIdOf,
  pausedWebhook,
  runInParts,
  runJob,
  type Works,
} from './job-runs.ts';
import { han } from './texts.ts';

const PARTIES = 5_000;
const DOMAINS = 1_000;
const WEBHOOKS = 1_500;
const THREADS = 2_000;
const ATTEMPTS = 20_000;
const EXPIRIES = 1_000;
const RECOVERED = 1_000;

let histories = 0;

/** Jobs about names, contacts, domains, secrets and files, with as much to do as the service may meet. */
export const LARGEST_UPKEEP: Works = {
  'fill-name-keys': async ({ service }) => {
    await manyParties(service, PARTIES);
    await service.sql(`UPDATE parties SET name_key = NULL WHERE handle LIKE 'many-%'`);
    await runJob(service, 'fill-name-keys');
  },
  'rename-contact': async ({ service, owner }) => {
    await manyParties(service, PARTIES);
    const party_id = await partyIdOf(service, owner.handle);
    await service.sql(
      `INSERT INTO contacts (party_id, other_id, id) SELECT id, $1, gen_random_uuid() FROM parties WHERE handle LIKE 'many-%' ON CONFLICT DO NOTHING`,
      [party_id],
    );
    await runJob(service, 'rename-contact', { party_id });
  },
  'index-contacts': async ({ service, owner }) => {
    await manyParties(service, PARTIES);
    const party_id = await partyIdOf(service, owner.handle);
    await service.sql(
      `INSERT INTO contact_names (party_id, other_id, name) SELECT $1, id, folded_name FROM parties WHERE handle LIKE 'many-%'
       ON CONFLICT (party_id, other_id) DO UPDATE SET grams = NULL`,
      [party_id],
    );
    await runJob(service, 'index-contacts', { party_id });
  },
  // All are lost, and the owner gets a mail about each.
  'recheck-domains': async ({ service, owner }) => {
    const values = [await partyIdOf(service, owner.handle), DOMAINS];
    const names = `SELECT $1::bigint AS party_id, 'lost-' || n || '.example' AS domain FROM generate_series(1, $2::int) n`;
    await service.sql(`INSERT INTO verified_domains (party_id, domain) ${names} ON CONFLICT DO NOTHING`, values);
    await service.sql(
      `INSERT INTO domain_requests (party_id, domain, token) SELECT party_id, domain, repeat('x', 40) FROM (${names}) d ON CONFLICT DO NOTHING`,
      values,
    );
    await service.sql(
      `UPDATE domain_requests SET checked_at = now() - interval '1 day', missing_since = now() - interval '9 days' WHERE domain LIKE 'lost-%'`,
    );
    await runInParts(service, 'recheck-domains');
  },
  // Half of the files are of domains that the business has lost. No server responds for the others.
  'check-domain-keys': async ({ service, owner }) => {
    const values = [await partyIdOf(service, owner.handle), DOMAINS];
    const names = `SELECT $1::bigint AS party_id, 'keys-' || n || '.example' AS domain FROM generate_series(1, $2::int) n`;
    await service.sql(`INSERT INTO verified_domains (party_id, domain) ${names} WHERE n % 2 = 0 ON CONFLICT DO NOTHING`, values);
    await service.sql(
      `INSERT INTO domain_key_files (party_id, domain, asked_at, checked_at)
       SELECT party_id, domain, now() - interval '2 days', now() - interval '2 days' FROM (${names}) d
       ON CONFLICT (party_id, domain) DO UPDATE SET checked_at = excluded.checked_at`,
      values,
    );
    await runInParts(service, 'check-domain-keys');
  },
  'expire-messages': async ({ service, acme, owner }) => {
    const { id } = (await acme.api.send({ to: owner.handle, subject: han(200), expires_in: 3_600 })).body;
    await copyMessage(service, id, EXPIRIES);
    await service.sql(
      `INSERT INTO expiries (sender_id, message_id, due_at) SELECT sender_id, id, now() - interval '1 hour' FROM messages WHERE expires_at IS NOT NULL
       ON CONFLICT (sender_id, message_id) DO UPDATE SET due_at = excluded.due_at`,
    );
    await runJob(service, 'expire-messages');
  },
  'hash-object': async ({ acme, owner }) => {
    const uploadId = await upload(acme.api, Buffer.alloc(HASHED_AT_DELIVERY_MAX_BYTES + 1));
    return acme.api.send({ to: owner.handle, files: [{ upload_id: uploadId }] });
  },
  'encrypt-webhook-secrets': async (world) => {
    const { service } = world;
    const { uuid } = await pausedWebhook(world, { description: 'copied' });
    const headers = JSON.stringify(Object.fromEntries(Array.from({ length: WEBHOOK_HEADERS_MAX }, (_, i) => [`x-${i}`, 'x'.repeat(240)])));
    await copies(
      service,
      'webhooks',
      `id = '${uuid}'`,
      WEBHOOKS,
      `'id', gen_random_uuid(), 'secret', 'plain', 'headers', '${headers}'::text`,
    );
    await runJob(service, 'encrypt-webhook-secrets');
    await service.sql(`DELETE FROM webhooks WHERE description = 'copied'`);
  },
};

/** Jobs that a transaction queues about webhooks. */
const tellOf = (name: string, change: string) => async (world: JobWorld) => {
  const { service, owner } = world;
  await manyMembers(world, 'admin', MEMBERS_PER_BUSINESS_MAX - 1);
  const { id, uuid } = await pausedWebhook(world);
  await service.sql(`UPDATE webhooks SET ${change} WHERE id = $1`, [uuid]);
  await runJob(service, name, { partyId: await partyIdOf(service, owner.handle), webhookId: uuid });
  await owner.delete(`/webhooks/${id}`);
};

const LARGEST_OF_WEBHOOKS: Works = {
  'release-attempts': async (world) => {
    const { service, owner } = world;
    const { id, uuid: webhookId } = await pausedWebhook(world);
    await manyAttempts(world, { webhookId, count: ATTEMPTS, status: 'pending', dueAt: `'infinity'` });
    await runJob(service, 'release-attempts', { partyId: await partyIdOf(service, owner.handle), webhookId });
    await owner.delete(`/webhooks/${id}`);
  },
  'tell-of-paused-webhook': tellOf('tell-of-paused-webhook', `pause_reason = 'gone'`),
  'tell-of-failing-webhook': tellOf(
    'tell-of-failing-webhook',
    `active = true, pause_reason = NULL, paused_at = NULL, failing_since = now() - interval '2 days'`,
  ),
};

/** Jobs that a transaction queues about people, threads and webhooks. */
export const LARGEST_OF_QUEUE: Works = {
  ...LARGEST_OF_WEBHOOKS,
  'unassign-threads': async (world) => {
    const { service, acme, owner } = world;
    const { party_id, person_id } = await memberOf(world);
    const { thread_id } = (await acme.api.send({ to: owner.handle, subject: han(200) })).body;
    await untilIndexed(service);
    const changes = `'thread_id', gen_random_uuid(), 'assignee_kind', 'person', 'assignee_id', '${person_id}'`;
    await copies(service, 'threads', `party_id = ${party_id} AND thread_id = '${parseId('thr', thread_id)}'`, THREADS, changes);
    await runJob(service, 'unassign-threads', { party_id, person_id });
  },
  'join-history': async ({ service, acme, owner }) => {
    const domain = `history-${++histories}.example`;
    const ann = await signInWithCode(service, `ann@${domain}`);
    const send = async () => (await ann.post('/v1/drops', { to: acme.handle, subject: han(200) })).body.id;
    const [ofLongThread, ofMany] = [await send(), await send()];
    await copyMessage(service, ofLongThread, 5_000);
    await copyMessage(service, ofMany, 500);
    const business_id = await partyIdOf(service, owner.handle);
    const [{ id: unclaimed_id } = { id: '' }] = await service.sql<{ id: string }>('SELECT id FROM parties WHERE domain = $1', [domain]);
    const ofThread = 'thread_id = (SELECT thread_id FROM messages WHERE id = $1)';
    for (const table of ['ledger_entries', 'messages'])
      await service.sql(`UPDATE ${table} SET thread_id = ${table === 'messages' ? 'id' : 'message_id'} WHERE ${ofThread}`, [
        parseId('msg', ofMany),
      ]);
    await service.sql('INSERT INTO joined_threads SELECT $1, gen_random_uuid(), $2 FROM generate_series(1, 20000)', [
      unclaimed_id,
      business_id,
    ]);
    await service.sql('INSERT INTO verified_domains (party_id, domain) VALUES ($1, $2)', [business_id, domain]);
    await runJob(service, 'join-history', { business_id, unclaimed_id, mailbox: null });
  },
  'mail-notifications': async (world) => {
    const { service } = world;
    const { party_id, person_id } = await memberOf(world);
    await service.sql(
      `INSERT INTO notifications (party_id, recipient_kind, recipient_id, id, kind, thread_id, by_kind, by_id, by_name, created_at)
       SELECT $1, 'person', $2, gen_random_uuid(), 'mention', gen_random_uuid(), 'person', gen_random_uuid(), repeat('漢', 95) || n, now() - interval '1 day'
         FROM generate_series(1, ${NOTIFICATIONS_KEPT_MAX}) n`,
      [party_id, person_id],
    );
    await runJob(service, 'mail-notifications', { party_id, person_id });
  },
  'mail-view-digests': async (world) => {
    const { service, owner } = world;
    await manyMembers(world, 'member', 20);
    await service.sql('DELETE FROM thread_views');
    await owner.post('/views', { name: han(40), shared: true, filter: { status: 'open' } });
    await copies(service, 'thread_views', 'true', SHARED_VIEWS_PER_BUSINESS_MAX - 1, `'id', gen_random_uuid()`);
    await service.sql(
      `INSERT INTO view_digests (party_id, view_id, person_id, frequency, told_through, due_at)
       SELECT party_id, v.id, m.person_id, 'daily', 0, now() - interval '1 second' FROM thread_views v JOIN members m USING (party_id)
        WHERE m.role = 'member'`,
    );
    await runJob(service, 'mail-view-digests');
  },
};

/** Many messages for the owner, with larger contents than most have. Latin letters take the search index a fraction of the time. */
export async function manyMessages({ service, acme, owner }: JobWorld): Promise<void> {
  const { id } = (await acme.api.send({ to: owner.handle, json: { text: 'x'.repeat(20_000) } })).body;
  await copyMessage(service, id, RECOVERED);
  // A recovery ends at the head of the ledger, which a further message moves behind the copies.
  await acme.api.send({ to: owner.handle });
}

/** A new webhook gets all messages. */
export async function largestRecovery({ service, owner, hook }: JobWorld): Promise<void> {
  const webhook = (await owner.post('/webhooks', { url: `${hook}-recovered` })).body.id;
  const { status, text } = await owner.post(`/webhooks/${webhook}/recover`, { since: '2020-01-01', only: 'missing' });
  if (status !== 202) throw new Error(text);
  const hasLeft = async (rows: string) => (await service.sql(`SELECT FROM ${rows} LIMIT 1`)).length > 0;
  await until(async () => !(await hasLeft(`webhook_recoveries WHERE state = 'running'`)));
  await until(async () => !(await hasLeft(`webhook_attempts WHERE status = 'pending'`)));
  await owner.delete(`/webhooks/${webhook}`);
}
