import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { pythonWith } from '../../../clients/test/python-environment.ts';
import { canonicalJson } from '../../src/contract/canonical-json.ts';
import { CHECKOUT, type ServiceProcess, startProcess, temporaryFolder } from '../support/process.ts';
import { expectInvalid } from '../support/refusals.ts';

/** A copy of the project with the field of the example in CONTRIBUTING.md. */
const checkout = path.join(mkdtempSync(path.join(temporaryFolder(), 'copy-')), 'waybill');
let service: ServiceProcess;

beforeAll(async () => {
  const isCopied = (file: string) => !['node_modules', '.git'].includes(path.basename(file));
  cpSync(CHECKOUT, checkout, { recursive: true, filter: isCopied });
  linkPackages();
  followRecipe();
  service = await startProcess({ checkout, env: { DATA_DIR: temporaryFolder() } });
});

/** All packages of npm are shared. Those of the project itself are the copies. */
function linkPackages(): void {
  const modules = path.join(checkout, 'node_modules');
  mkdirSync(path.join(modules, '@waybill'), { recursive: true });
  for (const name of readdirSync(path.join(CHECKOUT, 'node_modules')))
    if (name !== '@waybill') symlinkSync(path.join(CHECKOUT, 'node_modules', name), path.join(modules, name));
  for (const name of readdirSync(path.join(checkout, 'packages')))
    symlinkSync(path.join(checkout, 'packages', name), path.join(modules, '@waybill', name));
}

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
  edit('server/sql/messages/write_messages.sql', /^ +type, subject, note, expires_at\)\n.*\n/m, () => lists);
  run('node_modules/.bin/node', 'web/api-types.ts');
  // The verifiers that stand alone, which the recipe names.
  edit('docs/proof/verify.py', /(IF_GIVEN = .*, )\[\]/, (before) => before.replace('[]', "['reference']"));
  for (const file of ['verify.ts', 'verify.py'])
    edit(
      path.join('examples/verify-receipt', file),
      /IF_GIVEN = .*json_bytes_sha256['"],?/,
      (list) => `${list.replace(/,?$/, ',')} 'reference'`,
    );
}

/** Runs a program in the copy, and returns what it prints. Other statuses than 0 throw. */
function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: checkout, encoding: 'utf8' });
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
  const types = readFileSync(path.join(checkout, 'packages/client/src/schema.ts'), 'utf8');
  expect(types.match(/^ +reference\??: /gm)?.length).toBeGreaterThanOrEqual(5);
});

describe('is verified', () => {
  const changes = [{ reference: 'PO-4712' }, { reference: null }, { note: 'm' }];
  let receiptUrl: string;
  // biome-ignore lint/suspicious/noExplicitAny: the types are those of the copy
  let receipts: any[];
  beforeAll(async () => {
    const sent = await buyer().send({ to: 'globex/orders', note: 'n', json: { a: 1 }, reference: 'PO-4711' });
    const without = await buyer().send({ to: 'globex/orders', note: 'n' });
    receiptUrl = sent.body.receipt_url;
    const urls = [receiptUrl, without.body.receipt_url];
    receipts = await Promise.all(urls.map(async (url) => JSON.parse(await textAt(url.replace('/r/', '/v1/receipts/')))));
  });
  const inCopy = (file: string) => import(path.join(checkout, file));

  test('by the client, in messages with it and without it', async () => {
    const { checkReceipt } = await inCopy('packages/client/src/index.ts');
    for (const receipt of receipts) expect(checkReceipt(receipt).content).toBe('matches');
    for (const change of changes) expect(checkReceipt({ ...receipts[0], ...change }).content, JSON.stringify(change)).toBe('differs');
  });

  test('by the command, with the proof of a receipt', async () => {
    const { vkey } = JSON.parse(await textAt(`${service.url}/.well-known/waybill.json`)).log;
    const said = run('node_modules/.bin/node', 'packages/cli/src/main.ts', 'receipt', 'verify', receiptUrl, '--vkey', vkey);
    expect(said).toMatch(/content_hash matches[\s\S]*^ok {3}content [\s\S]*^Verified$/m);
  });

  test('by the examples', async () => {
    const { isWhole } = await inCopy('examples/verify-receipt/verify.ts');
    const inPython = (receipt: object) =>
      run(
        'python3',
        '-Bc',
        `import json, sys; sys.path.insert(0, 'examples/verify-receipt'); import verify; print(verify.is_whole(json.loads(sys.argv[1])))`,
        JSON.stringify(receipt),
      ).trim() === 'True';
    for (const isGood of [isWhole, inPython]) {
      expect(receipts.map((receipt) => isGood(receipt))).toEqual([true, true]);
      expect(changes.map((change) => isGood({ ...receipts[0], ...change }))).toEqual([false, false, false]);
    }
  });

  test('as a part of what the sender signed', async () => {
    const { bundleOf, policy } = await inCopy('packages/proof/test/support/sample.ts');
    const { said } = await inCopy('packages/proof/test/support/sample-message.ts');
    const { formatBundle, verifyBundle } = await inCopy('packages/proof/src/index.ts');
    const bundle = async (signed: string) => {
      const words = said();
      words.sent.body = words.sent.body.replace('"type"', `"reference":"${signed}","type"`);
      words.envelope.reference = 'PO-4711';
      return formatBundle(await bundleOf(words));
    };
    const [good, bad] = [await bundle('PO-4711'), await bundle('PO-4712')];
    expect((await verifyBundle(good, { policy })).verdict).toBe('verified');
    expect((await verifyBundle(bad, { policy })).checks.filter(({ state }: { state: string }) => state === 'failed')).toMatchObject([
      { part: 'signature' },
    ]);

    const python = await pythonWith(path.join(CHECKOUT, 'clients/python/pyproject.toml'));
    if (typeof python !== 'string') return console.warn(`verify.py was not tried: ${python.missing}`);
    for (const [name, text] of Object.entries({ 'policy.txt': policy, good, bad })) writeFileSync(path.join(checkout, name), text);
    const verified = (proof: string) =>
      spawnSync(python, ['-B', 'docs/proof/verify.py', proof, '--policy', 'policy.txt'], { cwd: checkout });
    expect(verified('good').stdout.toString()).toMatch(/^Verified$/m);
    expect(
      verified('bad')
        .stdout.toString()
        .match(/^FAIL .*$/gm),
    ).toEqual([expect.stringContaining('signature')]);
  });
});
