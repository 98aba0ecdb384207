import { newSigningKeyPair } from '@waybill/client';
import { LINES_CHECKED_MAX } from '@waybill/documents';
import {
  AGENT_DESCRIPTION_MAX_CHARS,
  BATCH_REQUEST_MAX_MESSAGES,
  CONSUMER_IDS_MAX,
  DOCUMENT_CHECK_MAX_BYTES,
  DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS,
  DOCUMENT_TYPE_TITLE_MAX_CHARS,
  LABELS_PER_THREAD_MAX,
  LAYOUT_LIST_MAX,
  PARTS_PER_REQUEST_MAX,
  THREADS_PER_CHANGE_MAX,
  WEBHOOK_HEADERS_MAX,
} from '../../../src/contract/limits.ts';
import type { ApiResponse } from '../api.ts';
import { sendFormData } from '../form.ts';
import { hostileJson } from '../hostile-json.ts';
import type { MemberApi } from '../member.ts';
import { untilLogged } from '../proofs.ts';
import type { TestBusiness, TestService } from '../service.ts';
import { newSigningKey, signedWrite } from '../signing.ts';
import { type Full, filesForm } from './business.ts';
import { HAN, han, LONGEST_COMMENT, LONGEST_NAMES, LONGEST_NOTE, salam } from './texts.ts';

type Asks = (() => Promise<ApiResponse>)[];
type Requests = Record<string, (() => Promise<ApiResponse>) | Asks>;

const labels = Array.from({ length: LABELS_PER_THREAD_MAX }, (_, i) => `${han(38)}${i}`.slice(0, 40));
const LARGEST_JSON = hostileJson.map(([, json]) => json);

/** Documents of the largest size whose rules take long: many lines, many rates, many members. */
const LARGEST_DOCUMENTS = ['{"quantity":3,"price":0.3335,"total":2}', '{"tax_rate":1,"total":1}', '{"x":1e99}', '{}', '0'].map((line) => {
  const lines = Array(Math.floor((DOCUMENT_CHECK_MAX_BYTES - 40) / (line.length + 1))).fill(line);
  return `{"taxes":[],"lines_total":1,"lines":[${lines.join()}]}`;
});

/** 10,000 of these are as much JSON as a message has. */
const LONGEST_LINE = '{"id":"4711","name":"漢漢漢漢漢","quantity":3,"price":"0.33","total":"0.99","tax_rate":"19"}';

const batch = ({ api }: TestBusiness, messages: readonly string[]) =>
  api.write('POST', '/messages/batch', `{"messages":[${messages.join()}]}`);

function largestType(schema: object) {
  const items = Array.from({ length: LAYOUT_LIST_MAX }, (_, i) => ({ path: `/${'x'.repeat(100)}${i}`, format: 'money' }));
  const layout = { facts: items, totals: items, terms: items, lines: { path: '/lines', columns: items } };
  return {
    ...{ title: han(DOCUMENT_TYPE_TITLE_MAX_CHARS), description: salam(DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS) },
    ...{ schema, layout, published: true },
  };
}

/** Keys that canonical JSON must sort, and that no schema knows. */
function unsortedKeys(bytes: number): string {
  const one = (i: number) => `"${((i * 2_654_435_761) % 4_294_967_296).toString(36).padStart(7, '0')}":1`;
  return Array.from({ length: Math.floor(bytes / 12) }, (_, i) => one(i)).join();
}

/** The worst request for every route of the API that takes a key or is public, unless a valid one is as bad as any other. */
export function largestOfKeys(service: TestService, acme: TestBusiness, full: Full): Requests {
  const { globex, withFiles, withJson, ofLongThread, schema } = full;
  const { api } = globex;
  const token = ({ receipt_url }: { receipt_url: string }) => receipt_url.split('/r/')[1];
  const everyMessage = [withFiles, ofLongThread, ...withJson];
  const each = <T>(items: readonly T[], ask: (item: T) => Promise<ApiResponse>): Asks => items.map((item) => () => ask(item));
  const ids = (n: number, prefix: string) => Array.from({ length: n }, (_, i) => `${prefix}_${String(i).padStart(26, '0')}`);
  /** A document with the most lines. */
  const documents = (form: string) => async () => {
    const json = `{"number":"1","issue_date":"2026-10-12","currency":"EUR","lines":[${Array(LINES_CHECKED_MAX).fill(LONGEST_LINE).join()}]}`;
    const { id } = (await acme.api.send(`{"to":"globex","type":"invoice","json":${json}}`)).body;
    return api.get(`/messages/${id}/document.${form}`);
  };
  const webhook = () => ({
    url: `http://127.0.0.1:9/${'x'.repeat(1_900)}`,
    description: han(200),
    types: Array.from({ length: 20 }, (_, i) => `${'x'.repeat(70)}.${i}`),
    headers: Object.fromEntries(Array.from({ length: WEBHOOK_HEADERS_MAX }, (_, i) => [`x-${i}`, 'x'.repeat(240)])),
  });
  const manyTypes = async () => {
    await service.sql('DELETE FROM document_types');
    await api.write('PUT', '/document-types/order', { ...largestType({}), layout: {} });
    await service.sql(
      `INSERT INTO document_types (party_id, type, title, description, schema, layout, updated_at, is_published)
       SELECT party_id, repeat('漢', 77) || n, title, description, schema, layout, updated_at, true FROM document_types, generate_series(1, 49) n`,
    );
  };
  const newWebhook = async () => {
    await service.sql('DELETE FROM webhooks');
    return api.write('POST', '/webhooks', webhook());
  };
  const lease = async () => {
    await api.request('DELETE', '/v1/consumers/jobs');
    await api.write('PUT', '/consumers/jobs', { start: 'beginning' });
    return api.write('POST', '/consumers/jobs/lease', { limit: 100 });
  };
  return {
    'GET /v1/receipts/:token': each(everyMessage, (one) => service.anonymous.get(`/receipts/${token(one)}`)),
    'GET /v1/receipts/:token/proof': each([withFiles, ofLongThread], (one) =>
      untilLogged(() => service.anonymous.get(`/receipts/${token(one)}/proof?format=bundle`)),
    ),
    'GET /v1/messages/:id': each(everyMessage, (one) => api.get(`/messages/${one.id}`)),
    'GET /v1/messages/:id/document.pdf': each(everyMessage, (one) => api.get(`/messages/${one.id}/document.pdf`)),
    'GET /v1/messages/:id/document.csv': documents('csv'),
    'GET /v1/messages/:id/document.xlsx': documents('xlsx'),
    'GET /v1/messages/:id/document.xml': documents('xml'),
    'GET /v1/messages/:id/proof': each(everyMessage, (one) => untilLogged(() => api.get(`/messages/${one.id}/proof`))),
    'GET /v1/messages/:id/signature': async () => {
      const key = await newSigningKey(service, acme);
      const { body } = await signedWrite(acme, key, '/messages', `{"to":"globex","json":${LARGEST_JSON[2]}}`);
      return api.get(`/messages/${body.id}/signature`);
    },
    'POST /v1/messages': [
      ...LARGEST_JSON.map((json) => () => acme.api.send(`{"to":"globex","json":${json}}`)),
      ...LONGEST_NAMES.map((name) => () => sendFormData(acme.api, filesForm('globex', name))),
      () => acme.api.send({ to: 'globex', subject: salam(200), note: LONGEST_NOTE, json: LONGEST_NOTE }),
    ],
    'POST /v1/messages/batch': [
      ...LARGEST_JSON.map((json) => () => batch(acme, Array(3).fill(`{"to":"globex","json":${json}}`))),
      () => batch(acme, Array(BATCH_REQUEST_MAX_MESSAGES).fill(`{"to":"globex","json":{${unsortedKeys(40_000)}}}`)),
      () => batch(acme, Array(BATCH_REQUEST_MAX_MESSAGES).fill(JSON.stringify({ to: 'globex', subject: salam(200), note: salam(10_000) }))),
      () => batch(acme, Array(BATCH_REQUEST_MAX_MESSAGES).fill(`{"to":"globex",${unsortedKeys(20_000)}}`)),
      () => batch(acme, Array(1_000_000).fill('[]')),
    ],
    'POST /v1/messages/:id/acknowledge': () =>
      api.write('POST', `/messages/${withFiles.id}/acknowledge`, { status: 'rejected', reason: salam(1_000) }),
    'GET /v1/inbox': each(['', '&include=summary', `&thread=${ofLongThread.thread_id}`], (more) => api.get(`/inbox?limit=200${more}`)),
    'GET /v1/outbox': each(['', '&include=summary'], (more) => acme.api.get(`/outbox?limit=200${more}`)),
    'POST /v1/threads/batch': () => api.write('POST', '/threads/batch', { ids: ids(THREADS_PER_CHANGE_MAX, 'thr'), add_labels: labels }),
    'GET /v1/threads/:id': each([withFiles, ofLongThread, ...withJson.slice(0, 2)], (one) =>
      api.get(`/threads/${one.thread_id}?limit=200`),
    ),
    'GET /v1/threads': each(['', '&box=in', '&unread=true', '&sort=number&unread=true', '&number=PO-4711&sort=updated'], (more) =>
      api.get(`/threads?limit=200${more}`),
    ),
    'GET /v1/export': each(['inbox', 'inbox&include=summary', 'threads', 'inbox&format=csv'], (what) => api.get(`/export?list=${what}`)),
    'PATCH /v1/threads/:id': () => api.patch(`/threads/${withFiles.thread_id}`, { labels, assignee: globex.agentId }),
    'GET /v1/threads/:id/comments': () => api.get(`/threads/${withFiles.thread_id}/comments?limit=200`),
    'POST /v1/threads/:id/comments': each([LONGEST_COMMENT, salam(10_000)], (text) =>
      api.write('POST', `/threads/${withFiles.thread_id}/comments`, { text, mentions: [] }),
    ),
    'GET /v1/notifications': () => api.get('/notifications?limit=200'),
    'GET /v1/search': each(['has:file', HAN, 'ﷺ', 'has:json a', `"${HAN} ${HAN}"`, 'hanzi', `${HAN} `.repeat(20)], (q) =>
      api.get(`/search?q=${encodeURIComponent(q)}&limit=200`),
    ),
    'POST /v1/uploads': () =>
      api.write('POST', '/uploads', { filename: LONGEST_NAMES[1], content_type: 'text/plain', size_bytes: 5_000_000_000, parts: true }),
    'POST /v1/uploads/:id/parts': async () => {
      const announced = { filename: 'x', content_type: 'text/plain', size_bytes: 5_000_000_000, parts: true };
      const { upload_id } = (await api.write('POST', '/uploads', announced)).body;
      return api.write('POST', `/uploads/${upload_id}/parts`, { numbers: Array.from({ length: PARTS_PER_REQUEST_MAX }, (_, i) => i + 1) });
    },
    'GET /v1/files/:id': () => api.get(`/files/${withFiles.files[0].id}`, { accept: 'application/json' }),
    'POST /v1/webhooks': newWebhook,
    'GET /v1/webhooks': async () => {
      await newWebhook();
      await service.sql(
        `INSERT INTO webhooks SELECT (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid()))).* FROM webhooks w, generate_series(1, 49)`,
      );
      return api.get('/webhooks');
    },
    'GET /v1/consumers/:name': async () => {
      await lease();
      return api.get('/consumers/jobs');
    },
    'POST /v1/consumers/:name/lease': lease,
    'POST /v1/consumers/:name/ack': async () => {
      await lease();
      return api.write('POST', '/consumers/jobs/ack', { ids: ids(CONSUMER_IDS_MAX, 'msg') });
    },
    'POST /v1/consumers/:name/release': async () => {
      await lease();
      return api.write('POST', '/consumers/jobs/release', { ids: ids(CONSUMER_IDS_MAX, 'msg'), reason: salam(500) });
    },
    'GET /v1/blocks': () => api.get('/blocks?limit=200'),
    'GET /v1/contacts': each(['', '&sort=name', `&q=${encodeURIComponent(HAN)}`, '&q=nobody'], (more) =>
      api.get(`/contacts?limit=200${more}`),
    ),
    'POST /v1/contacts': () => api.write('POST', '/contacts', { handle: 'acme', label: salam(200), notes: salam(10_000) }),
    'PUT /v1/inbox/schema': () => api.write('PUT', '/inbox/schema', { schema }),
    'GET /v1/inbox/schema': async () => {
      await api.write('PUT', '/inbox/schema', { schema });
      return api.get('/inbox/schema');
    },
    'GET /v1/public/:handle/schema': async () => {
      await api.write('PUT', '/inbox/schema', { schema });
      await api.patch('/inbox/schema', { published: true });
      const response = await service.anonymous.get('/public/globex/schema');
      await service.sql('DELETE FROM inbox_schemas');
      return response;
    },
    'POST /v1/inbox/schema/check': each(LARGEST_JSON, (json) =>
      api.write('POST', '/inbox/schema/check', `{"schema":${JSON.stringify(schema)},"json":${json}}`),
    ),
    'POST /v1/schema-check': each(LARGEST_JSON, (json) => acme.api.write('POST', '/schema-check?to=globex', `{"json":${json}}`)),
    'GET /v1/document-types': () => service.anonymous.get('/document-types'),
    'GET /v1/document-types/:type': () => service.anonymous.get('/document-types/invoice'),
    'POST /v1/document-types/:type/check': each([...LARGEST_DOCUMENTS, ...LARGEST_JSON.slice(0, 1)], (json) =>
      acme.api.write('POST', '/document-types/invoice/check', `{"json":${json}}`),
    ),
    'PUT /v1/inbox/schemas/:type': () => api.write('PUT', '/inbox/schemas/order', { schema }),
    'GET /v1/inbox/schemas/:type': async () => {
      await api.write('PUT', '/inbox/schemas/order', { schema });
      return api.get('/inbox/schemas/order');
    },
    'GET /v1/inbox/schemas': async () => {
      await api.write('PUT', '/inbox/schemas/order', { schema: {} });
      await service.sql(
        `INSERT INTO type_schemas SELECT party_id, repeat('漢', 77) || n, schema, updated_at FROM type_schemas, generate_series(1, 49) n`,
      );
      const response = await api.get('/inbox/schemas');
      await service.sql('DELETE FROM type_schemas');
      return response;
    },
    'PUT /v1/document-types/:type': () => api.write('PUT', '/document-types/order', largestType(schema)),
    'GET /v1/business/document-types/:type': async () => {
      await api.write('PUT', '/document-types/order', largestType(schema));
      return api.get('/business/document-types/order');
    },
    'GET /v1/public/:handle/document-types/:type': async () => {
      await api.write('PUT', '/document-types/order', largestType(schema));
      return service.anonymous.get('/public/globex/document-types/order');
    },
    'GET /v1/business/document-types': async () => {
      await manyTypes();
      return api.get('/business/document-types');
    },
    'GET /v1/public/:handle/document-types': async () => {
      await manyTypes();
      return service.anonymous.get('/public/globex/document-types');
    },
    'GET /v1/agents': () => api.get('/agents?limit=200'),
    'PATCH /v1/agents/:id': () => api.patch(`/agents/${globex.agentId}`, { description: salam(AGENT_DESCRIPTION_MAX_CHARS) }),
    'GET /v1/threads/assignees': () => api.get('/threads/assignees'),
    'GET /v1/threads/labels': () => api.get('/threads/labels'),
    'GET /v1/threads/counts': () => api.get('/threads/counts'),
    'GET /v1/usage': () => api.get('/usage?days=90'),
    'GET /v1/public/:handle': () => service.anonymous.get('/public/globex'),
    'GET /v1/handles': () => api.get('/handles?q=c&limit=200'),
  };
}

export function largestOfPeople(owner: MemberApi): Requests {
  const person = owner.browser;
  return {
    'POST /v1/drops': () => person.post('/v1/drops', { to: 'acme', subject: salam(200), note: LONGEST_NOTE }),
    'POST /v1/drops/uploads': () =>
      person.post('/v1/drops/uploads', { filename: LONGEST_NAMES[1], content_type: 'text/plain', size_bytes: 5_000_000 }),
    'PATCH /v1/business': () => owner.patch('/business', { display_name: han(100) }),
    'PATCH /v1/business/drop-page': () => owner.patch('/business/drop-page', { welcome: salam(500) }),
    'PATCH /v1/account': () => person.request('PATCH', '/v1/account', { body: { name: han(100) } }),
    'POST /v1/agents': () => owner.post('/agents', { name: han(100), description: salam(AGENT_DESCRIPTION_MAX_CHARS) }),
    'POST /v1/agents/:id/signing-keys': async () => {
      const { id } = (await owner.post('/agents', { name: 'Signs' })).body;
      return owner.post(`/agents/${id}/signing-keys`, { public_key: (await newSigningKeyPair()).publicKey });
    },
    'POST /v1/device-logins': () => person.post('/v1/device-logins', { name: han(100) }),
  };
}
