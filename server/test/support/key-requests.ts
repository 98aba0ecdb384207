import type { SigningKey } from '@waybill/client';
import type { ApiResponse } from './api.ts';
import { goodRequestsOfParts } from './parts-requests.ts';
import { untilLogged } from './proofs.ts';
import { untilSearchable } from './search.ts';
import type { TestBusiness, TestService } from './service.ts';
import { newSigningKey, signedWrite } from './signing.ts';

/** A valid request for every route that takes a key or is public. `sent` is a message from acme to globex. */
export function goodRequestsOfKeys(
  service: TestService,
  acme: TestBusiness,
  sent: { id: string; thread_id: string; receipt_url: string },
): Record<string, () => Promise<ApiResponse>> {
  const announce = () => acme.api.write('POST', '/uploads', { filename: 'a.txt', content_type: 'text/plain', size_bytes: 5 });

  const comment = () => acme.api.write('POST', `/threads/${sent.thread_id}/comments`, { text: 'hello', mentions: [acme.agentId] });
  const newView = async () => {
    await service.sql('DELETE FROM thread_views');
    return acme.api.write('POST', '/views', { name: 'Open', filter: { status: 'open' } });
  };
  const ownType = () =>
    acme.api.write('PUT', '/document-types/delivery.slot', { title: 'Delivery slot', schema: { type: 'object' }, published: true });
  const typeSchema = () => acme.api.write('PUT', '/inbox/schemas/order', { schema_of: 'order' });
  const saveGlobex = () => acme.api.write('POST', '/contacts', { handle: 'globex' });
  const newWebhook = async () => {
    await service.sql('DELETE FROM webhooks');
    return acme.api.write('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook' });
  };

  /** Leases a message from the consumer `jobs`, for the last time before it is parked. Returns its id. */
  async function leased(): Promise<string> {
    await acme.api.request('DELETE', '/v1/consumers/jobs');
    await acme.api.write('PUT', '/consumers/jobs', { max_tries: 1 });
    await acme.api.send({ to: 'acme' });
    return (await acme.api.write('POST', '/consumers/jobs/lease', {})).body.data[0].message.id;
  }
  async function withLines(form: string): Promise<ApiResponse> {
    const order = { number: '1', currency: 'EUR', buyer: { name: 'Acme' }, lines: [{ name: 'Bolt', quantity: 3 }] };
    const { id } = (await acme.api.send({ to: 'globex', type: 'order', json: order })).body;
    return acme.api.get(`/messages/${id}/document.${form}`);
  }
  const newRecovery = async () =>
    acme.api.write('POST', `/webhooks/${(await newWebhook()).body.id}/recover`, { since: '2026-01-01', only: 'missing' });
  const recoveryPath = ({ webhook_id, id }: { webhook_id: string; id: string }) => `/webhooks/${webhook_id}/recoveries/${id}`;

  let signingKey: Promise<SigningKey> | undefined;
  async function signed(): Promise<{ id: string; receipt_url: string }> {
    signingKey ??= newSigningKey(service, acme);
    return (await signedWrite(acme, await signingKey, '/messages', { to: 'acme', json: { n: 1 } })).body;
  }

  async function upload(): Promise<ApiResponse> {
    const { upload_url: url, headers } = (await announce()).body;
    return service.anonymous.request('PUT', url.slice(service.url.length), { body: 'hello', headers });
  }

  async function sentFile(): Promise<{ id: string; download_url: string }> {
    const form = new FormData();
    form.set('to', 'acme');
    form.set('file', new File(['hello'], 'a.txt'));
    const response = await fetch(`${service.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${acme.secret}` },
      body: form,
    });
    return ((await response.json()) as { files: { id: string; download_url: string }[] }).files[0] as { id: string; download_url: string };
  }

  return {
    'GET /v1/document-types': () => service.anonymous.get('/document-types'),
    'GET /v1/document-types/:type': () => service.anonymous.get('/document-types/invoice'),
    'POST /v1/document-types/:type/check': () => acme.api.write('POST', '/document-types/order/check', { json: { number: 1 } }),
    'PUT /v1/document-types/:type': () => ownType(),
    'DELETE /v1/document-types/:type': async () => {
      await ownType();
      return acme.api.request('DELETE', '/v1/document-types/delivery.slot');
    },
    'GET /v1/business/document-types': async () => {
      await ownType();
      return acme.api.get('/business/document-types');
    },
    'GET /v1/business/document-types/:type': async () => {
      await ownType();
      return acme.api.get('/business/document-types/delivery.slot');
    },
    'GET /v1/public/:handle/document-types': async () => {
      await ownType();
      return service.anonymous.get('/public/acme/document-types');
    },
    'GET /v1/public/:handle/document-types/:type': async () => {
      await ownType();
      return service.anonymous.get('/public/acme/document-types/delivery.slot');
    },
    'GET /v1/inbox/schemas': async () => {
      await typeSchema();
      return acme.api.get('/inbox/schemas');
    },
    'GET /v1/inbox/schemas/:type': async () => {
      await typeSchema();
      return acme.api.get('/inbox/schemas/order');
    },
    'PUT /v1/inbox/schemas/:type': () => typeSchema(),
    'PATCH /v1/inbox/schemas/:type': async () => {
      await typeSchema();
      return acme.api.patch('/inbox/schemas/order', { published: true });
    },
    'DELETE /v1/inbox/schemas/:type': async () => {
      await typeSchema();
      return acme.api.request('DELETE', '/v1/inbox/schemas/order');
    },
    'GET /v1/public/:handle': () => service.anonymous.get('/public/acme'),
    'GET /v1/public/:handle/drop-page': () => service.anonymous.get('/public/acme/drop-page'),
    'GET /v1/public/:handle/schema': () => service.anonymous.get('/public/acme/schema'),
    'GET /v1/receipts/:token/proof': () =>
      untilLogged(() => service.anonymous.get(`/receipts/${sent.receipt_url.split('/r/')[1]}/proof?format=tlog-proof`)),
    'GET /v1/receipts/:token': () => service.anonymous.get(`/receipts/${sent.receipt_url.split('/r/')[1]}`),
    'GET /v1/receipts/:token/signature': async () =>
      service.anonymous.get(`/receipts/${(await signed()).receipt_url.split('/r/')[1]}/signature`),
    'GET /v1/messages/:id/signature': async () => acme.api.get(`/messages/${(await signed()).id}/signature`),
    'POST /v1/messages/:id/acknowledge': async () =>
      acme.api.write('POST', `/messages/${(await acme.api.send({ to: 'acme' })).body.id}/acknowledge`, {
        status: 'rejected',
        reason: 'late',
      }),
    'GET /v1/messages/:id/acknowledgements': () => acme.api.get(`/messages/${sent.id}/acknowledgements`),
    'GET /v1/agents/:id/signing-keys': () => acme.api.get(`/agents/${acme.agentId}/signing-keys`),
    'GET /v1/me': () => acme.api.get('/me'),
    'GET /v1/usage': () => acme.api.get('/usage?days=3'),
    'GET /v1/events': () => acme.api.get('/events'),
    'GET /v1/inbox': () => acme.api.get('/inbox'),
    'GET /v1/outbox': () => acme.api.get('/outbox?limit=2'),
    'POST /v1/messages': () => acme.api.send({ to: 'acme', json: [1, null] }),
    'POST /v1/messages/batch': () => acme.api.write('POST', '/messages/batch', { messages: [{ to: 'acme' }, { to: 'acme', json: {} }] }),
    'POST /v1/messages/:id/redeliver': async () => {
      const { id } = (await acme.api.send({ to: 'acme' })).body;
      return acme.api.write('POST', `/messages/${id}/redeliver`, { webhook_id: (await newWebhook()).body.id });
    },
    'GET /v1/messages/:id': () => acme.api.get(`/messages/${sent.id}`),
    'GET /v1/messages/:id/document.pdf': () => acme.api.get(`/messages/${sent.id}/document.pdf`),
    'GET /v1/messages/:id/document.csv': () => withLines('csv'),
    'GET /v1/messages/:id/document.xlsx': () => withLines('xlsx'),
    'GET /v1/messages/:id/document.xml': () => withLines('xml'),
    'GET /v1/messages/:id/proof': () => untilLogged(() => acme.api.get(`/messages/${sent.id}/proof?contents=false`)),
    'GET /v1/threads': () => acme.api.get('/threads?limit=2&box=out'),
    'GET /v1/threads/counts': () => acme.api.get('/threads/counts'),
    'GET /v1/threads/assignees': () => acme.api.get('/threads/assignees'),
    'GET /v1/threads/labels': async () => {
      await acme.api.patch(`/threads/${sent.thread_id}`, { labels: ['urgent'] });
      return acme.api.get('/threads/labels');
    },
    'POST /v1/threads/batch': () => acme.api.write('POST', '/threads/batch', { ids: [sent.thread_id], add_labels: ['urgent'] }),
    'PATCH /v1/threads/:id': () => acme.api.patch(`/threads/${sent.thread_id}`, { status: 'done', assignee: 'me', labels: ['urgent'] }),
    'POST /v1/threads/:id/read': () => acme.api.write('POST', `/threads/${sent.thread_id}/read`, {}),
    'GET /v1/threads/:id/comments': async () => {
      await comment();
      return acme.api.get(`/threads/${sent.thread_id}/comments`);
    },
    'POST /v1/threads/:id/comments': () => comment(),
    'GET /v1/search': async () => {
      await untilSearchable(service);
      return acme.api.get('/search?q=order');
    },
    'GET /v1/export': () => acme.api.get('/export?list=outbox'),
    'GET /v1/views': async () => {
      await newView();
      return acme.api.get('/views');
    },
    'POST /v1/views': () => newView(),
    'PATCH /v1/views/:id': async () => acme.api.patch(`/views/${(await newView()).body.id}`, { name: 'Renamed' }),
    'DELETE /v1/views/:id': async () => acme.api.request('DELETE', `/v1/views/${(await newView()).body.id}`),
    'GET /v1/notifications': () => acme.api.get('/notifications'),
    'POST /v1/notifications/read': () => acme.api.write('POST', '/notifications/read', {}),
    'GET /v1/threads/:id': () => acme.api.get(`/threads/${sent.thread_id}?limit=1`),
    'GET /v1/agents': () => acme.api.get('/agents'),
    'GET /v1/agents/:id': () => acme.api.get(`/agents/${acme.agentId}`),
    'PATCH /v1/agents/:id': () => acme.api.patch(`/agents/${acme.agentId}`, { description: 'Takes orders' }),
    'GET /v1/handles': () => acme.api.get('/handles?q=g'),
    'GET /v1/webhooks': () => acme.api.get('/webhooks'),
    'POST /v1/webhooks': newWebhook,
    'GET /v1/webhooks/:id': async () => acme.api.get(`/webhooks/${(await newWebhook()).body.id}`),
    'PATCH /v1/webhooks/:id': async () => acme.api.patch(`/webhooks/${(await newWebhook()).body.id}`, { active: false }),
    'DELETE /v1/webhooks/:id': async () => acme.api.request('DELETE', `/v1/webhooks/${(await newWebhook()).body.id}`),
    'POST /v1/webhooks/:id/rotate-secret': async () =>
      acme.api.write('POST', `/webhooks/${(await newWebhook()).body.id}/rotate-secret`, { grace_s: 60 }),
    'POST /v1/webhooks/:id/recover': newRecovery,
    'GET /v1/webhooks/:id/recoveries': async () => acme.api.get(`/webhooks/${(await newRecovery()).body.webhook_id}/recoveries`),
    'GET /v1/webhooks/:id/recoveries/:recovery_id': async () => acme.api.get(recoveryPath((await newRecovery()).body)),
    'PATCH /v1/webhooks/:id/recoveries/:recovery_id': async () => {
      const { body } = await newRecovery();
      return acme.api.patch(recoveryPath(body), { state: 'cancelled' });
    },
    'POST /v1/webhooks/:id/test': async () => acme.api.request('POST', `/v1/webhooks/${(await newWebhook()).body.id}/test`),
    'GET /v1/webhooks/:id/deliveries': async () => {
      const { id } = (await newWebhook()).body;
      await acme.api.request('POST', `/v1/webhooks/${id}/test`);
      return acme.api.get(`/webhooks/${id}/deliveries`);
    },
    'GET /v1/webhooks/:id/messages': async () => acme.api.get(`/webhooks/${(await newWebhook()).body.id}/messages?state=dropped`),
    'GET /v1/webhooks/:id/messages/:message_id': async () => {
      const { id } = (await newWebhook()).body;
      const { body } = await acme.api.request('POST', `/v1/webhooks/${id}/test`);
      return acme.api.get(`/webhooks/${id}/messages/${body.job_id.replace('job_', 'dlv_')}`);
    },
    'GET /v1/webhooks/:id/statistics': async () => acme.api.get(`/webhooks/${(await newWebhook()).body.id}/statistics?period=7d`),
    'GET /v1/consumers': async () => {
      await leased();
      return acme.api.get('/consumers');
    },
    'PUT /v1/consumers/:name': () => acme.api.write('PUT', '/consumers/billing', { filter: { types: ['order.*'] }, start: 'beginning' }),
    'GET /v1/consumers/:name': async () => {
      await leased();
      return acme.api.get('/consumers/jobs');
    },
    'DELETE /v1/consumers/:name': async () => {
      await leased();
      return acme.api.request('DELETE', '/v1/consumers/jobs');
    },
    'POST /v1/consumers/:name/lease': async () => {
      await leased();
      await acme.api.send({ to: 'acme', json: { a: 1 } });
      return acme.api.write('POST', '/consumers/jobs/lease', { limit: 2 });
    },
    'POST /v1/consumers/:name/ack': async () => acme.api.write('POST', '/consumers/jobs/ack', { ids: [await leased()] }),
    'POST /v1/consumers/:name/extend': async () => acme.api.write('POST', '/consumers/jobs/extend', { ids: [await leased()], lease_s: 60 }),
    'POST /v1/consumers/:name/release': async () => acme.api.write('POST', '/consumers/jobs/release', { ids: [await leased(), 'msg_'] }),
    'POST /v1/consumers/:name/seek': async () => {
      await leased();
      return acme.api.write('POST', '/consumers/jobs/seek', { position: 'now' });
    },
    'GET /v1/consumers/:name/parked': async () => {
      await acme.api.write('POST', '/consumers/jobs/release', { ids: [await leased()], reason: 'broken' });
      return acme.api.get('/consumers/jobs/parked');
    },
    'POST /v1/consumers/:name/unpark': async () => acme.api.write('POST', '/consumers/jobs/unpark', { ids: [await leased()] }),
    'GET /v1/blocks': () => acme.api.get('/blocks'),
    'POST /v1/blocks': () => acme.api.write('POST', '/blocks', { email_domain: 'example.com' }),
    'DELETE /v1/blocks/:id': async () => {
      const { id } = (await acme.api.write('POST', '/blocks', { email_domain: 'example.org' })).body;
      return acme.api.request('DELETE', `/v1/blocks/${id}`);
    },
    'GET /v1/contacts': () => acme.api.get('/contacts'),
    'POST /v1/contacts': () => saveGlobex(),
    'GET /v1/contacts/by-party': () => acme.api.get('/contacts/by-party?handle=globex'),
    'GET /v1/contacts/:id': async () => acme.api.get(`/contacts/${(await saveGlobex()).body.id}`),
    'PATCH /v1/contacts/:id': async () => acme.api.patch(`/contacts/${(await saveGlobex()).body.id}`, { label: 'Supplier' }),
    'GET /v1/inbox/schema': () => acme.api.get('/inbox/schema'),
    'PUT /v1/inbox/schema': () => acme.api.write('PUT', '/inbox/schema', { schema: { type: ['object', 'array'] } }),
    'PATCH /v1/inbox/schema': async () => {
      await acme.api.write('PUT', '/inbox/schema', { schema: { type: ['object', 'array'] } });
      return acme.api.patch('/inbox/schema', { published: true });
    },
    'POST /v1/schema-check': () => acme.api.write('POST', '/schema-check?to=acme/orders', { json: [1] }),
    'POST /v1/inbox/schema/check': () => acme.api.write('POST', '/inbox/schema/check', { schema: { items: { type: 'x' } }, json: [1] }),
    'POST /v1/uploads': announce,
    'GET /v1/files/:id': async () => acme.api.get(`/files/${(await sentFile()).id}`, { accept: 'application/json' }),
    'PUT /objects/:id': upload,
    'GET /objects/:id': async () => service.anonymous.request('GET', (await sentFile()).download_url.slice(service.url.length)),
    'GET /v1/sign-in': () => service.anonymous.get('/sign-in'),
    ...goodRequestsOfParts('/v1/uploads', {
      get: (path) => acme.api.request('GET', path),
      post: (path, body) => (body ? acme.api.write('POST', path.slice(3), body) : acme.api.request('POST', path)),
    }),
  };
}
