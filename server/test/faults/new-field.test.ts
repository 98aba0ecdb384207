import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical-json.ts';
import { CHECKOUT, type ServiceProcess, startProcess, temporaryFolder } from '../support/process.ts';
import { expectInvalid } from '../support/refusals.ts';

/** A copy of the project with the field of the example in CONTRIBUTING.md. */
const checkout = path.join(mkdtempSync(path.join(temporaryFolder(), 'copy-')), 'waybill');
let service: ServiceProcess;

beforeAll(async () => {
  const isCopied = (file: string) => !['node_modules', '.git'].includes(path.basename(file));
  cpSync(CHECKOUT, checkout, { recursive: true, filter: isCopied });
  symlinkSync(path.join(CHECKOUT, 'node_modules'), path.join(checkout, 'node_modules'));
  followRecipe();
  service = await startProcess({ checkout, env: { DATA_DIR: temporaryFolder() } });
});

function followRecipe(): void {
  const [, recipe = ''] =
    /## Worked example: a new field of a message\n(.*?)\n## /s.exec(readFileSync(path.join(CHECKOUT, 'CONTRIBUTING.md'), 'utf8')) ?? [];
  const samples = [...recipe.matchAll(/```\w+\n(.*?)```/gs)].map(([, sample = '']) => sample);
  expect(samples).toHaveLength(3);
  const [migration = '', entry = '', lists = ''] = samples;
  const folder = path.join(checkout, 'server/migrations');
  const last = Math.max(...readdirSync(folder).map((name) => Number(/^\d{4}/.exec(name)?.[0] ?? 0)));
  writeFileSync(path.join(folder, `${String(last + 1).padStart(4, '0')}_reference.sql`), migration);
  edit('server/src/contract/message-fields.ts', /^} satisfies /m, (end) => `${entry}${end}`);
  edit('server/sql/messages/write_messages.sql', /^ +type, subject, note\)\n.*\n/m, () => lists);
}

function edit(file: string, place: RegExp, change: (text: string) => string): void {
  const text = readFileSync(path.join(checkout, file), 'utf8');
  expect(text).toMatch(place);
  writeFileSync(path.join(checkout, file), text.replace(place, change));
}

const buyer = () => service.api('acme/purchasing');
const seller = () => service.api('globex/orders');
const textAt = async (url: string) => (await fetch(url, { headers: { accept: 'application/json' } })).text();

test('is accepted, delivered, shown on the receipt, exported, and covered by the hash', async () => {
  const sent = await buyer().send({ to: 'globex/orders', note: 'n', reference: 'PO-4711' });
  expect(sent.status, sent.text).toBe(201);
  const received = (await seller().get(`/messages/${sent.body.id}`)).body;
  expect(received.reference).toBe('PO-4711');
  const receipt = JSON.parse(await textAt(sent.body.receipt_url.replace('/r/', '/v1/receipts/')));
  expect(receipt.reference).toBe('PO-4711');
  const { id, thread_id, in_reply_to, from, to, type, subject, note, reference, json_sha256, files, received_at } = receipt;
  const hashed = canonicalJson({ id, thread_id, in_reply_to, from, to, type, subject, note, reference, json_sha256, files, received_at });
  expect(receipt.content_hash).toBe(`sha256:${createHash('sha256').update(hashed).digest('hex')}`);
  const [head = '', row = ''] = (await seller().get('/export?format=csv')).text.split('\r\n');
  expect(row.split(',')[head.split(',').indexOf('"reference"')]).toBe('"PO-4711"');
});

test('is null in messages without it, whose hash does not cover it', async () => {
  const { body } = await buyer().send({ to: 'globex/orders', note: 'n' });
  const { id, thread_id, in_reply_to, from, to, type, subject, note, json_sha256, files, received_at } = body;
  expect(body.reference).toBeNull();
  const hashed = canonicalJson({ id, thread_id, in_reply_to, from, to, type, subject, note, json_sha256, files, received_at });
  expect(body.content_hash).toBe(`sha256:${createHash('sha256').update(hashed).digest('hex')}`);
});

test('has its limit in JSON and in forms', async () => {
  expectInvalid(await buyer().send({ to: 'globex', reference: 'x'.repeat(101) }), 'reference');
  const form = new FormData();
  form.set('to', 'globex');
  form.set('reference', 'PO-1');
  const headers = { authorization: `Bearer ${service.keys['acme/purchasing']}` };
  const sent = await fetch(`${service.url}/v1/messages`, { method: 'POST', body: form, headers });
  expect([sent.status, JSON.parse(await sent.text()).reference]).toEqual([201, 'PO-1']);
});

test('makes a repeat with another value another request', async () => {
  const key = { 'idempotency-key': 'one' };
  await buyer().send({ to: 'globex', reference: 'a' }, key);
  const differs = async (reference: string) =>
    (await buyer().send({ to: 'globex', reference }, key)).headers.get('idempotent-body-differs');
  expect([await differs('a'), await differs('b')]).toEqual([null, 'true']);
});

test('is in the OpenAPI document, and in the types made of it', async () => {
  const { components } = JSON.parse(await textAt(`${service.url}/openapi.json`));
  for (const name of ['SendRequest', 'SendRequestForm', 'Envelope', 'EnvelopeSummary', 'Receipt'])
    expect(Object.keys(components.schemas[name].properties), name).toContain('reference');
  execFileSync('node_modules/.bin/node', ['web/api-types.ts'], { cwd: checkout });
  const types = readFileSync(path.join(checkout, 'packages/client/src/schema.ts'), 'utf8');
  expect(types.match(/^ +reference\??: /gm)?.length).toBeGreaterThanOrEqual(5);
});
