import { setTimeout } from 'node:timers/promises';
import { untilLogged } from '../proofs.ts';
import { untilSearchable } from '../search.ts';
import { newSigningKey, signedSend } from '../signing.ts';
import { attemptsOf } from '../webhook-log.ts';
import type { ExampleWorld } from './world.ts';

interface Sent {
  id: string;
  thread_id: string;
  receipt_url: string;
}

const ORDER = {
  to: 'globex/orders',
  type: 'order',
  subject: 'Order 4711',
  json: { order: 4711, items: [{ sku: 'A-1', quantity: 3, price: '12.50' }] },
};
const SCHEMA = {
  type: 'object',
  required: ['order', 'items'],
  properties: { order: { type: 'integer' }, items: { type: 'array', items: { type: 'object', required: ['sku', 'quantity'] } } },
};
const SLOT = {
  title: 'Delivery slot',
  description: 'When a lorry can unload at a gate.',
  schema: {
    type: 'object',
    required: ['number', 'gate'],
    properties: {
      number: { title: 'Slot', type: 'string' },
      gate: { title: 'Gate', enum: ['North', 'South'] },
      from: { title: 'From', type: 'string', format: 'date-time' },
    },
  },
  layout: { facts: [{ path: '/gate' }, { path: '/from' }] },
  published: true,
};
/** An order whose line is 200 × 3.15 = 630.00. */
const UNSUMMED = {
  number: 'PO-4711',
  issue_date: '2026-10-12',
  currency: 'EUR',
  buyer: { name: 'Acme GmbH' },
  lines: [{ sku: 'KL-6204', name: 'Ball bearing', quantity: 200, price: '3.15', total: '603.00' }],
};

const ORDERED = {
  number: 'PO-4711',
  issue_date: '2026-10-12',
  currency: 'EUR',
  buyer: { name: 'Acme GmbH', address: { city: 'Hamburg', country: 'DE' } },
  lines: [{ id: '1', sku: 'KL-6204', name: 'Ball bearing', quantity: 200, unit: 'C62', price: '3.15', total: '630.00' }],
};

/** Records an order, the reply to it, and all requests that read them. */
export async function recordMessages({ byKey, byNobody, acme, globex, service }: ExampleWorld): Promise<Sent> {
  const sent: Sent = await byKey('POST /v1/messages', undefined, ORDER, { 'Idempotency-Key': 'order-4711' });
  const reply = { in_reply_to: sent.id, type: 'order.accepted', note: 'It ships tomorrow.', json: { order: 4711, ships_on: '2026-03-15' } };
  const received = (await globex.api.send(reply)).body;
  const many = ['4712', '4713'].map((order) => ({ to: 'globex/orders', type: 'order', subject: `Order ${order}` }));
  await byKey('POST /v1/messages/batch', undefined, { messages: many }, { 'Idempotency-Key': 'orders-of-monday' });
  await byKey('GET /v1/messages/{id}', `/v1/messages/${sent.id}`);
  await byKey('GET /v1/inbox', '/v1/inbox?limit=1');
  await byKey('GET /v1/outbox', '/v1/outbox?limit=1');
  const receipt = `/v1/receipts/${sent.receipt_url.split('/r/')[1]}`;
  await byNobody('GET /v1/receipts/{token}', receipt);
  await untilLogged(() => service.anonymous.request('GET', `${receipt}/proof`));
  await byNobody('GET /v1/receipts/{token}/proof', `${receipt}/proof`);
  await byKey('GET /v1/messages/{id}/proof', `/v1/messages/${sent.id}/proof`);
  const ordered = (await acme.api.send({ to: 'globex/orders', type: 'order', json: ORDERED })).body;
  await byKey('GET /v1/messages/{id}/document.pdf', `/v1/messages/${ordered.id}/document.pdf`);
  await byKey('GET /v1/messages/{id}/document.csv', `/v1/messages/${ordered.id}/document.csv`);
  await byKey('GET /v1/messages/{id}/document.xlsx', `/v1/messages/${ordered.id}/document.xlsx`);
  await byKey('GET /v1/messages/{id}/document.xml', `/v1/messages/${ordered.id}/document.xml`);
  const at = `/v1/messages/${received.id}`;
  await byKey('POST /v1/messages/{id}/acknowledge', `${at}/acknowledge`, { status: 'accepted', reason: 'We expect it on the 16th.' });
  await byKey('GET /v1/messages/{id}/acknowledgements', `${at}/acknowledgements`);
  const key = await newSigningKey(service, { handle: 'acme', agentId: acme.agentId });
  const signed = (await signedSend(acme, key, ORDER, { recipient: 'globex', idempotencyKey: 'order-4714' })).body;
  await byKey('GET /v1/messages/{id}/signature', `/v1/messages/${signed.id}/signature`);
  await byNobody('GET /v1/receipts/{token}/signature', `/v1/receipts/${signed.receipt_url.split('/r/')[1]}/signature`);
  await byKey('GET /v1/agents/{id}/signing-keys', `/v1/agents/${acme.agentId}/signing-keys`);
  await untilSearchable(service);
  await byKey('GET /v1/search', '/v1/search?q=tomorrow');
  await byKey('GET /v1/export', '/v1/export?list=inbox&format=csv');
  await byKey('GET /v1/events');
  await byKey('GET /v1/me');
  await byKey('GET /v1/usage', '/v1/usage?days=2');
  return sent;
}

export async function recordThreads({ byKey, byOwner, acme, globex, service }: ExampleWorld, { thread_id }: Sent): Promise<void> {
  const at = `/v1/threads/${thread_id}`;
  await byKey('GET /v1/threads', '/v1/threads?status=open&limit=1');
  await byKey('GET /v1/threads/{id}', `${at}?limit=1`);
  await byKey('PATCH /v1/threads/{id}', at, { status: 'open', assignee: 'me', add_labels: ['urgent'] });
  await byKey('POST /v1/threads/batch', undefined, { ids: [thread_id], add_labels: ['this week'] });
  await byKey('POST /v1/threads/{id}/read', `${at}/read`, {});
  await byKey('GET /v1/threads/counts');
  await byKey('GET /v1/threads/labels');
  const people = (await byKey('GET /v1/threads/assignees')).data;
  const ann = people.find(({ id }: { id: string }) => id.startsWith('usr_')).id;
  await byKey('POST /v1/threads/{id}/comments', `${at}/comments`, { text: 'The price is new. Please decide.', mentions: [ann] });
  await byKey('GET /v1/threads/{id}/comments', `${at}/comments`);
  const view = await byKey('POST /v1/views', undefined, { name: 'Urgent', filter: { label: 'urgent', status: 'open' }, shared: false });
  await byKey('GET /v1/views');
  await byKey('PATCH /v1/views/{id}', `/v1/views/${view.id}`, { name: 'Urgent orders' });
  await byKey('DELETE /v1/views/{id}', `/v1/views/${view.id}`);
  const shared = (await acme.owner.post('/views', { name: 'Open', filter: { status: 'open' } })).body;
  await byOwner('PUT /v1/views/{id}/digest', `/v1/views/${shared.id}/digest`, { frequency: 'daily' });
  await acme.owner.post(`/threads/${thread_id}/comments`, { text: 'Go ahead.', mentions: [acme.agentId] });
  await byKey('GET /v1/notifications', '/v1/notifications?unread=true');
  await byKey('POST /v1/notifications/read', undefined, {});
  await globex.api.send({ to: 'acme', type: 'offer', subject: 'Spring offer', note: 'Three for two.' });
  await untilSearchable(service);
}

export async function recordFiles({ byKey, recorder, acme, service }: ExampleWorld): Promise<void> {
  const text = 'sku;quantity\nA-1;3\n';
  const file = { filename: 'order.csv', content_type: 'text/csv', size_bytes: text.length };
  const { upload_id, upload_url } = await byKey('POST /v1/uploads', undefined, file);
  const put = { path: upload_url.slice(service.url.length), body: text, headers: { 'Content-Type': 'text/csv' } };
  await recorder.record('PUT /objects/{id}', undefined, put);
  const sent = (await acme.api.send({ to: 'globex/orders', subject: 'Order 4712', files: [upload_id] })).body;
  const [{ id, download_url }] = sent.files;
  await byKey('GET /v1/files/{id}', `/v1/files/${id}`, undefined, { Accept: 'application/json' });
  await recorder.record('GET /objects/{id}', undefined, { path: download_url.slice(service.url.length) });
  const parted = await byKey('POST /v1/uploads', undefined, { ...file, parts: true });
  const at = `/v1/uploads/${parted.upload_id}`;
  const { parts } = await byKey('POST /v1/uploads/{id}/parts', `${at}/parts`, { numbers: [1] });
  await fetch(parts[0].url, { method: 'PUT', headers: parts[0].headers, body: text });
  await byKey('GET /v1/uploads/{id}', at);
  await byKey('POST /v1/uploads/{id}/complete', `${at}/complete`);
  await byKey('POST /v1/uploads', undefined, file);
}

export async function recordWebhooks({ byKey, acme, globex, receiver }: ExampleWorld): Promise<void> {
  const webhook = await byKey('POST /v1/webhooks', undefined, {
    url: receiver.url('/waybill'),
    types: ['order.*'],
    description: 'Orders to the ERP',
  });
  const at = `/v1/webhooks/${webhook.id}`;
  await byKey('POST /v1/webhooks/{id}/test', `${at}/test`);
  const { id } = (await globex.api.send({ to: 'acme/purchasing', type: 'order.shipped', json: { order: 4711, parcel: '1Z999' } })).body;
  await attemptsOf(acme.api, webhook.id, 2);
  await byKey('GET /v1/webhooks');
  await byKey('GET /v1/webhooks/{id}', at);
  await byKey('PATCH /v1/webhooks/{id}', at, { max_per_second: 20 });
  await byKey('GET /v1/webhooks/{id}/deliveries', `${at}/deliveries?limit=1`);
  await byKey('GET /v1/webhooks/{id}/messages', `${at}/messages?limit=1`);
  await byKey('GET /v1/webhooks/{id}/messages/{message_id}', `${at}/messages/${id}`);
  await byKey('GET /v1/webhooks/{id}/statistics', `${at}/statistics?period=24h`);
  await byKey('POST /v1/messages/{id}/redeliver', `/v1/messages/${id}/redeliver`, { webhook_id: webhook.id });
  const recovery = await byKey('POST /v1/webhooks/{id}/recover', `${at}/recover`, { since: '2026-01-31T08:00:00Z', only: 'missing' });
  await byKey('GET /v1/webhooks/{id}/recoveries', `${at}/recoveries`);
  await byKey('GET /v1/webhooks/{id}/recoveries/{recovery_id}', `${at}/recoveries/${recovery.id}`);
  await recordCancelled(byKey, acme, at);
  await byKey('POST /v1/webhooks/{id}/rotate-secret', `${at}/rotate-secret`, { grace_s: 3600 });
  await byKey('DELETE /v1/webhooks/{id}', at);
}

/**
 * A recovery may end before it is paused, and only one runs at a time. So another one is started until pausing works. A paused one waits to
 * be cancelled.
 */
async function recordCancelled(byKey: ExampleWorld['byKey'], acme: ExampleWorld['acme'], at: string): Promise<void> {
  for (let left = 20; left > 0; left--) {
    const { status, body } = await acme.api.write('POST', `${at.slice('/v1'.length)}/recover`, { since: '2026-01-31T08:00:00Z' });
    const of = `${at}/recoveries/${body.id}`;
    if (status < 300 && (await acme.api.write('PATCH', of.slice('/v1'.length), { state: 'paused' })).status === 200)
      return void (await byKey('PATCH /v1/webhooks/{id}/recoveries/{recovery_id}', of, { state: 'cancelled' }));
    await setTimeout(100);
  }
  throw new Error('no recovery could be paused');
}

export async function recordConsumers({ byKey, globex }: ExampleWorld): Promise<void> {
  const at = '/v1/consumers/billing';
  const holder = 'worker-1';
  await byKey('PUT /v1/consumers/{name}', at, { filter: { types: ['order.*', 'invoice'] }, max_tries: 1 });
  const send = async (order: number) =>
    (await globex.api.send({ to: 'acme', type: 'invoice', subject: `Invoice for ${order}`, json: { order, total: '37.50' } })).body.id;
  const [first, second, third] = [await send(4711), await send(4712), await send(4713)];
  const lease = () => byKey('POST /v1/consumers/{name}/lease', `${at}/lease`, { holder, limit: 1, lease_s: 60, wait_s: 20 });
  await lease();
  await byKey('GET /v1/consumers');
  await byKey('GET /v1/consumers/{name}', at);
  await byKey('POST /v1/consumers/{name}/extend', `${at}/extend`, { holder, ids: [first], lease_s: 300 });
  await byKey('POST /v1/consumers/{name}/ack', `${at}/ack`, { holder, ids: [first] });
  await lease();
  await byKey('POST /v1/consumers/{name}/release', `${at}/release`, { holder, ids: [second], reason: 'The ERP is down.' });
  await byKey('GET /v1/consumers/{name}/parked', `${at}/parked`);
  await byKey('POST /v1/consumers/{name}/unpark', `${at}/unpark`, { ids: [second] });
  await lease();
  await byKey('POST /v1/consumers/{name}/release', `${at}/release`, { holder, ids: [third], delay_s: 60, reason: 'The ERP is down.' });
  await byKey('POST /v1/consumers/{name}/seek', `${at}/seek`, { position: 'now' });
  await byKey('DELETE /v1/consumers/{name}', at);
}

export async function recordSchemas({ byKey, byNobody, globex, service }: ExampleWorld): Promise<void> {
  await byKey('PUT /v1/inbox/schema', undefined, { schema: SCHEMA });
  await byKey('GET /v1/inbox/schema');
  await byKey('PATCH /v1/inbox/schema', undefined, { published: true });
  await byKey('POST /v1/inbox/schema/check', undefined, { schema: SCHEMA, json: { order: '4711', items: [] } });
  await globex.api.write('PUT', '/inbox/schema', { schema: SCHEMA });
  await globex.api.patch('/inbox/schema', { published: true });
  await byKey('POST /v1/schema-check', '/v1/schema-check?to=globex/orders', { json: { order: 4711, items: [{ sku: 'A-1' }] } });
  await byNobody('GET /v1/public/{handle}/schema', '/v1/public/globex/schema');
  await service.anonymous.get('/public/globex');
  const ofOrders = '/v1/inbox/schemas/order';
  await byKey('PUT /v1/inbox/schemas/{type}', ofOrders, { schema: SCHEMA });
  await byKey('GET /v1/inbox/schemas/{type}', ofOrders);
  await byKey('PATCH /v1/inbox/schemas/{type}', ofOrders, { published: true });
  await byKey('GET /v1/inbox/schemas');
  await byKey('DELETE /v1/inbox/schemas/{type}', ofOrders);
}

export async function recordDocumentTypes({ byKey, byNobody }: ExampleWorld): Promise<void> {
  await byNobody('GET /v1/document-types', '/v1/document-types');
  await byNobody('GET /v1/document-types/{type}', '/v1/document-types/certificate');
  await byKey('POST /v1/document-types/{type}/check', '/v1/document-types/order/check', { json: UNSUMMED });
  const slot = '/v1/document-types/delivery.slot';
  await byKey('PUT /v1/document-types/{type}', slot, SLOT);
  await byKey('GET /v1/business/document-types');
  await byKey('GET /v1/business/document-types/{type}', '/v1/business/document-types/delivery.slot');
  await byNobody('GET /v1/public/{handle}/document-types', '/v1/public/acme/document-types');
  await byNobody('GET /v1/public/{handle}/document-types/{type}', '/v1/public/acme/document-types/delivery.slot');
  await byKey('DELETE /v1/document-types/{type}', slot);
}

export async function recordContacts({ byKey, byNobody, acme }: ExampleWorld): Promise<void> {
  const contact = await byKey('POST /v1/contacts', undefined, { handle: 'globex', label: 'Supplier' });
  await byKey('GET /v1/contacts', '/v1/contacts?limit=1');
  await byKey('GET /v1/contacts/by-party', '/v1/contacts/by-party?handle=globex');
  await byKey('GET /v1/contacts/{id}', `/v1/contacts/${contact.id}`);
  await byKey('PATCH /v1/contacts/{id}', `/v1/contacts/${contact.id}`, { notes: 'Ships on Fridays.' });
  const block = await byKey('POST /v1/blocks', undefined, { email_domain: 'spam.example' });
  await byKey('GET /v1/blocks');
  await byKey('DELETE /v1/blocks/{id}', `/v1/blocks/${block.id}`);
  await byKey('GET /v1/handles', '/v1/handles?q=glo');
  await byNobody('GET /v1/public/{handle}', '/v1/public/globex');
  await byKey('GET /v1/agents');
  await byKey('GET /v1/agents/{id}', `/v1/agents/${acme.agentId}`);
  await byKey('PATCH /v1/agents/{id}', `/v1/agents/${acme.agentId}`, { description: 'Sends orders and takes confirmations.' });
}
