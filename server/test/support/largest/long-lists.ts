import { parseId } from '../../../src/contract/ids.ts';
import {
  CONSUMERS_PER_BUSINESS_MAX,
  DOMAINS_PER_BUSINESS_MAX,
  INVITATIONS_OPEN_PER_BUSINESS_MAX,
  MEMBERS_PER_BUSINESS_MAX,
  PAGE_MAX_ITEMS,
  SHARED_VIEWS_PER_BUSINESS_MAX,
  WEBHOOK_ATTEMPTS_SHOWN_MAX,
  WEBHOOK_RESPONSE_KEPT_BYTES,
} from '../../../src/contract/limits.ts';
import type { ApiResponse } from '../api.ts';
import type { MemberApi } from '../member.ts';
import { until } from '../process.ts';
import type { TestBusiness, TestService } from '../service.ts';
import { copies, type Full } from './business.ts';
import { han, salam } from './texts.ts';

type Requests = Record<string, () => Promise<ApiResponse>>;

/** Nobody listens there, so connections are refused. */
const REFUSING_URL = 'http://127.0.0.1:9/';
const KEPT_BODY = han(Math.floor(WEBHOOK_RESPONSE_KEPT_BYTES / 3));
const KEPT_HEADERS = JSON.stringify(Array.from({ length: 64 }, (_, i) => [`x-header-${i}`, 'x'.repeat(200)]));

/** The longest lists of a business's logs and settings. */
export function longListsOfKeys(service: TestService, acme: TestBusiness, { globex, withJson }: Full): Requests {
  const { api } = globex;
  /** A webhook with a message that has the most attempts that are shown, and the longest responses that are stored. */
  async function attempted(): Promise<{ id: string; messageId: string }> {
    await service.sql('DELETE FROM webhooks');
    const { id } = (await api.write('POST', '/webhooks', { url: REFUSING_URL })).body;
    const { id: messageId } = (await acme.api.send({ to: 'globex', json: withJson[0].json })).body;
    const webhook = `webhook_id = '${parseId('wh', id)}'`;
    await until(async () => (await service.sql(`SELECT 1 FROM webhook_exchanges WHERE ${webhook}`)).length > 0);
    const later = `'id', new_uuid(now()), 'attempt', 2, 'status', 'failed'`;
    await copies(service, 'webhook_attempts', `${webhook} AND attempt = 1`, WEBHOOK_ATTEMPTS_SHOWN_MAX, later);
    await service.sql(
      `INSERT INTO webhook_exchanges
       SELECT a.party_id, a.webhook_id, a.id, repeat('x', 2000), $1, sha256(''), $1, $2, true FROM webhook_attempts a
        WHERE ${webhook} ON CONFLICT (party_id, webhook_id, attempt_id) DO UPDATE SET response_headers = $1, response_body = $2`,
      [KEPT_HEADERS, KEPT_BODY],
    );
    return { id, messageId };
  }
  /** A webhook with more attempts than a page has, each of another message. */
  async function busy(): Promise<string> {
    const { id } = await attempted();
    await service.sql(
      `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, status, due_at, created_at, attempted_at, error)
       SELECT e.party_id, $1, new_uuid(now()), e.message_id, 'message.received', 1, 'failed', now(), now(), now(), repeat('漢', 200)
         FROM (SELECT party_id, message_id FROM ledger_entries WHERE box = 'in' LIMIT 2000) e`,
      [parseId('wh', id)],
    );
    return id;
  }
  const ofBusy = (more: string) => async () => api.get(`/webhooks/${await busy()}/${more}`);
  return {
    'GET /v1/webhooks/:id/deliveries': ofBusy('deliveries?limit=200'),
    'GET /v1/webhooks/:id/messages': ofBusy('messages?limit=200'),
    'GET /v1/webhooks/:id/statistics': ofBusy('statistics?period=7d'),
    'GET /v1/webhooks/:id/messages/:message_id': async () => {
      const { id, messageId } = await attempted();
      return api.get(`/webhooks/${id}/messages/${messageId}`);
    },
    'GET /v1/consumers': async () => {
      await api.write('PUT', '/consumers/jobs', {});
      await copies(service, 'consumers', `name = 'jobs'`, CONSUMERS_PER_BUSINESS_MAX - 1, `'name', 'jobs-' || n, 'id', gen_random_uuid()`);
      const response = await api.get('/consumers');
      await service.sql(`DELETE FROM consumers WHERE name LIKE 'jobs-%'`);
      return response;
    },
    'GET /v1/consumers/:name/parked': async () => {
      await api.request('DELETE', '/v1/consumers/jobs');
      await api.write('PUT', '/consumers/jobs', { start: 'beginning' });
      await api.write('POST', '/consumers/jobs/lease', { limit: 100 });
      await service.sql(`UPDATE consumer_messages SET state = 'parked', holder = NULL, reason = $1`, [salam(500)]);
      return api.get(`/consumers/jobs/parked?limit=${PAGE_MAX_ITEMS}`);
    },
    'GET /v1/views': async () => {
      await service.sql('DELETE FROM thread_views');
      await api.write('POST', '/views', { name: han(40), shared: true, filter: { status: 'open' } });
      await copies(service, 'thread_views', 'true', SHARED_VIEWS_PER_BUSINESS_MAX - 1, `'id', gen_random_uuid()`);
      return api.get('/views');
    },
  };
}

export function longListsOfPeople(service: TestService, owner: MemberApi): Requests {
  const party = `(SELECT id FROM parties WHERE handle = '${owner.handle}')`;
  return {
    'GET /v1/members': async () => {
      await service.sql(
        `WITH new AS (INSERT INTO people (id, email, email_verified, name)
                      SELECT gen_random_uuid(), repeat('x', 60) || n || '@' || repeat('y', 60) || '.example', true, repeat('漢', 100)
                        FROM generate_series(2, ${MEMBERS_PER_BUSINESS_MAX}) n ON CONFLICT DO NOTHING RETURNING id)
         INSERT INTO members (party_id, person_id, role) SELECT ${party}, id, 'member' FROM new`,
      );
      return owner.get('/members?limit=200');
    },
    'GET /v1/invitations': async () => {
      await service.sql(
        `INSERT INTO invitations (party_id, id, email, role, token_hash, expires_at)
         SELECT ${party}, gen_random_uuid(), repeat('x', 60) || n || '@invited.example', 'member', sha256(n::text::bytea), now() + interval '1 day'
           FROM generate_series(1, ${INVITATIONS_OPEN_PER_BUSINESS_MAX}) n ON CONFLICT DO NOTHING`,
      );
      return owner.get('/invitations');
    },
    'GET /v1/domains': async () => {
      await service.sql(
        `INSERT INTO domain_requests (party_id, domain, token)
         SELECT ${party}, repeat(repeat('x', 60) || '.', 3) || n || '.example', repeat('x', 40) FROM generate_series(1, ${DOMAINS_PER_BUSINESS_MAX}) n ON CONFLICT DO NOTHING`,
      );
      return owner.get('/domains');
    },
  };
}
